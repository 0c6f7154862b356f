package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.hash.Hashing;
import com.google.common.io.BaseEncoding;
import dev.kip.cell.CellApi;
import dev.kip.cloud.CallKind;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.Intent;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.cost.CostLedger;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.effects.KubeEffects;
import dev.kip.controller.limits.Limits;
import dev.kip.controller.ownership.Mandate;
import dev.kip.controller.ownership.Standing;
import dev.kip.controller.store.PodFacts;
import dev.kip.crd.LaunchBatch;
import dev.kip.crd.LaunchBatchSpec;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import dev.kip.crd.ObjectMetadata;
import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns pods that want a cell into launch calls, and the calls' instances into assignments. Each call is a {@link Batch};
 * here the batches meet the pods. Confined to the loop.
 */
public final class LaunchDesk {

    private static final Logger LOG = LoggerFactory.getLogger(LaunchDesk.class);
    private static final int NONCE_BYTES = 16;
    private static final Problem DRAINING =
            new Problem("Draining", "the virtual node is being taken down: nothing is launched any more");
    private static final Problem SPARE = new Problem(
            "InstanceFound",
            "an instance of this kind that nobody has is there already: the pod gets it as soon as it has told that it holds"
                    + " nothing");
    private static final Duration SPARE_PAUSE = Duration.ofSeconds(3);
    private static final Duration NOTHING_FITS = Duration.ofMinutes(5);
    private static final Duration TAKEN_BACK_PAUSE = Duration.ofMinutes(10);
    private static final Duration QUOTA_PAUSE = Duration.ofMinutes(5);
    private static final Duration BUDGET_PAUSE = Duration.ofSeconds(30);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

    /** By then whatever pods wait for has its template. */
    private static final Duration TEMPLATES_NEEDED = Duration.ofMinutes(10);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(2);

    private final Loop loop;
    private final Calls calls;
    private final Entropy entropy;
    private final ControllerSettings settings;
    private final ControllerListener listener;
    private final Standing standing;
    private final Supplier<Mandate> cloudMandate;
    private final Supplier<Mandate> kubeMandate;
    private final KubeEffects kube;
    private final CloudEffects cloud;
    private final PodCells cells;
    private final Assignments assignments;
    private final Spares spares;

    private final LaunchPlan plan;
    private final Templates contents;
    private final TemplateDesk templates;
    private final LaunchWindows windows;
    private final WarmPools pools;
    private final Avoided avoided = new Avoided();
    private final ZoneLedger zones = new ZoneLedger();
    private final CostLedger costs;
    private final Map<String, Batch> batches = new LinkedHashMap<>();

    /** Those of {@link #batches} that are for warm pools: asked for each pod that comes. */
    private final Map<String, Batch> warm = new LinkedHashMap<>();

    /** By batch: room for its call. */
    private final Map<String, Limits.Permit> permits = new LinkedHashMap<>();

    private final Map<String, Intent.AskForInstance> early = new LinkedHashMap<>();
    private Optional<Catalogue> catalogue = Optional.empty();
    private Optional<Loop.Timer> closing = Optional.empty();
    private int failuresInARow;
    private boolean held;

    public LaunchDesk(
            Loop loop,
            Calls calls,
            Entropy entropy,
            ControllerSettings settings,
            ControllerListener listener,
            Standing standing,
            Supplier<Mandate> cloudMandate,
            Supplier<Mandate> kubeMandate,
            KubeEffects kube,
            CloudEffects cloud,
            PodCells cells,
            Terminations terminations,
            CellApi agents,
            Spares spares) {
        this.loop = loop;
        this.calls = calls;
        this.entropy = entropy;
        this.settings = settings;
        this.listener = listener;
        this.standing = standing;
        this.cloudMandate = cloudMandate;
        this.kubeMandate = kubeMandate;
        this.kube = kube;
        this.cloud = cloud;
        this.cells = cells;
        this.assignments = new Assignments(
                loop, calls, cells, terminations, settings.timing().cloudConsistency(), this::step);
        this.spares = spares;
        this.costs = new CostLedger(settings.budget(), listener);
        this.plan = new LaunchPlan(settings.launch());
        this.windows = new LaunchWindows(settings.timing());
        this.contents = new Templates(
                settings.launch(),
                settings.cells(),
                standing.keys(),
                standing.installationId(),
                settings.node().name(),
                standing.epoch());
        this.templates = new TemplateDesk(loop, cloud, contents, standing.epoch(), cloudMandate);
        this.pools = new WarmPools(
                loop, calls, settings.cells(), settings.timing().bootDeadline(), cells, agents, new PoolDesk());
    }

    /** A pod wants an instance. */
    public void ask(Intent.AskForInstance intent) {
        if (held) {
            cells.learn(intent.pod().uid(), new CellFact.NotLaunched(DRAINING, NOTHING_FITS));
            return;
        }
        if (catalogue.isEmpty()) {
            early.put(intent.pod().uid(), intent);
            return;
        }
        long now = loop.nanos();
        String uid = intent.pod().uid();
        String namespace = intent.pod().ref().namespace();
        PodNeeds needs = intent.pod().needs();
        zones.remove(uid);
        LaunchPlan.Choice choice = plan.choose(
                needs,
                catalogue.get(),
                avoided,
                now,
                (domains, wishes) -> zones.allowed(namespace, needs.spread(), domains, wishes));
        if (choice instanceof LaunchPlan.Choice.Launch launch) {
            String zone = zoneOf(launch.key());
            Optional<Problem> tooMuch = costs.reserve(
                    uid,
                    intent.pod().ref(),
                    new CostLedger.Offer(
                            launch.key().instanceType(), launch.key().market(), zone));
            if (tooMuch.isPresent()) {
                cells.learn(uid, new CellFact.NotLaunched(tooMuch.get(), BUDGET_PAUSE));
                return;
            }
            zones.place(uid, namespace, needs.spread().labels(), zone);
            PlannedPod pod = new PlannedPod(
                    intent.pod().ref().namespace(), intent.pod().ref().name(), uid, intent.attempt());
            if (spares.any() || pools.any()) {
                joinUnlessServed(launch.key(), pod);
            } else {
                join(launch.key(), pod);
            }
        } else if (choice instanceof LaunchPlan.Choice.NoRoom noRoom) {
            Duration pause = avoided.shortestPause(now);
            cells.learn(uid, new CellFact.NotLaunched(noRoom.problem(), pause.isZero() ? FIRST_PAUSE : pause));
        } else if (choice instanceof LaunchPlan.Choice.NothingFits nothing) {
            cells.learn(uid, new CellFact.NotLaunched(nothing.problem(), NOTHING_FITS));
        }
    }

    private String zoneOf(LaunchKey key) {
        return catalogue.orElseThrow().subnets().stream()
                .filter(subnet -> subnet.id().equals(key.subnetId()))
                .map(SubnetFacts::zone)
                .findFirst()
                .orElse("");
    }

    private void join(LaunchKey key, PlannedPod pod) {
        long now = loop.nanos();
        windows.add(key, pod, now);
        setClosing(now);
    }

    /** A pod that may have an instance that is there already is not launched for. */
    private void joinUnlessServed(LaunchKey key, PlannedPod pod) {
        templates.prepare(
                key,
                catalogue.orElseThrow(),
                template -> {
                    if (waits(pod) && !served(pod, key, template)) {
                        join(key, pod);
                    }
                },
                error -> join(key, pod)); // the call tells of it
    }

    private boolean served(PlannedPod pod, LaunchKey key, Templates.Ready template) {
        Spares.Fit fit = fit(pod, key, template);
        Spares.Answer answer = spares.any() ? spares.ask(pod, fit) : Spares.Answer.NONE;
        if (answer == Spares.Answer.NONE && pools.serve(pod, fit)) {
            return true;
        }
        if (answer == Spares.Answer.NOT_YET) {
            cells.learn(pod.uid(), new CellFact.NotLaunched(SPARE, SPARE_PAUSE));
        }
        return answer != Spares.Answer.NONE;
    }

    private Spares.Fit fit(PlannedPod pod, LaunchKey key, Templates.Ready template) {
        PodNeeds needs =
                cells.get(pod.uid()).flatMap(CellFacts::pod).orElseThrow().needs();
        return new Spares.Fit(
                key.instanceType(),
                key.market(),
                needs.spread().constraints().isEmpty()
                        ? plan.zones(needs, catalogue.orElseThrow(), key)
                        : ImmutableSet.of(zoneOf(key)),
                key.publicIp(),
                template.templateId());
    }

    /** What can be launched is known (anew). */
    public void surveyed(Catalogue found) {
        if (catalogue.isEmpty()) {
            calls.after(TEMPLATES_NEEDED, "sweep templates", () -> templates.sweep(contents.tags()));
        }
        catalogue = Optional.of(found);
        costs.priced(found);
        List<Intent.AskForInstance> waiting = ImmutableList.copyOf(early.values());
        early.clear();
        waiting.forEach(this::ask);
        pools.start();
    }

    /** What can be launched is not known, and why. Pods that wait for it are told, and go on waiting. */
    public void notSurveyed(Problem problem) {
        if (catalogue.isEmpty()) {
            List<Intent.AskForInstance> waiting = ImmutableList.copyOf(early.values());
            early.clear();
            waiting.forEach(intent -> cells.learn(intent.pod().uid(), new CellFact.NotLaunched(problem, FIRST_PAUSE)));
        }
    }

    /** The journal tells of a call that an earlier incarnation made, or meant to make. */
    public void found(LaunchBatch record) {
        LaunchBatchSpec spec = record.spec();
        String name = record.metadata().name();
        boolean ours = spec.node().equals(settings.node().name())
                && spec.installationID().equals(standing.installationId())
                && spec.epoch() < standing.epoch();
        if (!ours || batches.containsKey(name)) {
            return;
        }
        LOG.info("LaunchBatch {} of epoch {} is open: looking for its instances", name, spec.epoch());
        Batch batch = Batch.found(record, settings.timing(), loop.nanos());
        add(batch);
        if (batch.warmPool().isEmpty()) {
            for (PlannedPod pod : spec.pods()) {
                cells.learn(pod.uid(), new CellFact.JoinedBatch(name, pod.attempt()));
            }
        }
        step(batch);
    }

    /** The cloud takes instances of this pool back: no more of it for a while. */
    public void avoidPool(InstanceFacts taken) {
        catalogue.stream()
                .flatMap(known -> known.subnets().stream())
                .filter(subnet -> subnet.zone().equals(taken.zone()))
                .forEach(subnet ->
                        avoided.avoid(taken.type(), subnet.id(), taken.market(), loop.nanos(), TAKEN_BACK_PAUSE));
    }

    /** Whether the journal has a call of that name. */
    public boolean isOpen(String batch) {
        return batches.containsKey(batch);
    }

    private void add(Batch batch) {
        batches.put(batch.name(), batch);
        if (batch.warmPool().isPresent()) {
            warm.put(batch.name(), batch);
        }
    }

    /** Launches nothing from now on: the node is being taken down. Calls that were made are seen to their end. */
    public void hold() {
        held = true;
        pools.hold();
    }

    /** The cloud is about to take this instance back: if it waits for a pod, it waits no longer. */
    public void goes(String instanceId) {
        pools.goes(instanceId);
    }

    /** @param found what is bound to no pod, as a whole list has just shown it */
    public void unclaimed(ImmutableList<InstanceFacts> found) {
        pools.seen(found);
    }

    /** Calls whose instances are not all settled. */
    public int open() {
        return batches.size();
    }

    /** A launch call is about to be made, or is under way. */
    public boolean busy() {
        return batches.values().stream()
                .map(Batch::stage)
                .anyMatch(stage ->
                        stage == Batch.Stage.PLANNED || stage == Batch.Stage.JOURNALED || stage == Batch.Stage.CALLED);
    }

    /** A pod that waited for an instance of a batch waits no longer. */
    public void changed(CellFacts before, CellFacts after) {
        count(after);
        costs.changed(before, after);
        Optional<String> was = before.batch();
        if (was.isEmpty() || was.equals(after.batch())) {
            return;
        }
        @Nullable Batch batch = batches.get(was.get());
        if (batch != null) {
            batch.settle(after.podUid(), after.instanceId())
                    .ifPresent(instance -> assignments.release(batch, instance));
            step(batch);
        }
    }

    /** What is known of where its cell is counts for those like it; what was chosen stays until more is known. */
    private void count(CellFacts cell) {
        if (!cell.wantsToRun()) {
            zones.remove(cell.podUid());
        } else if (cell.zone().isPresent()) {
            PodFacts pod = cell.pod().orElseThrow();
            zones.place(
                    cell.podUid(),
                    pod.ref().namespace(),
                    pod.needs().spread().labels(),
                    cell.zone().get());
        }
    }

    /** The pod does not want the instance that the batch has for it. */
    public void decline(CellFacts cell, String batch) {
        cells.learn(cell.podUid(), new CellFact.LeftOut(batch));
    }

    private void setClosing(long now) {
        long due = windows.due();
        close(due == Long.MAX_VALUE ? Optional.empty() : Optional.of(Duration.ofNanos(Math.max(0, due - now))));
    }

    private void close(Optional<Duration> in) {
        closing.ifPresent(Loop.Timer::cancel);
        closing = in.map(wait -> calls.after(wait, "close windows", this::close));
    }

    /**
     * A call is written down when the cloud would let it through, and not before: until then its pods wait for more of their
     * like, and nothing is to be looked up if this process ends.
     */
    private void close() {
        long now = loop.nanos();
        for (Optional<LaunchWindows.Group> ready = windows.ready(now); ready.isPresent(); ready = windows.ready(now)) {
            LaunchWindows.Group group = ready.get();
            ImmutableList<PlannedPod> pods =
                    group.pods().stream().filter(this::waits).collect(ImmutableList.toImmutableList());
            if (!pods.isEmpty()) {
                Optional<Limits.Permit> permit = cloud.admitLaunch(CallKind.LAUNCH, pods.size());
                if (permit.isEmpty()) {
                    close(Optional.of(cloud.untilLaunch(CallKind.LAUNCH, pods.size())));
                    return;
                }
                windows.take(group);
                begin(group.key(), pods, permit.get(), now);
            } else {
                windows.take(group);
            }
        }
        setClosing(now);
    }

    private boolean waits(PlannedPod pod) {
        return cells.get(pod.uid())
                .filter(CellFacts::wantsToRun)
                .filter(cell -> cell.batch().isEmpty() && cell.instanceId().isEmpty())
                .isPresent();
    }

    private void begin(LaunchKey key, ImmutableList<PlannedPod> pods, Limits.Permit permit, long now) {
        String nonce = BaseEncoding.base32().lowerCase().omitPadding().encode(entropy.bytes(NONCE_BYTES));
        String digest = Hashing.sha256()
                .hashString(key.text() + "\n" + standing.epoch() + "\n" + pods, StandardCharsets.UTF_8)
                .toString();
        LaunchBatchSpec spec = new LaunchBatchSpec(
                standing.installationId(),
                settings.node().name(),
                standing.epoch(),
                nonce,
                digest,
                standing.keys().launchToken(nonce, digest),
                key.text(),
                pods);
        LaunchBatch record = new LaunchBatch(ObjectMetadata.named("launch-" + nonce), spec);
        Batch batch = Batch.planned(record, key, settings.timing(), now);
        add(batch);
        permits.put(batch.name(), permit);
        pods.forEach(pod -> cells.learn(pod.uid(), new CellFact.JoinedBatch(batch.name(), pod.attempt())));
        step(batch);
    }

    private void step(Batch batch) {
        Optional<BatchIntent> next = batch.next(loop.nanos());
        if (next.isPresent()) {
            batch.begun(next.get());
            carryOut(batch, next.get());
            return;
        }
        if (batch.stage() == Batch.Stage.ERASED) {
            batches.remove(batch.name());
            warm.remove(batch.name());
            return;
        }
        long due = batch.due();
        long now = loop.nanos();
        if (due != Long.MAX_VALUE && due - now > 0) {
            calls.after(Duration.ofNanos(due - now), "batch", () -> step(batch));
        }
    }

    private void carryOut(Batch batch, BatchIntent intent) {
        if (intent instanceof BatchIntent.WriteJournal write) {
            kube.writeJournal(write, batch, kubeMandate.get(), () -> step(batch));
        } else if (intent instanceof BatchIntent.PrepareTemplate prepare) {
            prepare(batch, prepare.key());
        } else if (intent instanceof BatchIntent.Launch launch) {
            launch(batch, launch);
        } else if (intent instanceof BatchIntent.LookUp) {
            lookUp(batch);
        } else if (intent instanceof BatchIntent.EraseJournal erase) {
            kube.eraseJournal(erase, batch, kubeMandate.get(), () -> step(batch));
        }
    }

    private void prepare(Batch batch, LaunchKey key) {
        templates.prepare(
                key,
                catalogue.orElseThrow(() -> new IllegalStateException("nothing is launched before the survey")),
                ready -> {
                    batch.templateReady(ready);
                    step(batch);
                },
                error -> {
                    if (error instanceof CloudError.Refused || error instanceof CloudError.Denied) {
                        nothingCame(batch, problem(error), pause());
                    } else {
                        batch.undone(loop.nanos());
                        step(batch);
                    }
                });
    }

    private void launch(Batch batch, BatchIntent.Launch intent) {
        if (held) {
            nothingCame(batch, DRAINING, NOTHING_FITS);
            return;
        }
        ImmutableList<PlannedPod> wanted = assignments.wanted(batch);
        if (wanted.isEmpty()) {
            nothingCame(batch);
            return;
        }
        LaunchKey key = intent.key();
        String nametag = settings.launch().nametag().orElse(standing.installationId());
        LaunchRequest request = new LaunchRequest(
                intent.template().templateId(),
                intent.template().version(),
                key.instanceType(),
                Optional.of(key.subnetId()),
                catalogue.orElseThrow().securityGroups(),
                key.publicIp(),
                key.market(),
                wanted.size(),
                batch.token(),
                ImmutableMap.<String, String>builder()
                        .put(Tags.NAME, "Kip Node " + nametag)
                        .put(Tags.INSTALLATION, standing.installationId())
                        .put(Tags.NAMETAG, nametag)
                        .put(Tags.NODE, settings.node().name())
                        .put(Tags.EPOCH, Long.toString(standing.epoch()))
                        .put(Tags.BATCH, batch.name())
                        .put(Tags.MAC, standing.macOf(settings.node().name(), batch.token()))
                        .buildOrThrow());
        Limits.@Nullable Permit permit = permits.remove(batch.name());
        if (permit == null) {
            throw new IllegalStateException(batch.name() + " has no room to be launched in");
        }
        cloud.launch(
                request,
                permit,
                cloudMandate.get(),
                () -> nothingCame(batch),
                instances -> launched(batch, instances, wanted.size()),
                error -> notLaunched(batch, key, error));
    }

    private void launched(Batch batch, ImmutableList<InstanceFacts> instances, int asked) {
        listener.launched(asked, instances.size());
        failuresInARow = 0;
        batch.answered();
        assignments.assign(batch, instances);
        assignments.leaveRestOut(batch);
        kept(batch, true);
        step(batch);
    }

    /** @param ours whether the call was answered to this incarnation: then they can hold nothing */
    private void kept(Batch batch, boolean ours) {
        if (batch.warmPool().isPresent()) {
            pools.came(batch, ours);
        }
    }

    private void notLaunched(Batch batch, LaunchKey key, CloudError error) {
        LOG.warn("launch {} of {}: {}", batch.name(), key.text(), error.message());
        if (error.effectUnknown() || error instanceof CloudError.TokenMismatch) {
            batch.outcomeUnknown(loop.nanos());
            step(batch);
        } else if (error instanceof CloudError.InsufficientCapacity) {
            avoided.avoid(key, loop.nanos(), settings.timing().capacityPause());
            nothingCame(batch); // the next offering is chosen at once
        } else if (error instanceof CloudError.SubnetFull) {
            avoided.avoidSubnet(key, loop.nanos(), settings.timing().capacityPause());
            nothingCame(batch); // another subnet is chosen at once, be it in another zone
        } else if (error instanceof CloudError.VcpuQuotaReached) {
            avoided.avoidQuota(key, loop.nanos(), QUOTA_PAUSE);
            nothingCame(batch); // families of another class have a quota of their own
        } else if (error instanceof CloudError.NotFound) {
            templates.forget();
            nothingCame(batch, problem(error), FIRST_PAUSE);
        } else if (error instanceof CloudError.Throttled throttled) {
            // when they may be launched is known to the limits by now
            nothingCame(
                    batch,
                    problem(error),
                    throttled.retryAfter().compareTo(FIRST_PAUSE) > 0 ? throttled.retryAfter() : FIRST_PAUSE);
        } else {
            nothingCame(batch, problem(error), pause());
        }
    }

    private static Problem problem(CloudError error) {
        return new Problem("LaunchFailed" + error.getClass().getSimpleName(), error.message());
    }

    private Duration pause() {
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failuresInARow, 10));
        failuresInARow++;
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    /** Nothing was started: the pods are wanted again at once. */
    private void nothingCame(Batch batch) {
        noCall(batch);
        batch.nothingLaunched();
        assignments.leaveRestOut(batch);
        step(batch);
    }

    /** Nothing was started: the pods are told why and wait. */
    private void nothingCame(Batch batch, Problem problem, Duration pause) {
        noCall(batch);
        batch.nothingLaunched();
        for (PlannedPod pod : batch.waiting()) {
            batch.leaveOut(pod.uid());
            cells.learn(pod.uid(), new CellFact.NotLaunched(problem, pause));
        }
        step(batch);
    }

    private void noCall(Batch batch) {
        Limits.@Nullable Permit permit = permits.remove(batch.name());
        if (permit != null) {
            permit.giveBack();
        }
    }

    private void lookUp(Batch batch) {
        long begun = loop.nanos();
        cloud.describeAll(
                ImmutableMap.of(Tags.BATCH, batch.name()),
                all -> {
                    ImmutableList<InstanceFacts> came = all.stream()
                            .filter(instance -> instance.clientToken().equals(batch.token()))
                            .collect(ImmutableList.toImmutableList());
                    boolean complete = batch.looked(came.size(), begun, loop.nanos());
                    assignments.assign(batch, came);
                    kept(batch, batch.key().isPresent());
                    if (complete) {
                        LOG.info("LaunchBatch {}: {} instances came of it", batch.name(), came.size());
                        assignments.leaveRestOut(batch);
                    }
                    step(batch);
                },
                error -> {
                    LOG.warn("look up {}: {}", batch.name(), error.message());
                    batch.undone(loop.nanos());
                    step(batch);
                });
    }

    /** What warm pools need. */
    private final class PoolDesk implements WarmPools.Desk {

        @Override
        public ImmutableList<Batch> warm() {
            return ImmutableList.copyOf(warm.values());
        }

        @Override
        public Optional<LaunchPlan.Choice> choose(PodNeeds needs) {
            return catalogue.map(
                    known -> plan.choose(needs, known, avoided, loop.nanos(), (domains, wishes) -> domains));
        }

        @Override
        public void launch(LaunchKey key, WarmPool pool, int count) {
            Optional<Limits.Permit> permit = cloud.admitLaunch(CallKind.LAUNCH, count);
            String call = BaseEncoding.base32().lowerCase().omitPadding().encode(entropy.bytes(NONCE_BYTES));
            permit.ifPresent(room -> begin(
                    key,
                    IntStream.range(0, count)
                            .mapToObj(place -> new PlannedPod("", pool.name(), call + "-" + place, 0))
                            .collect(ImmutableList.toImmutableList()),
                    room,
                    loop.nanos()));
        }

        @Override
        public void template(LaunchKey key, Consumer<String> templateId) {
            templates.prepare(
                    key,
                    catalogue.orElseThrow(),
                    ready -> templateId.accept(ready.templateId()),
                    error -> LOG.warn("template for a warm pool: {}", error.message()));
        }

        @Override
        public void end(Batch batch, String instanceId) {
            batch.unwanted(instanceId);
            assignments.release(batch, instanceId);
        }

        @Override
        public void step(Batch batch) {
            LaunchDesk.this.step(batch);
        }

        @Override
        public void give(Batch batch, InstanceFacts instance, PlannedPod pod) {
            batch.give(instance.id(), pod.uid());
            cells.learn(pod.uid(), new CellFact.JoinedBatch(batch.name(), pod.attempt()));
            cells.learn(pod.uid(), new CellFact.Assigned(batch.name(), instance));
        }
    }
}
