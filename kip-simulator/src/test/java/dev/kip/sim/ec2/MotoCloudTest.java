package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.aws.AwsCloudProvider;
import dev.kip.outcome.Outcome;
import dev.kip.sim.AtOnce;
import dev.kip.sim.Moto;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** The suite on moto, if {@code moto_server} is there: the same class on an EC2 that none of us wrote. */
@Tag("real")
class MotoCloudTest extends CloudSuite {

    private static Optional<Moto> server = Optional.empty();

    @BeforeAll
    static void start() throws Exception {
        server = Optional.of(Moto.start());
    }

    @AfterAll
    static void stop() {
        server.ifPresent(Moto::close);
    }

    @BeforeEach
    void forget() throws Exception {
        server.orElseThrow().forget();
    }

    @Override
    CloudApi cloud() {
        CloudSettings settings = new CloudSettings(
                "us-east-1",
                Optional.of(server.orElseThrow().url()),
                Optional.of("AKIAEXAMPLE"),
                Optional.of("secret"),
                false,
                ImmutableMap.of());
        return new AwsCloudProvider().open(settings, new AtOnce());
    }

    @Override
    <T> Outcome<T, CloudError> await(CompletionStage<Outcome<T, CloudError>> stage) {
        return stage.toCompletableFuture().join();
    }

    @Override
    void settle() {
        // moto's instances run as soon as they are described
    }

    @Override
    ImmutableSet<Promise> broken() {
        return ImmutableSet.of(
                Promise.TOKENS_ARE_REMEMBERED,
                Promise.PARTS_OF_A_LAUNCH,
                Promise.PENDING_FIRST,
                Promise.VERSIONS_ARE_DELETED,
                Promise.INTERFACES_ARE_TAGGED,
                Promise.GROUPS_IN_USE,
                Promise.PAGES,
                Promise.TEMPLATES_ARE_CHECKED,
                Promise.IMAGES_ARE_CHECKED);
    }

    @Override
    String image() {
        return "ami-0fffffffffffffff0";
    }
}
