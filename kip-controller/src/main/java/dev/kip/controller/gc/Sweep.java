package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cell.CellReport;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.gc.Claims.Read;
import dev.kip.controller.gc.Claims.Source;
import dev.kip.controller.gc.Evidence.Allowance;
import dev.kip.controller.gc.Evidence.Incumbency;
import dev.kip.controller.gc.Gate.Stage;
import dev.kip.controller.gc.Gates.Objection;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.launch.Terminations;
import dev.kip.controller.ownership.Provenance;
import dev.kip.controller.ownership.Standing;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Collects what an installation without a living controller has left, at the word of an operator: the same gates as the
 * controller's, on what is read for them, for every virtual node of the installation. The operator's consent stands in for
 * the budget. Confined to the loop.
 */
public final class Sweep {

    private final Room room;
    private final Sightings sightings = new Sightings();
    private final Gates gates = Gates.standard();

    /**
     * What it works with.
     *
     * @param claimants what may claim an instance of a virtual node
     * @param office whether we still are who may end an instance of a virtual node
     * @param window how long an instance must have been seen unclaimed
     * @param dryRun nothing is changed
     */
    public record Room(
            Loop loop,
            Calls calls,
            CloudEffects cloud,
            Terminations terminations,
            LastLooks looks,
            Audit audit,
            Standing standing,
            BiConsumer<String, Consumer<Claims>> claimants,
            BiConsumer<String, Consumer<Incumbency>> office,
            Duration window,
            boolean dryRun) {}

    /** What a look at one instance came to. */
    public enum Fate {
        /** It was told to end just now. */
        ENDED,
        /** It would be ended, if this were no dry run. */
        WOULD_END,
        /** A gate holds it for now. */
        WAITS,
        /** Something has it. */
        CLAIMED,
        /** It carries our id, and is not provably ours. */
        NOT_OURS
    }

    /** @param because which gate holds it, what claims it, which part of the proof is missing */
    public record Verdict(InstanceFacts instance, Provenance provenance, Fate fate, String because) {}

    public Sweep(Room room) {
        this.room = room;
    }

    /** What the API server and the journal know, read anew each time. */
    public static BiConsumer<String, Consumer<Claims>> claimants(KubeApi kube, Calls calls) {
        return (node, then) -> new ClaimsReader(kube, calls, node).read(then);
    }

    /** The cluster is gone, an operator says: nothing claims anything. */
    public static BiConsumer<String, Consumer<Claims>> noClaimants() {
        Claims none = new Claims(
                ImmutableList.of(
                        new Read(Source.CLOUD, true),
                        new Read(Source.JOURNAL, true),
                        new Read(Source.KUBERNETES, true)),
                ImmutableList.of(),
                ImmutableSet.of(),
                ImmutableMap.of(),
                ImmutableMap.of(),
                ImmutableSet.of());
        return (node, then) -> then.accept(none);
    }

    /**
     * Lists the installation's instances once, and ends those that every gate lets through.
     *
     * @param then all that have not ended, and those that were ended just now
     * @param failed why the cloud could not be listed
     */
    public void round(Consumer<ImmutableList<Verdict>> then, Consumer<String> failed) {
        room.cloud()
                .describeAll(
                        ImmutableMap.of(Tags.INSTALLATION, room.standing().installationId()),
                        all -> readClaims(
                                all.stream()
                                        .filter(instance -> !instance.state().ended())
                                        .collect(ImmutableList.toImmutableList()),
                                then),
                        error -> failed.accept(error.message()));
    }

    private void readClaims(ImmutableList<InstanceFacts> alive, Consumer<ImmutableList<Verdict>> then) {
        ImmutableList<String> nodes =
                alive.stream().map(Sweep::nodeOf).distinct().collect(ImmutableList.toImmutableList());
        readClaims(nodes, new LinkedHashMap<>(), claims -> judge(alive, claims, then));
    }

    private void readClaims(
            ImmutableList<String> nodes, Map<String, Claims> found, Consumer<ImmutableMap<String, Claims>> then) {
        if (nodes.isEmpty()) {
            then.accept(ImmutableMap.copyOf(found));
            return;
        }
        room.claimants().accept(nodes.get(0), claims -> {
            found.put(nodes.get(0), claims);
            readClaims(nodes.subList(1, nodes.size()), found, then);
        });
    }

    private void judge(
            ImmutableList<InstanceFacts> alive,
            ImmutableMap<String, Claims> claims,
            Consumer<ImmutableList<Verdict>> then) {
        long now = room.loop().nanos();
        ImmutableList<InstanceFacts> unclaimed = alive.stream()
                .filter(instance -> claimant(instance, claims).isEmpty())
                .collect(ImmutableList.toImmutableList());
        sightings.saw(unclaimed.stream().map(InstanceFacts::id).collect(ImmutableSet.toImmutableSet()), now);
        Round round = new Round(alive.size(), then);
        if (alive.isEmpty()) {
            then.accept(ImmutableList.of());
        }
        for (InstanceFacts instance : alive) {
            Provenance provenance = Provenance.of(instance, room.standing());
            Optional<String> claimant = claimant(instance, claims);
            if (!provenance.proven()) {
                round.add(new Verdict(instance, provenance, Fate.NOT_OURS, provenance.because()));
            } else if (claimant.isPresent()) {
                round.add(new Verdict(instance, provenance, Fate.CLAIMED, claimant.get()));
            } else {
                judge(
                        Evidence.seen(
                                        instance,
                                        provenance,
                                        nodeOf(instance),
                                        room.window(),
                                        sightings.of(instance.id(), now))
                                .with(claims.getOrDefault(nodeOf(instance), NOTHING_READ)),
                        round);
            }
        }
    }

    private static final Claims NOTHING_READ = new Claims(
            ImmutableList.of(),
            ImmutableList.of("nothing was read"),
            ImmutableSet.of(),
            ImmutableMap.of(),
            ImmutableMap.of(),
            ImmutableSet.of());

    private static String nodeOf(InstanceFacts instance) {
        return instance.tags().getOrDefault(Tags.NODE, "");
    }

    private static Optional<String> claimant(InstanceFacts instance, ImmutableMap<String, Claims> claims) {
        return Optional.ofNullable(claims.get(nodeOf(instance)))
                .flatMap(found -> found.claimant(instance.id(), instance.tags().getOrDefault(Tags.BATCH, "")));
    }

    private void judge(Evidence evidence, Round round) {
        ImmutableList<Objection> whole = gates.objections(Stage.CLAIMS, evidence);
        if (!whole.isEmpty()) {
            round.add(verdict(evidence, Fate.WAITS, whole.get(0).toString()));
            return;
        }
        if (room.dryRun()) {
            round.add(verdict(evidence, Fate.WOULD_END, "no Cell and no open LaunchBatch claims it"));
            return;
        }
        ImmutableList<Objection> sight = gates.objections(Stage.SIGHT, evidence);
        if (!sight.isEmpty()) {
            round.add(verdict(evidence, Fate.WAITS, sight.get(0).toString()));
            return;
        }
        String id = evidence.instance().id();
        room.looks()
                .look(
                        evidence.instance(),
                        sightings.endingFor(id, room.loop().nanos()),
                        look -> room.office()
                                .accept(
                                        evidence.node(),
                                        incumbency -> last(evidence.with(look).with(incumbency), round)));
    }

    private void last(Evidence found, Round round) {
        Evidence evidence = found.with(new Allowance(Optional.empty()));
        String id = evidence.instance().id();
        ImmutableList<Objection> objections = gates.objections(Stage.END, evidence);
        if (objections.isEmpty()) {
            end(evidence, round);
            return;
        }
        boolean onlyTheLook = objections.stream()
                .allMatch(objection -> objection.gate().needs().contains(Gate.Reading.LAST_LOOK));
        Optional<CellReport> running = evidence.look()
                .flatMap(LastLook::report)
                .filter(report ->
                        report.pod().isPresent() && !report.pod().get().ended());
        if (onlyTheLook
                && running.isPresent()
                && !LastLookGate.holdsLivePod(running.get().pod().get(), evidence)) {
            sightings.ending(id, room.loop().nanos());
            room.looks()
                    .endPod(evidence.instance(), running.get(), room.standing().epoch(), LastLookGate.GRACE);
        }
        round.add(verdict(evidence, Fate.WAITS, objections.get(0).toString()));
    }

    private void end(Evidence evidence, Round round) {
        String id = evidence.instance().id();
        room.audit().ending(evidence, gates.names());
        room.terminations().end(id, new Terminations.Ending() {
            @Override
            public void accepted() {
                sightings.forget(id);
                room.audit().ended(evidence, gates.names());
                round.add(verdict(evidence, Fate.ENDED, evidence.provenance().because()));
            }

            @Override
            public void unknown() {
                sightings.forget(id);
                round.add(verdict(evidence, Fate.ENDED, "EC2 knows it no more"));
            }

            @Override
            public void undone() {
                round.add(verdict(evidence, Fate.WAITS, "EC2 did not end it; it is tried again"));
            }
        });
    }

    private static Verdict verdict(Evidence evidence, Fate fate, String because) {
        return new Verdict(evidence.instance(), evidence.provenance(), fate, because);
    }

    /** Verdicts come in any order; all are awaited. */
    private static final class Round {

        private final int wanted;
        private final Consumer<ImmutableList<Verdict>> then;
        private final List<Verdict> verdicts = new ArrayList<>();

        Round(int wanted, Consumer<ImmutableList<Verdict>> then) {
            this.wanted = wanted;
            this.then = then;
        }

        void add(Verdict verdict) {
            verdicts.add(verdict);
            if (verdicts.size() == wanted) {
                then.accept(ImmutableList.copyOf(verdicts));
            }
        }
    }
}
