package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.Binding;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.Intent;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.launch.Spares;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.store.PodFacts;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import dev.kip.crd.LaunchBatchSpec.PlannedPod;
import dev.kip.crd.ObjectMetadata;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over what runs. A Cell is believed once its instance proves it; an instance of ours that is in no Cell is asked
 * what it holds, and a pod that it runs is bound to it anew. Until that is settled nothing is launched for a pod that has
 * no Cell. Confined to the loop.
 */
public final class Adoption implements Spares {

    private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);
    private static final int AT_ONCE = 500;
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);
    private static final Duration REMOVE_AGAIN = Duration.ofSeconds(10);
    private static final Problem LOST =
            new Problem("CellLost", "it ran, but neither a Cell nor any instance of this node holds it");

    private final Loop loop;
    private final Calls calls;
    private final CloudEffects cloud;
    private final PodCells cells;
    private final Standing standing;
    private final Surroundings around;
    private final Hands hands;
    private final Questions questions;
    private final long settledFrom;

    /** Believed once the cloud has been seen. */
    private final Map<String, Cell> unproven = new LinkedHashMap<>();

    /** Their instance is being looked up. */
    private final Set<Cell> proving = new LinkedHashSet<>();

    private final Suspects suspects;
    private final IdleInstances idle;

    /** Their Cell may have been written for an instance that has not told yet what it holds. */
    private ImmutableSet<String> expecting = ImmutableSet.of();

    /** To be removed, as they were when that was decided. */
    private final Map<String, Cell> condemned = new LinkedHashMap<>();

    private final Map<String, Waiting> waiting = new LinkedHashMap<>();
    private Stage stage = Stage.READING;
    private int lookups;
    private boolean looking;
    private boolean lookOnceMore;

    /** @param since when it was first held back */
    private record Waiting(Intent.AskForInstance intent, long since) {}

    private enum Stage {
        /** Kubernetes' lists are not whole yet. */
        READING,
        /** The cloud has not been seen yet. */
        LOOKING,
        /** The Cells are compared with what it shows. */
        WEIGHING,
        /** It is open whether instances hold pods that have no Cell. */
        ASKING,
        SETTLED
    }

    /**
     * What does not change.
     *
     * @param reconciles cluster and cloud may know of different pasts: every instance must have answered
     * @param window that the cloud needs to show what it has started
     * @param bootDeadline for agents that do not answer
     * @param openBatch whether the journal has a call of that name
     * @param warmBatch whether it is one for a warm pool, whose instances may have been given to pods long ago
     * @param ending whether this incarnation has asked for the instance's end
     */
    public record Surroundings(
            String node,
            boolean reconciles,
            Duration window,
            Duration lookEvery,
            Duration bootDeadline,
            Predicate<String> openBatch,
            Predicate<String> warmBatch,
            Predicate<String> ending) {}

    /** Carries out what is decided here. */
    public interface Hands {

        /** The Cells are known: from now on things may be decided. {@code all} is the cloud's whole list. */
        void open(ImmutableList<InstanceFacts> all);

        /** Nothing is held back any more. */
        void settled();

        void launch(Intent.AskForInstance intent);

        void removeCell(Cell cell);

        void fail(PodFacts pod, Problem problem);

        /** A Cell is not believed, and why. */
        void doubts(Cell cell, String why);

        /** Who is waited for; empty if nobody. */
        void waitsFor(ImmutableList<String> instances);
    }

    public Adoption(
            Loop loop,
            Calls calls,
            CloudEffects cloud,
            PodCells cells,
            Standing standing,
            Surroundings around,
            Questions questions,
            Hands hands) {
        this.loop = loop;
        this.calls = calls;
        this.cloud = cloud;
        this.suspects = new Suspects(cloud);
        this.cells = cells;
        this.idle = new IdleInstances(
                loop,
                cells,
                this::ours,
                instance -> around.ending().test(instance.id()) || inOpenBatch(instance),
                around.bootDeadline());
        this.standing = standing;
        this.around = around;
        this.questions = questions;
        this.hands = hands;
        this.settledFrom = around.reconciles() ? loop.nanos() + around.window().toNanos() : loop.nanos();
    }

    /** What must be settled before anything may be concluded from absence; empty if nothing. */
    public Optional<String> reconciling() {
        return around.reconciles() && stage != Stage.SETTLED
                ? Optional.of("cluster and cloud are being reconciled")
                : Optional.empty();
    }

    /** The API server has this Cell of our node. */
    public void cellSeen(Cell cell) {
        if (stage == Stage.READING || stage == Stage.LOOKING || stage == Stage.WEIGHING) {
            unproven.put(cell.metadata().name(), cell);
            return;
        }
        Optional<CellFacts> known = cells.get(cell.status().podUID());
        Optional<Binding> binding = known.flatMap(CellFacts::binding);
        if (binding.isPresent()) {
            compare(cell, binding.get());
        } else if (known.filter(facts -> facts.assigned(cell.status().instanceID()))
                .isPresent()) {
            believe(cell);
        } else if (!suspects.has(cell) && proving.add(cell)) {
            prove(cell, loop.nanos());
        }
    }

    public void cellGone(Cell cell) {
        unproven.remove(cell.metadata().name());
        suspects.take(cell.metadata().name());
        condemned.remove(cell.metadata().name());
        cells.learn(
                cell.status().podUID(),
                new CellFact.CellGone(cell.metadata().name(), cell.metadata().uid()));
    }

    /** Nothing else would tell of it again: it is asked for until it is gone. */
    private void remove(Cell cell) {
        condemned.put(cell.metadata().name(), cell);
        hands.removeCell(cell);
        calls.after(REMOVE_AGAIN, "remove a Cell", () -> {
            if (cell.equals(condemned.get(cell.metadata().name()))) {
                remove(cell);
            }
        });
    }

    private void believe(Cell cell) {
        condemned.remove(cell.metadata().name());
        cells.learn(cell.status().podUID(), new CellFact.CellSeen(cell));
    }

    /** What was bound stays bound; an object that says otherwise is written anew. */
    private void compare(Cell cell, Binding bound) {
        boolean same = bound.name().equals(cell.metadata().name());
        Optional<String> edited = same ? CellProof.edited(bound.status(), cell.status()) : Optional.empty();
        edited.ifPresentOrElse(
                why -> {
                    hands.doubts(cell, why);
                    remove(cell);
                },
                () -> believe(cell));
    }

    /** Somebody has written a Cell, and it was not this incarnation. */
    private void prove(Cell cell, long since) {
        cloud.describeOne(
                cell.status().instanceID(),
                instance -> {
                    proving.remove(cell);
                    CellProof.doubt(cell, instance)
                            .ifPresentOrElse(
                                    why -> {
                                        hands.doubts(cell, why);
                                        remove(cell);
                                    },
                                    () -> believe(cell));
                },
                () -> {
                    if (loop.nanos() - since < around.window().toNanos()) {
                        calls.after(around.lookEvery(), "prove a Cell", () -> prove(cell, since));
                    } else {
                        proving.remove(cell);
                        hands.doubts(
                                cell,
                                "the cloud knows no instance " + cell.status().instanceID());
                        remove(cell);
                    }
                },
                error -> calls.after(around.lookEvery(), "prove a Cell", () -> prove(cell, since)));
    }

    /** Pods, Cells and journal are known. */
    public void begin() {
        stage = Stage.LOOKING;
        looking = true;
        look();
    }

    private void look(Duration pause) {
        if (looking) {
            lookOnceMore = true;
            return;
        }
        looking = true;
        if (pause.isZero()) {
            calls.post("look at the instances", this::look);
        } else {
            calls.after(pause, "look at the instances", this::look);
        }
    }

    private void look() {
        cloud.describeAll(ImmutableMap.of(Tags.INSTALLATION, standing.installationId()), this::took, error -> {
            LOG.warn("look at the instances: {}; nothing is decided before they are known", error.message());
            calls.after(LOOK_AGAIN, "look at the instances", this::look);
        });
    }

    private void took(ImmutableList<InstanceFacts> all) {
        if (stage == Stage.LOOKING) {
            Map<String, InstanceFacts> byId = new LinkedHashMap<>();
            all.forEach(instance -> byId.put(instance.id(), instance));
            Map<String, Integer> claims = new LinkedHashMap<>();
            unproven.values().forEach(cell -> claims.merge(cell.status().instanceID(), 1, Integer::sum));
            lookups = 1;
            stage = Stage.WEIGHING;
            weighSome(new Weighing(all, byId, claims, new ArrayDeque<>(unproven.values())));
        } else if (stage != Stage.WEIGHING) {
            ask(all);
        }
    }

    /**
     * Cells that are weighed against what the cloud has shown.
     *
     * @param claims how many of them name each instance
     * @param left those that are still to be weighed
     */
    private record Weighing(
            ImmutableList<InstanceFacts> all,
            Map<String, InstanceFacts> byId,
            Map<String, Integer> claims,
            Queue<Cell> left) {}

    /** As many as leave the loop to others before long. */
    private void weighSome(Weighing weighing) {
        for (int i = 0; i < AT_ONCE && !weighing.left().isEmpty(); i++) {
            Cell cell = weighing.left().remove();
            // One that is gone by now is not weighed, and one that was changed is late.
            if (unproven.remove(cell.metadata().name(), cell)) {
                weigh(cell, weighing);
            }
        }
        if (weighing.left().isEmpty()) {
            lookedUp(weighing.all());
        } else {
            calls.post("weigh Cells", () -> weighSome(weighing));
        }
    }

    private void weigh(Cell cell, Weighing weighing) {
        String instanceId = cell.status().instanceID();
        @Nullable InstanceFacts instance = weighing.byId().get(instanceId);
        if (weighing.claims().getOrDefault(instanceId, 0) > 1) {
            doubt(cell, "another Cell names instance " + instanceId + " too");
        } else if (instance == null) {
            lookUp(cell, weighing.all());
        } else {
            weigh(cell, instance);
        }
    }

    /** The list is of our tags, and anyone may edit a tag. */
    private void lookUp(Cell cell, ImmutableList<InstanceFacts> all) {
        lookups++;
        cloud.describeOne(
                cell.status().instanceID(),
                instance -> {
                    weigh(cell, instance);
                    lookedUp(all);
                },
                () -> {
                    suspects.baseless(cell);
                    lookedUp(all);
                },
                error -> {
                    lookups--;
                    calls.after(LOOK_AGAIN, "look up an instance", () -> lookUp(cell, all));
                });
    }

    private void weigh(Cell cell, InstanceFacts instance) {
        CellProof.doubt(cell, instance).ifPresentOrElse(why -> doubt(cell, why), () -> believe(cell));
    }

    private void doubt(Cell cell, String why) {
        suspects.doubted(cell);
        hands.doubts(cell, why);
    }

    private void lookedUp(ImmutableList<InstanceFacts> all) {
        lookups--;
        if (lookups > 0) {
            return;
        }
        // Cells that came meanwhile are proven one by one.
        ImmutableList<Cell> late = ImmutableList.copyOf(unproven.values());
        unproven.clear();
        stage = Stage.ASKING;
        hands.open(all);
        late.forEach(this::cellSeen);
        ask(all);
    }

    private void ask(ImmutableList<InstanceFacts> all) {
        suspects.search(
                all,
                found -> {
                    ImmutableList<InstanceFacts> unclaimed =
                            found.stream().filter(this::mayHold).collect(ImmutableList.toImmutableList());
                    questions.ask(unclaimed, this::heard, () -> settle(unclaimed));
                },
                error -> {
                    LOG.warn("look for the instances of doubted Cells: {}", error.message());
                    calls.after(LOOK_AGAIN, "look at the instances", this::look);
                });
    }

    private boolean mayHold(InstanceFacts instance) {
        return !instance.state().ended()
                && cells.podOf(instance.id()).isEmpty()
                && (suspects.concern(instance)
                        || ((ours(instance) || claimsToBeOurs(instance))
                                && (around.reconciles()
                                        || !inOpenBatch(instance)
                                        || around.warmBatch()
                                                .test(instance.tags().getOrDefault(Tags.BATCH, "")))));
    }

    private boolean inOpenBatch(InstanceFacts instance) {
        return around.openBatch().test(instance.tags().getOrDefault(Tags.BATCH, ""));
    }

    /**
     * Somebody has edited its tags. Its agent's answer proves by our keys whose it is, but one that gives none is not waited
     * for: anyone can make an instance that looks like this.
     */
    private boolean claimsToBeOurs(InstanceFacts instance) {
        return standing.installationId().equals(instance.tags().get(Tags.INSTALLATION)) && !standing.proves(instance);
    }

    private boolean ours(InstanceFacts instance) {
        return around.node().equals(instance.tags().get(Tags.NODE)) && standing.proves(instance);
    }

    /** What is bound to no pod, as a whole list has just shown it. */
    public void unclaimed(ImmutableList<InstanceFacts> instances) {
        idle.seen(instances);
    }

    private void heard(InstanceFacts instance, CellReport report) {
        if (report.pod().isEmpty()) {
            idle.idle(instance);
        } else {
            answered(instance, report);
        }
    }

    /**
     * The instance that an adopted Cell names holds another pod. If that pod exists and is bound to nothing, the instance is
     * its, and the Cell was edited; else it is for the Cell's own pod to say.
     */
    public void holdsAnother(String podUid, String heldUid) {
        Optional<Binding> binding = cells.get(podUid).flatMap(CellFacts::binding);
        boolean adopted = binding.filter(known -> known.status().epoch() < standing.epoch())
                .isPresent();
        boolean homeless = cells.get(heldUid)
                .filter(held -> held.pod().isPresent() && held.instanceId().isEmpty())
                .isPresent();
        if (!adopted || !homeless) {
            return;
        }
        Binding lie = binding.get();
        ObjectMetadata name = ObjectMetadata.of(lie.name(), lie.objectUid());
        Cell cell = new Cell(name, lie.status());
        hands.doubts(cell, "instance " + lie.instanceId() + " holds another pod, which has no Cell");
        cells.learn(podUid, new CellFact.Disproved(lie.name()));
        remove(cell);
        look(Duration.ZERO);
    }

    /** An instance that is in no Cell has told what it holds. */
    public void answered(InstanceFacts instance, CellReport report) {
        if (report.pod().isEmpty() || report.pod().get().ended()) {
            return;
        }
        PodReport held = report.pod().get();
        Optional<CellFacts> known = cells.get(held.uid());
        Optional<PodFacts> pod = known.flatMap(CellFacts::pod).filter(facts -> !facts.finished());
        if (pod.isEmpty()
                || known.get().instanceId().isPresent()
                || cells.podOf(instance.id()).isPresent()) {
            return;
        }
        String name = Cell.nameOf(held.uid(), held.attempt());
        Optional<Cell> inTheWay = suspects.take(name);
        if (inTheWay.filter(cell -> cell.status().instanceID().equals(instance.id()))
                .isPresent()) {
            believe(inTheWay.get()); // of two that named it, this one told the truth
            return;
        }
        LOG.warn(
                "instance {} holds pod {}, which has no Cell: it gets one",
                instance.id(),
                pod.get().ref());
        inTheWay.ifPresent(this::remove);
        bind(pod.get(), held.attempt(), instance);
        cells.learn(held.uid(), new CellFact.Reported(report));
    }

    /** By a Cell that is yet to be written. */
    private void bind(PodFacts pod, int attempt, InstanceFacts instance) {
        String name = Cell.nameOf(pod.uid(), attempt);
        CellStatus status = new CellStatus(
                pod.ref().name(),
                pod.ref().namespace(),
                around.node(),
                standing.installationId(),
                instance.market() == Market.SPOT ? "Spot" : "On-Demand",
                instance.type(),
                instance.id(),
                instance.privateIp().orElse(""),
                pod.uid(),
                attempt,
                standing.epoch(),
                instance.tags().getOrDefault(Tags.BATCH, ""),
                instance.clientToken());
        cells.learn(pod.uid(), new CellFact.CellSeen(new Cell(ObjectMetadata.named(name), status)));
        cells.learn(pod.uid(), new CellFact.CellGone(name, ""));
    }

    /** All that were asked have answered, or not within their time. */
    private void settle(ImmutableList<InstanceFacts> asked) {
        looking = false;
        ImmutableSet<String> unanswered = ImmutableSet.copyOf(questions.silent());
        ImmutableList<InstanceFacts> unheard = asked.stream()
                .filter(instance -> unanswered.contains(instance.id()))
                .filter(instance -> suspects.concern(instance) || ours(instance))
                .collect(ImmutableList.toImmutableList());
        ImmutableList<String> silent = unheard.stream().map(InstanceFacts::id).collect(ImmutableList.toImmutableList());
        idle.silent(unheard);
        expecting = suspects.podsOf(unheard);
        boolean early = loop.nanos() - settledFrom < 0;
        if (around.reconciles() && (!silent.isEmpty() || early)) {
            hands.waitsFor(silent);
            look(around.lookEvery());
            return;
        }
        if (stage != Stage.SETTLED) {
            stage = Stage.SETTLED;
            if (around.reconciles()) {
                hands.waitsFor(ImmutableList.of());
            }
            hands.settled();
        }
        rebind();
        clear(silent);
        boolean open = suspects.anyLeft() || idle.awaitsAnswers();
        for (Waiting ask : ImmutableList.copyOf(waiting.values())) {
            open |= !decided(ask, silent);
        }
        if (lookOnceMore) {
            lookOnceMore = false;
            look(Duration.ZERO);
        } else if (open) {
            look(around.lookEvery());
        }
    }

    /** What waits for a container's first start may have any instance of its launch call that holds nothing. */
    private void rebind() {
        for (Cell cell : suspects.all()) {
            cells.get(cell.status().podUID())
                    .filter(known -> known.wantsToRun() && known.instanceId().isEmpty())
                    .filter(known -> !expecting.contains(known.podUid())
                            && !known.pod().orElseThrow().started())
                    .ifPresent(waits -> rebind(cell, waits));
        }
    }

    private void rebind(Cell cell, CellFacts waits) {
        boolean launching = waits.batch().isPresent(); // then it has one of its launch, or gets it
        Optional<InstanceFacts> instance = launching
                ? idle.told(spare -> Suspects.launched(cell, spare) && waits.assigned(spare.id()))
                : idle.free(spare -> Suspects.launched(cell, spare));
        if (instance.isEmpty()) {
            return;
        }
        LOG.warn(
                "Cell {} was edited: instance {} of the same launch holds nothing and is its pod's",
                cell.metadata().name(),
                instance.get().id());
        suspects.take(cell.metadata().name());
        remove(cell);
        if (!launching) {
            bind(waits.pod().orElseThrow(), cell.status().attempt(), instance.get());
        }
    }

    private boolean launching(String podUid) {
        return cells.get(podUid).flatMap(CellFacts::batch).isPresent();
    }

    /** Of those that have answered, none holds their pods. */
    private void clear(ImmutableList<String> silent) {
        suspects.takeBaseless(pod -> !expecting.contains(pod) && !launching(pod))
                .forEach(this::believe);
        if (silent.isEmpty()) {
            suspects.takeDoubted().forEach(this::remove);
        }
    }

    /**
     * Holds a pod back that asks for an instance while one may exist that runs it.
     *
     * @return whether it is held back
     */
    public boolean holdsBack(Intent.AskForInstance intent) {
        boolean ran = intent.pod().started();
        if (stage == Stage.SETTLED && !ran && !expecting.contains(intent.pod().uid())) {
            return false;
        }
        waiting.putIfAbsent(intent.pod().uid(), new Waiting(intent, loop.nanos()));
        if (stage == Stage.SETTLED) {
            look(Duration.ZERO);
        }
        return true;
    }

    @Override
    public boolean any() {
        return idle.any();
    }

    @Override
    public Answer ask(PlannedPod pod, Fit fit) {
        Optional<InstanceFacts> spare = idle.reserve(pod.uid(), fit::of);
        if (spare.isEmpty()) {
            return Answer.NONE;
        }
        InstanceFacts instance = spare.get();
        if (!idle.certain(instance)) {
            look(around.lookEvery());
            return Answer.NOT_YET;
        }
        PodFacts facts = cells.get(pod.uid()).flatMap(CellFacts::pod).orElseThrow();
        LOG.warn("instance {} holds nothing and no Cell names it: pod {} gets it", instance.id(), facts.ref());
        bind(facts, pod.attempt(), instance);
        return Answer.BOUND;
    }

    /** @return whether nothing more is to be found out about it */
    private boolean decided(Waiting ask, ImmutableList<String> silent) {
        String uid = ask.intent().pod().uid();
        Optional<CellFacts> cell = cells.get(uid)
                .filter(known -> known.wantsToRun()
                        && known.instanceId().isEmpty()
                        && known.batch().isEmpty());
        if (cell.isEmpty()) {
            waiting.remove(uid);
            return true;
        }
        PodFacts pod = cell.get().pod().orElseThrow();
        if (expecting.contains(uid)) {
            return false;
        }
        if (!pod.started()) {
            waiting.remove(uid);
            hands.launch(new Intent.AskForInstance(pod, cell.get().attempt()));
            return true;
        }
        boolean shown = loop.nanos() - ask.since() >= around.window().toNanos();
        if (silent.isEmpty() && shown) {
            hands.fail(pod, LOST); // seen again on the next look, until it is written
        }
        return false;
    }
}
