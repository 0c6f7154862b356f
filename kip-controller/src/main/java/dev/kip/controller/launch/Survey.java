package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.OfferingPage;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.ownership.Mandate;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what can be launched and where, once an incarnation and then once an hour: subnets, our security group (made if
 * it is missing), images, offerings; beside that the zones of the offerings and their spot prices. Confined to the loop.
 */
public final class Survey {

    private static final Logger LOG = LoggerFactory.getLogger(Survey.class);
    private static final Duration AGAIN = Duration.ofHours(1);
    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final Duration LATER_RETRIES = Duration.ofMinutes(1);
    private static final int MOST_PAGES = 200;

    private final CloudEffects cloud;
    private final Calls calls;
    private final LaunchSettings settings;
    private final String installationId;
    private final Supplier<Mandate> mandate;
    private final Consumer<Catalogue> listener;
    private final Consumer<Problem> failed;
    private int failures;
    private boolean stopped;
    private boolean surveying;
    private final MarketWatch market;

    private ImmutableList<SubnetFacts> subnets = ImmutableList.of();
    private ImmutableList<ImageFacts> images = ImmutableList.of();
    private ImmutableList<String> groups = ImmutableList.of();
    private ImmutableList.Builder<Offering> offerings = ImmutableList.builder();
    private Optional<ImmutableList<Offering>> found = Optional.empty();

    /** @param failed told why, each time; it is tried again all the same */
    public Survey(
            CloudEffects cloud,
            Calls calls,
            LaunchSettings settings,
            String installationId,
            Supplier<Mandate> mandate,
            Consumer<Catalogue> listener,
            Consumer<Problem> failed) {
        this.cloud = cloud;
        this.calls = calls;
        this.settings = settings;
        this.installationId = installationId;
        this.mandate = mandate;
        this.listener = listener;
        this.failed = failed;
        this.market = new MarketWatch(cloud, calls, this::tell);
    }

    /** Makes nothing any more: what it would make is being taken down. */
    public void stop() {
        stopped = true;
    }

    public void start() {
        if (stopped) {
            return;
        }
        if (!surveying) {
            surveying = true;
            market.start();
        }
        cloud.subnets(
                settings.vpcId(), settings.subnetId(), this::findGroup, error -> again("find the subnets", error));
    }

    private void findGroup(ImmutableList<SubnetFacts> answer) {
        if (answer.isEmpty()) {
            again("find the subnets", new CloudError.NotFound("there is none to launch in"));
            return;
        }
        subnets = answer;
        String vpc = answer.get(0).vpcId();
        cloud.securityGroups(
                vpc,
                groupName(),
                ids -> {
                    if (ids.isEmpty()) {
                        createGroup(vpc);
                    } else {
                        allow(ids.get(0));
                    }
                },
                error -> again("find security group " + groupName(), error));
    }

    private void createGroup(String vpc) {
        if (stopped) {
            return;
        }
        String nametag = settings.nametag().orElse(installationId);
        cloud.createSecurityGroup(
                vpc,
                groupName(),
                "Cells of Kip " + nametag,
                ImmutableMap.of(Tags.NAME, groupName(), Tags.INSTALLATION, installationId, Tags.NAMETAG, nametag),
                mandate.get(),
                this::allow,
                error -> again("create security group " + groupName(), error));
    }

    private void allow(String groupId) {
        groups = ImmutableList.<String>builder()
                .addAll(settings.extraSecurityGroups())
                .add(groupId)
                .build();
        ImmutableList<String> cidrs = ImmutableList.<String>builder()
                .add(subnets.get(0).vpcCidr())
                .addAll(settings.extraCidrs())
                .build();
        cloud.allowIngress(
                groupId,
                cidrs,
                mandate.get(),
                this::findImages,
                error -> again("open security group " + groupId, error));
    }

    private void findImages() {
        cloud.images(
                settings.imageSpec(),
                answer -> {
                    if (answer.isEmpty()) {
                        again(
                                "find the cells' image",
                                new CloudError.NotFound(
                                        "no image matches " + settings.imageSpec() + ": see cells.bootImageSpec"));
                    } else {
                        images = answer;
                        offerings = ImmutableList.builder();
                        findOfferings("", 0);
                    }
                },
                error -> again("find the cells' image", error));
    }

    private void findOfferings(String token, int page) {
        cloud.offerings(token, answer -> take(answer, page), error -> again("list the instance types offered", error));
    }

    private void take(OfferingPage answer, int page) {
        offerings.addAll(answer.offerings());
        if (!answer.nextToken().isEmpty() && page < MOST_PAGES) {
            findOfferings(answer.nextToken(), page + 1);
            return;
        }
        failures = 0;
        surveying = false;
        found = Optional.of(offerings.build());
        tell();
        calls.after(AGAIN, "survey", this::start);
    }

    /** Once everything has been asked for, and then with whatever is new. */
    private void tell() {
        if (found.isEmpty() || market.places().isEmpty() || stopped) {
            return;
        }
        Catalogue.Places places = market.places().get();
        Catalogue catalogue = Catalogue.of(found.get(), images, subnets, groups, places);
        LOG.info(
                "{} instance types, {} spot prices, {} images, {} subnets",
                catalogue.offerings().size(),
                places.spotUsd().size(),
                catalogue.images().size(),
                catalogue.subnets().size());
        listener.accept(catalogue);
    }

    private void again(String what, CloudError error) {
        Duration pause = RETRY.multipliedBy(1L << Math.min(failures, 5));
        failures++;
        LOG.warn("cannot {}: {}; trying again", what, error.message());
        failed.accept(new Problem("CloudNotReady", "cannot " + what + ": " + error.message()));
        calls.after(pause.compareTo(LATER_RETRIES) < 0 ? pause : LATER_RETRIES, "survey", this::start);
    }

    /** The original's name for it. */
    private String groupName() {
        return ("kip-" + installationId + "-cellsecuritygroup").toLowerCase(Locale.ROOT);
    }
}
