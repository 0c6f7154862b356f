package dev.kip.controller.world;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import java.time.Instant;
import java.util.Optional;

/** Instances that nobody has launched here. */
final class Instances {

    private Instances() {}

    /** One that runs and is like {@code other}, but for what is said. */
    static InstanceFacts like(InstanceFacts other, String id, String token, ImmutableMap<String, String> tags) {
        return new InstanceFacts(
                id,
                InstanceState.RUNNING,
                other.type(),
                other.zone(),
                other.market(),
                Optional.of("10.0.9.9"),
                Optional.empty(),
                token,
                0,
                Instant.EPOCH,
                other.templateId(),
                "",
                tags);
    }
}
