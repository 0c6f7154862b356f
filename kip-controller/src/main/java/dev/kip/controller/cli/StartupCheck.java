package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.OfferingPage;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.config.ProviderKeys;
import dev.kip.outcome.Outcome;
import dev.kip.yaml.Suggestion;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the cloud, before anything is touched, whether what the configuration names is there: subnets, an image, the default
 * instance type. A cloud that refuses ends the start; one that does not answer now does not, for the controller tries again
 * by itself. Called on the loop.
 */
final class StartupCheck {

    private static final Logger LOG = LoggerFactory.getLogger(StartupCheck.class);

    private final CloudApi cloud;
    private final LaunchSettings settings;
    private final ImmutableList.Builder<String> problems = ImmutableList.builder();

    StartupCheck(CloudApi cloud, LaunchSettings settings) {
        this.cloud = cloud;
        this.settings = settings;
    }

    /** What is wrong, one line each. */
    CompletionStage<ImmutableList<String>> run() {
        return subnets()
                .thenCompose(done -> images())
                .thenCompose(done -> types("", ImmutableList.of()))
                .thenApply(done -> problems.build());
    }

    private CompletionStage<Void> subnets() {
        String key = settings.subnetId().isPresent() ? ProviderKeys.SUBNET_ID.path() : ProviderKeys.VPC_ID.path();
        return cloud.subnets(settings.vpcId(), settings.subnetId()).thenAccept(outcome -> {
            if (outcome.value().filter(ImmutableList::isEmpty).isPresent()) {
                problems.add(key + ": there is no subnet to launch in: " + where() + ". Create one, or name another.");
            }
            outcome.error().ifPresent(error -> judge(key, "find the subnets", error));
        });
    }

    private CompletionStage<Void> images() {
        return cloud.images(settings.imageSpec()).thenAccept(outcome -> {
            if (outcome.value().filter(ImmutableList::isEmpty).isPresent()) {
                problems.add("cells.bootImageSpec: no image in " + settings.region() + " matches "
                        + settings.imageSpec() + ". Build a cell image, or choose another.");
            }
            outcome.error().ifPresent(error -> judge("cells.bootImageSpec", "find the image", error));
        });
    }

    private CompletionStage<Void> types(String page, ImmutableList<String> seen) {
        return cloud.offerings(page).thenCompose(outcome -> types(outcome, seen));
    }

    private CompletionStage<Void> types(Outcome<OfferingPage, CloudError> outcome, ImmutableList<String> seen) {
        String key = ProviderKeys.DEFAULT_INSTANCE_TYPE.path();
        outcome.error().ifPresent(error -> judge(key, "list the instance types", error));
        if (outcome.value().isEmpty()) {
            return done();
        }
        OfferingPage page = outcome.value().get();
        ImmutableList<String> all = ImmutableList.<String>builder()
                .addAll(seen)
                .addAll(page.offerings().stream().map(Offering::type).iterator())
                .build();
        if (all.contains(settings.defaultInstanceType())) {
            return done();
        }
        if (!page.nextToken().isEmpty()) {
            return types(page.nextToken(), all);
        }
        problems.add(key + ": \"" + settings.defaultInstanceType() + "\" is no instance type offered in "
                + settings.region() + "." + Suggestion.didYouMean(settings.defaultInstanceType(), all)
                + " See: kip config explain " + key);
        return done();
    }

    private void judge(String key, String what, CloudError error) {
        if (error instanceof CloudError.Denied) {
            problems.add("EC2 refuses to " + what + ": " + error.message() + ". To mend it: " + error.remedy() + ".");
        } else if (error instanceof CloudError.Refused || error instanceof CloudError.NotFound) {
            problems.add(
                    key + ": EC2 refuses to " + what + ": " + error.message() + ". See: kip config explain " + key);
        } else {
            LOG.warn("could not {} at start, the controller will try again: {}", what, error.message());
        }
    }

    private String where() {
        return settings.subnetId()
                .map(id -> "no subnet " + id)
                .orElseGet(() -> settings.vpcId()
                        .map(id -> "none in " + id)
                        .orElse("none in a default VPC of " + settings.region()));
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
