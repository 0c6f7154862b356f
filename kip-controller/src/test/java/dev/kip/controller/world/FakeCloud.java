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
    private final Map<String, InstanceFacts> instances = new LinkedHashMap<>();
    private final Map<String, Long> launchedAt = new LinkedHashMap<>();
    private final Map<String, Integer> templates = new LinkedHashMap<>();
    private final List<LaunchRequest> launches = new ArrayList<>();
    private final List<String> groups = new ArrayList<>();
    private Duration shownAfter = Duration.ofSeconds(2);
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
                ImmutableList.Builder<InstanceFacts> came = ImmutableList.builder();
                for (int i = 0; i < Math.min(request.count(), mostPerCall); i++) {
                    String id = String.format(Locale.ROOT, "i-%04d", ++counter);
                    InstanceFacts instance = new InstanceFacts(
                            id,
                            InstanceState.RUNNING,
                            request.instanceType(),
                            "us-east-1a",
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
            return request("createTemplate", () -> {
                if (templates.containsKey(content.name())) {
                    return Outcome.failed(new CloudError.AlreadyExists(content.name()));
                }
                templates.put(content.name(), 1);
                return Outcome.ok(new TemplateVersion("lt-" + content.name(), content.name(), "1"));
            });
        }

        @Override
        public CompletionStage<Outcome<TemplateVersion, CloudError>> createTemplateVersion(TemplateContent content) {
            return request("createTemplateVersion", () -> {
                int version = templates.merge(content.name(), 1, Integer::sum);
                return Outcome.ok(
                        new TemplateVersion("lt-" + content.name(), content.name(), Integer.toString(version)));
            });
        }

        @Override
        public CompletionStage<Outcome<TemplatePage, CloudError>> describeTemplates(
                ImmutableMap<String, String> tags, String pageToken) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> deleteTemplate(String templateId) {
            throw new UnsupportedOperationException();
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
                    () -> Outcome.ok(ImmutableList.of(
                            new SubnetFacts("subnet-a", "vpc-1", "10.0.0.0/16", "us-east-1a", 4000, false))));
        }

        @Override
        public CompletionStage<Outcome<ImmutableList<String>, CloudError>> securityGroups(String vpcId, String name) {
            return request(
                    "securityGroups",
                    () -> Outcome.ok(groups.contains(name) ? ImmutableList.of("sg-1") : ImmutableList.of()));
        }

        @Override
        public CompletionStage<Outcome<String, CloudError>> createSecurityGroup(
                String vpcId, String name, String description, ImmutableMap<String, String> tags) {
            return request("createSecurityGroup", () -> {
                if (groups.contains(name)) {
                    return Outcome.failed(new CloudError.AlreadyExists(name));
                }
                groups.add(name);
                return Outcome.ok("sg-1");
            });
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> allowIngress(String groupId, ImmutableList<String> cidrs) {
            return request("allowIngress", () -> Outcome.ok(true));
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> deleteSecurityGroup(String groupId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<AccountFacts, CloudError>> account() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<Permission, CloudError>> permitted(Probe probe) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<TemplateVersionPage, CloudError>> templateVersions(
                String templateId, String pageToken) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> setDefaultTemplateVersion(
                String templateId, String version) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<ImmutableList<String>, CloudError>> deleteTemplateVersions(
                String templateId, ImmutableList<String> versions) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<GroupPage, CloudError>> securityGroups(ResourceQuery query) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<VolumePage, CloudError>> volumes(ResourceQuery query) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<InterfacePage, CloudError>> networkInterfaces(ResourceQuery query) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> createTags(
                ImmutableList<String> ids, ImmutableMap<String, String> tags) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Outcome<Boolean, CloudError>> deleteTags(
                ImmutableList<String> ids, ImmutableList<String> keys) {
            throw new UnsupportedOperationException();
        }
    }
}
