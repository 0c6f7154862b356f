package dev.kip.sim.anchor;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.aws.AwsCloudProvider;
import dev.kip.outcome.Outcome;
import dev.kip.sim.AtOnce;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The suite over a socket, as production opens it. */
abstract class SocketSuite extends AnchorSuite {

    abstract String location();

    abstract String nowhereLocation();

    abstract String endpoint();

    private AnchorStore open(String location) {
        CloudSettings settings = new CloudSettings(
                "us-east-1",
                Optional.empty(),
                Optional.of("AKIAEXAMPLE"),
                Optional.of("secret"),
                false,
                ImmutableMap.of());
        return new AwsCloudProvider().openAnchors(settings, location, Optional.of(endpoint()), new AtOnce());
    }

    @Override
    AnchorStore store() {
        return open(location());
    }

    @Override
    AnchorStore nowhere() {
        return open(nowhereLocation());
    }

    @Override
    <T> Outcome<T, CloudError> await(CompletionStage<Outcome<T, CloudError>> stage) {
        return stage.toCompletableFuture().join();
    }
}
