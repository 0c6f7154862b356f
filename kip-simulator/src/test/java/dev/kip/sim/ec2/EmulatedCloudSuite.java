package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.aws.AwsCloudProvider;
import dev.kip.outcome.Outcome;
import dev.kip.sim.AtOnce;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The suite on an EC2 that somebody else emulates behind a socket. */
abstract class EmulatedCloudSuite extends CloudSuite {

    abstract String url();

    /** Whose instances these are, where that is told by the access key. */
    String accessKey() {
        return "AKIAEXAMPLE";
    }

    @Override
    final CloudApi cloud() {
        CloudSettings settings = new CloudSettings(
                "us-east-1",
                Optional.of(url()),
                Optional.of(accessKey()),
                Optional.of("secret"),
                false,
                ImmutableMap.of());
        return new AwsCloudProvider().open(settings, new AtOnce());
    }

    @Override
    final <T> Outcome<T, CloudError> await(CompletionStage<Outcome<T, CloudError>> stage) {
        return stage.toCompletableFuture().join();
    }

    @Override
    final void settle() {
        // their instances run as soon as they are described
    }

    @Override
    final Instant now() {
        return Instant.now();
    }

    @Override
    final String image() {
        return "ami-0fffffffffffffff0";
    }
}
