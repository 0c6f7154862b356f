package dev.kip.checkpointer.standing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import dev.kip.checkpointer.generation.CheckpointReader;
import dev.kip.checkpointer.generation.Generation;
import dev.kip.checkpointer.generation.Origin;
import dev.kip.checkpointer.generation.Origin.Controller;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Stored;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.checkpointer.standing.Judge.Judgement;
import dev.kip.checkpointer.standing.RuntimeSight.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** A node as the judge sees it: the test says what is there, and its errands are carried out in memory. */
final class PlayedNode {

    static final String NODE = "Node-1";
    static final PodKey SELF = new PodKey("kube-system", "checkpointer");

    private final Policy policy;
    private final Map<PodKey, Stored> disk = new TreeMap<>();
    private final Map<PodKey, Parent> parents = new TreeMap<>();
    private final Map<PodKey, Run> runs = new TreeMap<>();
    private ImmutableSortedMap<PodKey, Track> tracks = ImmutableSortedMap.of();
    private Judgement last;
    private long nanos = Duration.ofHours(1).toNanos();
    private ApiSight api;
    private boolean runtimeAnswers = true;
    private boolean evidence = true;
    private long answeredSince;
    private long sequence;
    boolean errandsFail;
    int errands;

    PlayedNode(Duration grace) {
        policy = Policy.withGrace(grace);
        api = new ApiSight.Asking(nanos);
    }

    static PlayedNode withGrace(int seconds) {
        return new PlayedNode(Duration.ofSeconds(seconds));
    }

    static PodKey pod(String name) {
        return new PodKey("kube-system", name);
    }

    PlayedNode stored(String name) {
        return stored(name, "uid-" + name, "spec-" + name, Optional.empty(), true);
    }

    PlayedNode stored(String name, String uid, String spec, Optional<Controller> controller, boolean proven) {
        PodKey key = pod(name);
        ObjectNode manifest = Trees.empty();
        manifest.putObject("spec").putArray("containers").addObject().put("name", "main");
        manifest.put("of", spec);
        Generation generation = new Generation(
                "g-" + spec,
                ++sequence,
                Instant.EPOCH,
                new Origin(NODE, "kube-system", key, uid, controller, spec),
                manifest,
                ImmutableSortedMap.of(),
                proven);
        Stored before = disk.getOrDefault(key, new Stored(key, ImmutableList.of(), Optional.empty()));
        ImmutableList<Generation> all = ImmutableList.<Generation>builder()
                .addAll(before.generations())
                .add(generation)
                .build();
        disk.put(key, new Stored(key, all, before.active()));
        return this;
    }

    PlayedNode active(String name) {
        Stored stored = disk.get(pod(name));
        Generation newest = stored.newest().orElseThrow();
        disk.put(
                pod(name),
                new Stored(stored.key(), stored.generations(), Optional.of(CheckpointReader.wanted(newest, 0))));
        return this;
    }

    PlayedNode damaged(String name) {
        disk.put(
                pod(name),
                new Stored(pod(name), ImmutableList.of(), disk.get(pod(name)).active()));
        return this;
    }

    PlayedNode parent(String name) {
        return parent(name, "uid-" + name, "spec-" + name, Optional.empty(), false);
    }

    PlayedNode parent(String name, String uid, String spec, Optional<Controller> controller, boolean ending) {
        ObjectNode pod = Trees.empty();
        pod.putObject("spec").putArray("containers").addObject().put("name", "main");
        parents.put(pod(name), new Parent(pod(name), uid, "1", controller, spec, ending, pod));
        return this;
    }

    PlayedNode noParent(String name) {
        parents.remove(pod(name));
        return this;
    }

    PlayedNode running(String name) {
        return run(name, "uid-" + name, "c1", "main");
    }

    PlayedNode run(String name, String uid, String instance, String... containers) {
        boolean begun = containers.length > 0 || instance.startsWith("crashed");
        runs.put(pod(name), new Run(uid, ImmutableSortedSet.copyOf(containers), instance, begun));
        return this;
    }

    /** The checkpoint's own pod runs. */
    PlayedNode copyRuns(String name) {
        return run(name + "-node-1", "static", "c1", "main");
    }

    PlayedNode stopped(String name) {
        runs.remove(pod(name));
        return this;
    }

    PlayedNode apiUp() {
        if (!(api instanceof ApiSight.Answered)) {
            answeredSince = nanos;
        }
        api = new ApiSight.Answered(answeredSince, ImmutableSortedMap.of(), evidence);
        return this;
    }

    PlayedNode apiDown() {
        api = new ApiSight.Silent("connection refused");
        return this;
    }

    PlayedNode apiAsking() {
        api = new ApiSight.Asking(nanos);
        return this;
    }

    PlayedNode evidence(boolean value) {
        evidence = value;
        return this;
    }

    PlayedNode runtime(boolean answers) {
        runtimeAnswers = answers;
        return this;
    }

    /** The checkpointer is started anew: only the disk is left. */
    PlayedNode restart() {
        tracks = ImmutableSortedMap.of();
        return apiAsking();
    }

    /** One pass. */
    PlayedNode look() {
        ApiSight now = api instanceof ApiSight.Answered
                ? new ApiSight.Answered(answeredSince, ImmutableSortedMap.copyOf(parents), evidence)
                : api;
        RuntimeSight runtime = runtimeAnswers
                ? new RuntimeSight.Known(ImmutableSortedMap.copyOf(runs))
                : new RuntimeSight.Unknown("no such file");
        View view = new View(nanos, NODE, SELF, now, runtime, ImmutableSortedMap.copyOf(disk));
        last = Judge.judge(tracks, view, policy);
        tracks = last.tracks();
        for (Errand errand : Errand.of(last, view)) {
            errands++;
            if (!errandsFail) {
                carryOut(errand);
            }
        }
        return this;
    }

    /** Passes every five seconds. */
    PlayedNode lookFor(int seconds) {
        for (int passed = 0; passed < seconds; passed += 5) {
            nanos += Duration.ofSeconds(5).toNanos();
            look();
        }
        return this;
    }

    private void carryOut(Errand errand) {
        PodKey key = errand.key();
        Stored stored = disk.get(key);
        if (errand instanceof Errand.Forget) {
            disk.remove(key);
        } else if (errand instanceof Errand.Activate activate) {
            disk.put(
                    key,
                    new Stored(
                            key,
                            stored.generations(),
                            Optional.of(CheckpointReader.wanted(activate.generation(), activate.attempt()))));
        } else if (errand instanceof Errand.Deactivate) {
            disk.put(key, new Stored(key, stored.generations(), Optional.empty()));
        } else if (errand instanceof Errand.Prove prove) {
            change(stored, one -> one.id().equals(prove.generation()) ? Optional.of(proven(one)) : Optional.of(one));
        } else if (errand instanceof Errand.Drop drop) {
            change(stored, one -> one.id().equals(drop.generation()) ? Optional.empty() : Optional.of(one));
        }
    }

    private void change(Stored stored, java.util.function.Function<Generation, Optional<Generation>> change) {
        ImmutableList<Generation> changed = stored.generations().stream()
                .flatMap(one -> change.apply(one).stream())
                .collect(ImmutableList.toImmutableList());
        disk.put(stored.key(), new Stored(stored.key(), changed, stored.active()));
    }

    private static Generation proven(Generation one) {
        return new Generation(
                one.id(), one.sequence(), one.stored(), one.origin(), one.manifest(), one.volumes(), true);
    }

    Standing standing(String name) {
        return last.verdicts().get(pod(name)).standing();
    }

    String remark(String name) {
        return last.verdicts().get(pod(name)).remark();
    }

    /** The generation whose manifest kubelet sees; empty if none. */
    Optional<String> activeGeneration(String name) {
        return isStored(name) ? disk.get(pod(name)).active().map(Stored.Active::generation) : Optional.empty();
    }

    Optional<Stored.Active> manifest(String name) {
        return disk.get(pod(name)).active();
    }

    boolean isActive(String name) {
        return activeGeneration(name).isPresent();
    }

    boolean isStored(String name) {
        return disk.containsKey(pod(name));
    }

    ImmutableList<String> generations(String name) {
        return disk.get(pod(name)).generations().stream().map(Generation::id).collect(ImmutableList.toImmutableList());
    }

    /** Someone took the manifest away by hand. */
    PlayedNode manifestDeleted(String name) {
        Stored stored = disk.get(pod(name));
        disk.put(pod(name), new Stored(stored.key(), stored.generations(), Optional.empty()));
        return this;
    }
}
