package dev.kip.controller.effects;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CallKind;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.GroupFacts;
import dev.kip.cloud.CloudApi.GroupPage;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstancePage;
import dev.kip.cloud.CloudApi.InstanceQuery;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.InterfaceFacts;
import dev.kip.cloud.CloudApi.InterfacePage;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.ResourceQuery;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudApi.TemplateFacts;
import dev.kip.cloud.CloudApi.TemplatePage;
import dev.kip.cloud.CloudApi.TemplateVersion;
import dev.kip.cloud.CloudApi.TemplateVersionFacts;
import dev.kip.cloud.CloudApi.VolumeFacts;
import dev.kip.cloud.CloudApi.VolumePage;
import dev.kip.cloud.CloudError;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.limits.Limits;
import dev.kip.controller.ownership.Mandate;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Calls the cloud, as often as it lets itself be called. Changes nothing once the mandate is over; retries nothing, but for
 * reads that were refused because there were too many. Confined to the loop.
 */
public final class CloudEffects {

    private static final int MOST_PAGES = 1_000;

    /** Of one read that is refused because there are too many. */
    private static final int ATTEMPTS = 4;

    private static final CloudError OVER = new CloudError.NotSent("the lease is over: nothing was sent");

    private final Loop loop;
    private final CloudApi cloud;
    private final Limits limits;
    private final Calls calls;
    private final Ear ear;

    /** Hears what becomes of calls, whoever made them. Called on the loop. */
    public interface Ear {

        Ear NONE = new Ear() {
            @Override
            public void answered(String verb) {}

            @Override
            public void failed(String verb, CloudError error) {}
        };

        void answered(String verb);

        void failed(String verb, CloudError error);
    }

    /** @param limits of all calls of this process */
    public CloudEffects(Loop loop, CloudApi cloud, Limits limits, Calls calls) {
        this(loop, cloud, limits, calls, Ear.NONE);
    }

    public CloudEffects(Loop loop, CloudApi cloud, Limits limits, Calls calls, Ear ear) {
        this.loop = loop;
        this.cloud = cloud;
        this.limits = limits;
        this.calls = calls;
        this.ear = ear;
    }

    /** Room for a launch call of so many instances; empty if the cloud would refuse it now. */
    public Optional<Limits.Permit> admitLaunch(CallKind kind, int instances) {
        return limits.reserve(kind, instances);
    }

    /** When to ask {@link #admitLaunch} again. */
    public Duration untilLaunch(CallKind kind, int instances) {
        return limits.until(kind, instances);
    }

    /** @param permit of {@link #admitLaunch}, for at least as many instances as are asked for; used up in any case */
    public void launch(
            LaunchRequest request,
            Limits.Permit permit,
            Mandate mandate,
            Runnable expired,
            Consumer<ImmutableList<InstanceFacts>> launched,
            Consumer<CloudError> failed) {
        if (mandate.expired(loop.nanos())) {
            permit.giveBack();
            expired.run();
            return;
        }
        on("launch", permit.use(request.count(), cloud.launch(request)), launched, failed);
    }

    public void createTemplate(
            TemplateContent content,
            Mandate mandate,
            Runnable expired,
            Consumer<TemplateVersion> created,
            Consumer<CloudError> failed) {
        change(
                CallKind.CHANGE,
                1,
                "createTemplate",
                () -> mandate,
                expired,
                () -> cloud.createTemplate(content),
                created,
                failed);
    }

    public void createTemplateVersion(
            TemplateContent content,
            Mandate mandate,
            Runnable expired,
            Consumer<TemplateVersion> created,
            Consumer<CloudError> failed) {
        change(
                CallKind.CHANGE,
                1,
                "createTemplateVersion",
                () -> mandate,
                expired,
                () -> cloud.createTemplateVersion(content),
                created,
                failed);
    }

    /** Makes it the version of launches that name none. */
    public void setDefaultTemplateVersion(
            TemplateVersion version, Mandate mandate, Runnable done, Consumer<CloudError> failed) {
        change(
                CallKind.CHANGE,
                1,
                "setDefaultTemplateVersion",
                () -> mandate,
                () -> failed.accept(OVER),
                () -> cloud.setDefaultTemplateVersion(version.templateId(), version.version()),
                ok -> done.run(),
                failed);
    }

    /** @param gone told those that are there no more */
    public void deleteTemplateVersions(
            String templateId,
            ImmutableList<String> versions,
            Mandate mandate,
            Consumer<ImmutableList<String>> gone,
            Consumer<CloudError> failed) {
        change(
                CallKind.CHANGE,
                1,
                "deleteTemplateVersions",
                () -> mandate,
                () -> failed.accept(OVER),
                () -> cloud.deleteTemplateVersions(templateId, versions),
                gone,
                failed);
    }

    public void deleteTemplate(String templateId, Mandate mandate, Runnable gone, Consumer<CloudError> failed) {
        change(
                CallKind.CHANGE,
                1,
                "deleteTemplate",
                () -> mandate,
                () -> failed.accept(OVER),
                () -> cloud.deleteTemplate(templateId),
                ok -> gone.run(),
                error -> {
                    if (error instanceof CloudError.NotFound) {
                        gone.run();
                    } else {
                        failed.accept(error);
                    }
                });
    }

    /** One page, newest first: the older ones were deleted when the newest was made. */
    public void templateVersions(
            String templateId, Consumer<ImmutableList<TemplateVersionFacts>> newest, Consumer<CloudError> failed) {
        send(
                CallKind.LIST,
                1,
                "templateVersions",
                () -> cloud.templateVersions(templateId, ""),
                page -> newest.accept(page.versions()),
                failed);
    }

    /** Every page of the templates that carry all of {@code tags}; the whole list or an error. */
    public void describeTemplates(
            ImmutableMap<String, String> tags,
            Consumer<ImmutableList<TemplateFacts>> all,
            Consumer<CloudError> failed) {
        everything(
                "describeTemplates",
                token -> cloud.describeTemplates(tags, token),
                TemplatePage::nextToken,
                pages -> all.accept(pages.stream()
                        .flatMap(page -> page.templates().stream())
                        .collect(ImmutableList.toImmutableList())),
                failed);
    }

    /** Whose the account is that all this happens in. */
    public void account(Consumer<CloudApi.AccountFacts> known, Consumer<CloudError> failed) {
        send(CallKind.ELSEWHERE, 1, "account", () -> cloud.account(), known, failed);
    }

    /** The subnets to launch in: the one named, else those of the VPC, else the default VPC's. */
    public void subnets(
            Optional<String> vpcId,
            Optional<String> subnetId,
            Consumer<ImmutableList<CloudApi.SubnetFacts>> known,
            Consumer<CloudError> failed) {
        send(CallKind.LIST, 1, "subnets", () -> cloud.subnets(vpcId, subnetId), known, failed);
    }

    /** Groups named {@code name} in the VPC. */
    public void securityGroups(
            String vpcId, String name, Consumer<ImmutableList<String>> known, Consumer<CloudError> failed) {
        send(CallKind.LIST, 1, "securityGroups", () -> cloud.securityGroups(vpcId, name), known, failed);
    }

    public void createSecurityGroup(
            String vpcId,
            String name,
            String description,
            ImmutableMap<String, String> tags,
            Mandate mandate,
            Consumer<String> created,
            Consumer<CloudError> failed) {
        change(
                CallKind.CHANGE,
                1,
                "createSecurityGroup",
                () -> mandate,
                () -> failed.accept(OVER),
                () -> cloud.createSecurityGroup(vpcId, name, description, tags),
                created,
                failed);
    }

    public void allowIngress(
            String groupId, ImmutableList<String> cidrs, Mandate mandate, Runnable done, Consumer<CloudError> failed) {
        change(
                CallKind.CHANGE,
                1,
                "allowIngress",
                () -> mandate,
                () -> failed.accept(OVER),
                () -> cloud.allowIngress(groupId, cidrs),
                ok -> done.run(),
                failed);
    }

    /** The newest image that matches for each architecture. */
    public void images(
            ImmutableMap<String, String> selector,
            Consumer<ImmutableList<CloudApi.ImageFacts>> known,
            Consumer<CloudError> failed) {
        send(CallKind.LIST, 1, "images", () -> cloud.images(selector), known, failed);
    }

    /** One page of the instance types offered. */
    public void offerings(String pageToken, Consumer<CloudApi.OfferingPage> known, Consumer<CloudError> failed) {
        send(CallKind.LIST, 1, "offerings", () -> cloud.offerings(pageToken), known, failed);
    }

    /** Every page of the zones that have instance types; the whole list or an error. */
    public void zones(Consumer<ImmutableList<CloudApi.TypeInZone>> all, Consumer<CloudError> failed) {
        everything(
                "zones",
                cloud::zones,
                CloudApi.ZonePage::nextToken,
                pages -> all.accept(
                        pages.stream().flatMap(page -> page.types().stream()).collect(ImmutableList.toImmutableList())),
                failed);
    }

    /** Every page of what spot instances cost now; the whole list or an error. */
    public void spotPrices(Consumer<ImmutableList<CloudApi.SpotPrice>> all, Consumer<CloudError> failed) {
        Instant now = loop.now();
        everything(
                "spotPrices",
                token -> cloud.spotPrices(now, token),
                CloudApi.SpotPricePage::nextToken,
                pages -> all.accept(pages.stream()
                        .flatMap(page -> page.prices().stream())
                        .collect(ImmutableList.toImmutableList())),
                failed);
    }

    /** The subnets of the account's default VPC. */
    public void subnets(Consumer<ImmutableList<CloudApi.SubnetFacts>> known, Consumer<CloudError> failed) {
        send(CallKind.LIST, 1, "subnets", () -> cloud.subnets(Optional.empty(), Optional.empty()), known, failed);
    }

    public void terminate(
            ImmutableList<String> ids,
            Supplier<Mandate> mandate,
            Runnable expired,
            Consumer<ImmutableMap<String, InstanceState>> accepted,
            Consumer<CloudError> failed) {
        change(CallKind.END, ids.size(), "terminate", mandate, expired, () -> cloud.terminate(ids), accepted, failed);
    }

    public void createTags(
            ImmutableList<String> ids,
            ImmutableMap<String, String> tags,
            Mandate mandate,
            Runnable done,
            Consumer<CloudError> failed) {
        change(
                CallKind.TAG,
                1,
                "createTags",
                () -> mandate,
                () -> failed.accept(OVER),
                () -> cloud.createTags(ids, tags),
                ok -> done.run(),
                failed);
    }

    public void deleteTags(
            ImmutableList<String> ids,
            ImmutableList<String> keys,
            Mandate mandate,
            Runnable done,
            Consumer<CloudError> failed) {
        change(
                CallKind.CHANGE,
                1,
                "deleteTags",
                () -> mandate,
                () -> failed.accept(OVER),
                () -> cloud.deleteTags(ids, keys),
                ok -> done.run(),
                failed);
    }

    /** Every page; the whole list or an error. */
    public void describeAll(
            ImmutableMap<String, String> tags,
            Consumer<ImmutableList<InstanceFacts>> all,
            Consumer<CloudError> failed) {
        everything(
                "describe",
                token -> cloud.describe(InstanceQuery.ofTags(tags, token)),
                InstancePage::nextToken,
                pages -> all.accept(pages.stream()
                        .flatMap(page -> page.instances().stream())
                        .collect(ImmutableList.toImmutableList())),
                failed);
    }

    /** Every page; the whole list or an error. */
    public void volumes(
            ImmutableMap<String, String> tags, Consumer<ImmutableList<VolumeFacts>> all, Consumer<CloudError> failed) {
        everything(
                "volumes",
                token -> cloud.volumes(ResourceQuery.ofTags(tags, token)),
                VolumePage::nextToken,
                pages -> all.accept(pages.stream()
                        .flatMap(page -> page.volumes().stream())
                        .collect(ImmutableList.toImmutableList())),
                failed);
    }

    /** Every page; the whole list or an error. */
    public void networkInterfaces(
            ImmutableMap<String, String> tags,
            Consumer<ImmutableList<InterfaceFacts>> all,
            Consumer<CloudError> failed) {
        everything(
                "networkInterfaces",
                token -> cloud.networkInterfaces(ResourceQuery.ofTags(tags, token)),
                InterfacePage::nextToken,
                pages -> all.accept(pages.stream()
                        .flatMap(page -> page.interfaces().stream())
                        .collect(ImmutableList.toImmutableList())),
                failed);
    }

    /** Every page; the whole list or an error. */
    public void securityGroups(
            ImmutableMap<String, String> tags, Consumer<ImmutableList<GroupFacts>> all, Consumer<CloudError> failed) {
        everything(
                "securityGroups",
                token -> cloud.securityGroups(ResourceQuery.ofTags(tags, token)),
                GroupPage::nextToken,
                pages -> all.accept(pages.stream()
                        .flatMap(page -> page.groups().stream())
                        .collect(ImmutableList.toImmutableList())),
                failed);
    }

    /** One that is gone already is gone. */
    public void deleteSecurityGroup(String groupId, Mandate mandate, Runnable gone, Consumer<CloudError> failed) {
        change(
                CallKind.CHANGE,
                1,
                "deleteSecurityGroup",
                () -> mandate,
                () -> failed.accept(OVER),
                () -> cloud.deleteSecurityGroup(groupId),
                ok -> gone.run(),
                error -> {
                    if (error instanceof CloudError.NotFound) {
                        gone.run();
                    } else {
                        failed.accept(error);
                    }
                });
    }

    private <T> void on(
            String verb,
            CompletionStage<Outcome<T, CloudError>> call,
            Consumer<? super T> ok,
            Consumer<CloudError> failed) {
        calls.on(
                "cloud",
                verb,
                call,
                answer -> {
                    ear.answered(verb);
                    ok.accept(answer);
                },
                error -> {
                    ear.failed(verb, error);
                    failed.accept(error);
                });
    }

    /** Makes a change as soon as there is room for it, unless the mandate is over by then: then nothing is sent. */
    private <T> void change(
            CallKind kind,
            int things,
            String verb,
            Supplier<Mandate> mandate,
            Runnable expired,
            Supplier<CompletionStage<Outcome<T, CloudError>>> call,
            Consumer<? super T> ok,
            Consumer<CloudError> failed) {
        limits.send(kind, things, permit -> {
            if (calls.closed()) {
                return false;
            }
            if (mandate.get().expired(loop.nanos())) {
                calls.guarded("cloud " + verb, expired);
                return false;
            }
            on(verb, permit.use(things, call.get()), ok, failed);
            return true;
        });
    }

    /** Asks as soon as there is room for it; once more, and once more, if the cloud says that there was none. */
    private <T> void send(
            CallKind kind,
            int attempt,
            String verb,
            Supplier<CompletionStage<Outcome<T, CloudError>>> call,
            Consumer<? super T> ok,
            Consumer<CloudError> failed) {
        limits.send(kind, 1, permit -> {
            if (calls.closed()) {
                return false;
            }
            on(verb, permit.use(1, call.get()), ok, error -> {
                if (error instanceof CloudError.Throttled && attempt < ATTEMPTS) {
                    send(kind, attempt + 1, verb, call, ok, failed);
                } else {
                    failed.accept(error);
                }
            });
            return true;
        });
    }

    private <P> void everything(
            String verb,
            Function<String, CompletionStage<Outcome<P, CloudError>>> page,
            Function<P, String> nextToken,
            Consumer<ImmutableList<P>> all,
            Consumer<CloudError> failed) {
        new Pages<>(verb, page, nextToken, all, failed).next("");
    }

    /**
     * One instance, whatever its tags say.
     *
     * @param unknown the cloud knows no such instance
     */
    public void describeOne(String instanceId, Consumer<InstanceFacts> seen, Runnable unknown) {
        describeOne(instanceId, seen, unknown, error -> {});
    }

    /** @param failed nothing is known of it */
    public void describeOne(
            String instanceId, Consumer<InstanceFacts> seen, Runnable unknown, Consumer<CloudError> failed) {
        send(
                CallKind.LOOK,
                1,
                "describe",
                () -> cloud.describe(InstanceQuery.ofIds(ImmutableList.of(instanceId))),
                page -> page.instances().stream().findFirst().ifPresentOrElse(seen, unknown),
                error -> {
                    if (error instanceof CloudError.NotFound) {
                        unknown.run();
                    } else {
                        failed.accept(error);
                    }
                });
    }

    /** Those of the instances that are there; one unknown id fails the whole call. */
    public void describeMany(
            ImmutableList<String> instanceIds,
            Consumer<ImmutableList<InstanceFacts>> seen,
            Consumer<CloudError> failed) {
        send(
                CallKind.LOOK,
                1,
                "describe",
                () -> cloud.describe(InstanceQuery.ofIds(instanceIds)),
                page -> seen.accept(page.instances()),
                failed);
    }

    private final class Pages<P> {

        private final String verb;
        private final Function<String, CompletionStage<Outcome<P, CloudError>>> page;
        private final Function<P, String> nextToken;
        private final Consumer<ImmutableList<P>> all;
        private final Consumer<CloudError> failed;
        private final List<P> read = new ArrayList<>();

        Pages(
                String verb,
                Function<String, CompletionStage<Outcome<P, CloudError>>> page,
                Function<P, String> nextToken,
                Consumer<ImmutableList<P>> all,
                Consumer<CloudError> failed) {
            this.verb = verb;
            this.page = page;
            this.nextToken = nextToken;
            this.all = all;
            this.failed = failed;
        }

        void next(String token) {
            send(CallKind.LIST, 1, verb, () -> page.apply(token), this::take, failed);
        }

        private void take(P one) {
            read.add(one);
            String token = nextToken.apply(one);
            if (token.isEmpty()) {
                all.accept(ImmutableList.copyOf(read));
            } else if (read.size() >= MOST_PAGES) {
                failed.accept(new CloudError.Failing(verb + ": the list does not end"));
            } else {
                next(token);
            }
        }
    }
}
