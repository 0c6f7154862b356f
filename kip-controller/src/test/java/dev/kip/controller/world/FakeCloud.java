package dev.kip.controller.world;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.Probe;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** EC2, as far as the controller sees it. Launched instances are shown only after a while. */
final class FakeCloud {

    private final VirtualTime time;
    private final Faults faults;
    private ImmutableList<String> zones = ImmutableList.of("a");
    private final Map<String, InstanceFacts> instances = new LinkedHashMap<>();
    private final Map<String, Long> launchedAt = new LinkedHashMap<>();
    private final Map<String, Long> endedAt = new LinkedHashMap<>();
    private final FakeTemplates templates = new FakeTemplates();
    private final List<LaunchRequest> launches = new ArrayList<>();
    private final Map<String, CloudApi.GroupFacts> groups = new LinkedHashMap<>();
    private Duration lingers = Duration.ofSeconds(30);
    private Duration shownAfter = Duration.ofSeconds(2);
    private Optional<CloudError> refusedLists = Optional.empty();
    private int mostPerCall = Integer.MAX_VALUE;
    private int counter;
    private Function<LaunchRequest, Optional<CloudError>> refusals = request -> Optional.empty();

    FakeCloud(VirtualTime time, Faults faults) {
        this.time = time;
        this.faults = faults;
    }

    void refuseLaunches(Function<LaunchRequest, Optional<CloudError>> rule) {
        refusals = rule;
    }

    /** Lists of instances fail so; looks at one by its id do not. */
    void refuseDescribes(Optional<CloudError> error) {
        refusedLists = error;
    }

    void giveAtMost(int count) {
        mostPerCall = count;
    }

    void showAfter(Duration lag) {
        shownAfter = lag;
    }

    List<LaunchRequest> launches() {
        return launches;
    }

    ImmutableList<InstanceFacts> all() {
        return ImmutableList.copyOf(instances.values());
    }

    ImmutableList<InstanceFacts> live() {
        return instances.values().stream()
                .filter(instance -> !instance.state().ended())
                .collect(ImmutableList.toImmutableList());
    }

    boolean runs(String id) {
        @Nullable InstanceFacts instance = instances.get(id);
        return instance != null && !instance.state().ended();
    }

    long launchedAt(String id) {
        return launchedAt.getOrDefault(id, Long.MAX_VALUE);
    }

    /** Somebody ends it behind our back. */
    void end(String id) {
        instances.computeIfPresent(id, (key, instance) -> in(instance, InstanceState.TERMINATED));
        endedAt.putIfAbsent(id, time.nanos());
    }

    /** Volumes and interfaces are there for so long after their instance has ended. */
    void lingerFor(Duration duration) {
        lingers = duration;
    }

    FakeTemplates templates() {
        return templates;
    }

    ImmutableList<CloudApi.GroupFacts> groups() {
        return ImmutableList.copyOf(groups.values());
    }

    /** Instances whose volume and interface are still there. */
    private ImmutableList<InstanceFacts> attached() {
        return instances.values().stream()
                .filter(instance ->
                        time.nanos() - endedAt.getOrDefault(instance.id(), Long.MAX_VALUE / 2) < lingers.toNanos())
                .collect(ImmutableList.toImmutableList());
    }

    /** What the account still pays for, or trips over. */
    ImmutableList<String> leftovers() {
        ImmutableList.Builder<String> left = ImmutableList.builder();
        live().forEach(instance -> left.add(instance.id()));
        attached().forEach(instance -> left.add("volume of " + instance.id(), "interface of " + instance.id()));
        groups.keySet().forEach(left::add);
        templates.names().forEach(left::add);
        return left.build();
    }

    void tag(String id, ImmutableMap<String, String> tags) {
        instances.computeIfPresent(id, (key, old) -> tagged(old, tags));
    }

    private static InstanceFacts tagged(InstanceFacts old, ImmutableMap<String, String> tags) {
        return new InstanceFacts(
                old.id(),
                old.state(),
                old.type(),
                old.zone(),
                old.market(),
                old.privateIp(),
                old.publicIp(),
                old.clientToken(),
                old.launchIndex(),
                old.launchTime(),
                old.templateId(),
                old.stateReason(),
                tags);
    }

    /** An instance that nobody recorded. */
    void plant(InstanceFacts instance) {
        instances.put(instance.id(), instance);
        launchedAt.put(instance.id(), 0L);
    }

    private static InstanceFacts in(InstanceFacts old, InstanceState state) {
        return new InstanceFacts(
                old.id(),
                state,
                old.type(),
                old.zone(),
                old.market(),
                state.ended() ? Optional.empty() : old.privateIp(),
                old.publicIp(),
                old.clientToken(),
                old.launchIndex(),
                old.launchTime(),
                old.templateId(),
                old.stateReason(),
                old.tags());
    }

    CloudApi open(FakeProcess process) {
        return new View(process);
    }

    InstanceFacts facts(String id) {
        @Nullable InstanceFacts instance = instances.get(id);
        if (instance == null) {
            throw new AssertionError("there is no instance " + id);
        }
        return instance;
    }

    private static boolean matches(CloudApi.ResourceQuery query, ImmutableMap<String, String> tags) {
        return tags.entrySet().containsAll(query.tags().entrySet())
                && tags.keySet().containsAll(query.tagKeys());
    }

    /** Has a subnet in each of these zones: {@code a} is us-east-1a. */
    void zones(String... letters) {
        zones = ImmutableList.copyOf(letters);
    }

    private final class View implements CloudApi {

        private final FakeProcess process;

        View(FakeProcess process) {
            this.process = process;
        }

        private <T> CompletionStage<Outcome<T, CloudError>> request(
                String name, java.util.function.Supplier<Outcome<T, CloudError>> effect) {
            return faults.call(process, "cloud " + name, effect, new CloudError.NoAnswer(name + ": no answer"));
        }

        @Override
        public CompletionStage<Outcome<ImmutableList<InstanceFacts>, CloudError>> launch(LaunchRequest request) {
            return request("launch", () -> {
                launches.add(request);
                Optional<CloudError> refusal = refusals.apply(request);
                if (refusal.isPresent()) {
                    return Outcome.failed(refusal.get());
                }
                if (!templates.has(request.templateId(), request.templateVersion())) {
                    return Outcome.failed(new CloudError.NotFound(
                            request.templateId() + " has no version " + request.templateVersion()));
                }
                ImmutableList.Builder<InstanceFacts> came = ImmutableList.builder();
                for (int i = 0; i < Math.min(request.count(), mostPerCall); i++) {
                    String id = String.format(Locale.ROOT, "i-%04d", ++counter);
                    InstanceFacts instance = new InstanceFacts(
                            id,
                            InstanceState.RUNNING,
                            request.instanceType(),
                            "us-east-1" + request.subnetId().orElse("a").replace("subnet-", ""),
                            request.market(),
                            Optional.of("10.0." + counter / 250 + "." + (counter % 250 + 1)),
                            Optional.empty(),
                            request.clientToken(),
                            i,
                            time.instant(),
                            Optional.of(request.templateId()),
                            "",
                            request.tags());
                    instances.put(id, instance);
                    launchedAt.put(id, time.nanos());
                    came.add(instance);
                }
                return Outcome.ok(came.build());
            });
        }

        @Override
        public CompletionStage<Outcome<InstancePage, CloudError>> describe(InstanceQuery query) {
            return request("describe", () -> {
                if (query.ids().isEmpty() && refusedLists.isPresent()) {
                    return Outcome.failed(refusedLists.get());
                }
                ImmutableList.Builder<InstanceFacts> found = ImmutableList.builder();
                for (InstanceFacts instance : instances.values()) {
                    boolean shown = time.nanos() - launchedAt(instance.id()) >= shownAfter.toNanos();
                    boolean asked = query.ids().isEmpty() || query.ids().contains(instance.id());
                    if (shown
                            && asked
                            && instance.tags()
                                    .entrySet()
                                    .containsAll(query.tags().entrySet())) {
                        found.add(instance);
                    }
                }
                ImmutableList<InstanceFacts> all = found.build();
                if (all.size() < query.ids().size()) {
                    return Outcome.failed(new CloudError.NotFound(query.ids().toString()));
                }
                return Outcome.ok(new InstancePage(all, ""));
            });
        }

        @Override
        public CompletionStage<Outcome<ImmutableMap<String, InstanceState>, CloudError>> terminate(
                ImmutableList<String> ids) {
            return request("terminate", () -> {
                for (String id : ids) {
                    if (!instances.containsKey(id)) {
                        return Outcome.failed(new CloudError.NotFound(id));
                    }
                }
                ImmutableMap.Builder<String, InstanceState> states = ImmutableMap.builder();
                for (String id : ids) {
                    end(id);
                    states.put(id, InstanceState.SHUTTING_DOWN);
                }
                return Outcome.ok(states.buildOrThrow());
            });
        }

        @Override
        public CompletionStage<Outcome<TemplateVersion, CloudError>> createTemplate(TemplateContent content) {
            return request("createTemplate", () -> templates.create(content));
        }

        @Override
        public CompletionStage<Outcome<TemplateVersion, CloudError>> createTemplateVersion(TemplateContent content) {
            return request("createTemplateVersion", () -> templates.addVersion(content));
        }

        @Override
        public CompletionStage<Outcome<TemplatePage, CloudError>> describeTemplates(
                ImmutableMap<String, String> tags, String pageToken) {
            return request("describeTemplates", () -> Outcome.ok(new TemplatePage(templates.with(tags), "")));
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> deleteTemplate(String templateId) {
            return request("deleteTemplate", () -> templates.delete(templateId));
        }

        @Override
        public CompletionStage<Outcome<OfferingPage, CloudError>> offerings(String pageToken) {
            return request(
                    "offerings",
                    () -> Outcome.ok(new OfferingPage(
                            ImmutableList.of(
                                    Offerings.of("t3.nano", 2, 512, 0.0052),
                                    Offerings.of("t3.small", 2, 2048, 0.0208),
                                    Offerings.of("m5.large", 2, 8192, 0.096),
                                    Offerings.of("m5.xlarge", 4, 16384, 0.192)),
                            "")));
        }

        @Override
        public CompletionStage<Outcome<CloudApi.ZonePage, CloudError>> zones(String pageToken) {
            return request("zones", () -> Outcome.ok(new CloudApi.ZonePage(ImmutableList.of(), "")));
        }

        @Override
        public CompletionStage<Outcome<CloudApi.SpotPricePage, CloudError>> spotPrices(Instant at, String pageToken) {
            return request("spotPrices", () -> Outcome.ok(new CloudApi.SpotPricePage(ImmutableList.of(), "")));
        }

        @Override
        public CompletionStage<Outcome<CloudApi.ListPricePage, CloudError>> listPrices(
                String region, String pageToken) {
            return request("listPrices", () -> Outcome.ok(new CloudApi.ListPricePage(ImmutableList.of(), "")));
        }

        @Override
        public CompletionStage<Outcome<ImmutableList<ImageFacts>, CloudError>> images(
                ImmutableMap<String, String> selector) {
            return request(
                    "images",
                    () -> Outcome.ok(ImmutableList.of(
                            new ImageFacts("ami-1", "kip", "x86_64", Instant.EPOCH, Optional.of("/dev/xvda"), 2))));
        }

        @Override
        public CompletionStage<Outcome<ImmutableList<SubnetFacts>, CloudError>> subnets(
                Optional<String> vpcId, Optional<String> subnetId) {
            return request(
                    "subnets",
                    () -> Outcome.ok(zones.stream()
                            .map(zone -> new SubnetFacts(
                                    "subnet-" + zone, "vpc-1", "10.0.0.0/16", "us-east-1" + zone, 4000, false))
                            .collect(ImmutableList.toImmutableList())));
        }

        @Override
        public CompletionStage<Outcome<ImmutableList<String>, CloudError>> securityGroups(String vpcId, String name) {
            return request(
                    "securityGroups",
                    () -> Outcome.ok(groups.values().stream()
                            .filter(group -> group.name().equals(name))
                            .map(GroupFacts::id)
                            .collect(ImmutableList.toImmutableList())));
        }

        @Override
        public CompletionStage<Outcome<String, CloudError>> createSecurityGroup(
                String vpcId, String name, String description, ImmutableMap<String, String> tags) {
            return request("createSecurityGroup", () -> {
                if (groups.values().stream().anyMatch(group -> group.name().equals(name))) {
                    return Outcome.failed(new CloudError.AlreadyExists(name));
                }
                String id = "sg-" + ++counter;
                groups.put(id, new GroupFacts(id, name, vpcId, tags));
                return Outcome.ok(id);
            });
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> allowIngress(String groupId, ImmutableList<String> cidrs) {
            return request("allowIngress", () -> Outcome.ok(true));
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> deleteSecurityGroup(String groupId) {
            return request("deleteSecurityGroup", () -> {
                if (!groups.containsKey(groupId)) {
                    return Outcome.failed(new CloudError.NotFound(groupId));
                }
                if (!attached().isEmpty()) {
                    return Outcome.failed(new CloudError.Refused("DependencyViolation", groupId + " is in use"));
                }
                groups.remove(groupId);
                return Outcome.ok(true);
            });
        }

        @Override
        public CompletionStage<Outcome<AccountFacts, CloudError>> account() {
            return request(
                    "account",
                    () -> Outcome.ok(new AccountFacts("123456789012", "arn:aws:iam::123456789012:user/kip")));
        }

        @Override
        public CompletionStage<Outcome<Permission, CloudError>> permitted(Probe probe) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<TemplateVersionPage, CloudError>> templateVersions(
                String templateId, String pageToken) {
            return request("templateVersions", () -> templates.versions(templateId));
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> setDefaultTemplateVersion(
                String templateId, String version) {
            return request("setDefaultTemplateVersion", () -> templates.setDefault(templateId, version));
        }

        @Override
        public CompletionStage<Outcome<ImmutableList<String>, CloudError>> deleteTemplateVersions(
                String templateId, ImmutableList<String> versions) {
            return request("deleteTemplateVersions", () -> templates.deleteVersions(templateId, versions));
        }

        @Override
        public CompletionStage<Outcome<GroupPage, CloudError>> securityGroups(ResourceQuery query) {
            return request(
                    "securityGroups by tag",
                    () -> Outcome.ok(new GroupPage(
                            groups.values().stream()
                                    .filter(group -> matches(query, group.tags()))
                                    .collect(ImmutableList.toImmutableList()),
                            "")));
        }

        @Override
        public CompletionStage<Outcome<VolumePage, CloudError>> volumes(ResourceQuery query) {
            return request(
                    "volumes",
                    () -> Outcome.ok(new VolumePage(
                            attached().stream()
                                    .filter(instance -> matches(query, instance.tags()))
                                    .map(instance -> new VolumeFacts(
                                            "vol-" + instance.id(),
                                            "in-use",
                                            instance.zone(),
                                            5,
                                            "gp3",
                                            instance.launchTime(),
                                            Optional.of(instance.id()),
                                            instance.tags()))
                                    .collect(ImmutableList.toImmutableList()),
                            "")));
        }

        @Override
        public CompletionStage<Outcome<InterfacePage, CloudError>> networkInterfaces(ResourceQuery query) {
            return request(
                    "networkInterfaces",
                    () -> Outcome.ok(new InterfacePage(
                            attached().stream()
                                    .filter(instance -> matches(query, instance.tags()))
                                    .map(instance -> new InterfaceFacts(
                                            "eni-" + instance.id(),
                                            "in-use",
                                            instance.zone(),
                                            instance.privateIp(),
                                            Optional.of(instance.id()),
                                            ImmutableList.copyOf(groups.keySet()),
                                            instance.tags()))
                                    .collect(ImmutableList.toImmutableList()),
                            "")));
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> createTags(
                ImmutableList<String> ids, ImmutableMap<String, String> tags) {
            return request("createTags", () -> {
                for (String id : ids) {
                    if (!instances.containsKey(id)) {
                        return Outcome.failed(new CloudError.NotFound(id));
                    }
                }
                for (String id : ids) {
                    Map<String, String> all = new LinkedHashMap<>(facts(id).tags());
                    all.putAll(tags);
                    tag(id, ImmutableMap.copyOf(all));
                }
                return Outcome.ok(true);
            });
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> deleteTags(
                ImmutableList<String> ids, ImmutableList<String> keys) {
            return request("deleteTags", () -> {
                for (String id : ids) {
                    Map<String, String> all = new LinkedHashMap<>(facts(id).tags());
                    all.keySet().removeAll(keys);
                    tag(id, ImmutableMap.copyOf(all));
                }
                return Outcome.ok(true);
            });
        }
    }
}
