package dev.kip.checkpointer.standing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import dev.kip.checkpointer.generation.Generation;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Stored;
import dev.kip.checkpointer.standing.ApiSight.Answered;
import dev.kip.checkpointer.standing.ApiSight.Asking;
import dev.kip.checkpointer.standing.RuntimeSight.Known;
import dev.kip.checkpointer.standing.RuntimeSight.Run;
import dev.kip.checkpointer.standing.Verdict.Turn;
import dev.kip.checkpointer.standing.Watched.State;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/**
 * Decides where each checkpoint stands. Pure. Three answers count for each source: yes, no, and not known; what is not
 * known starts nothing beside a pod that may run, and takes nothing away.
 */
public final class Judge {

    private static final int MOST_DOUBLINGS = 4;
    private static final long NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

    private final View view;
    private final Policy policy;
    private final Map<PodKey, Track> tracks = new TreeMap<>();
    private final Map<PodKey, String> remarks = new TreeMap<>();
    private final Families families;

    private Judge(ImmutableSortedMap<PodKey, Track> before, View view, Policy policy) {
        this.view = view;
        this.policy = policy;
        for (PodKey key : keys(view)) {
            Track track = before.get(key);
            tracks.put(key, watch(key, track == null ? begin(key) : track));
        }
        this.families = new Families(view, tracks);
    }

    /** What is remembered for the next time, and what is to be done. */
    public record Judgement(ImmutableSortedMap<PodKey, Track> tracks, ImmutableSortedMap<PodKey, Verdict> verdicts) {}

    public static Judgement judge(ImmutableSortedMap<PodKey, Track> before, View view, Policy policy) {
        return new Judge(before, view, policy).judge();
    }

    private static ImmutableSortedSet<PodKey> keys(View view) {
        ImmutableSortedSet.Builder<PodKey> keys = ImmutableSortedSet.naturalOrder();
        keys.addAll(view.stored().keySet());
        if (view.api() instanceof Answered answered) {
            keys.addAll(answered.parents().keySet());
        }
        return keys.build();
    }

    /** After a restart of the checkpointer what kubelet runs is not taken away before more is known. */
    private Track begin(PodKey key) {
        boolean active = view.disk(key).flatMap(Stored::active).isPresent();
        return Track.begin(active ? Standing.ACTIVE : Standing.NONE, view.nanos());
    }

    private Track watch(PodKey key, Track track) {
        if (!(view.runtime() instanceof Known known)) {
            return track;
        }
        Watched parent = see(track.parent(), Optional.ofNullable(known.runs().get(key)), key);
        Watched copy = see(track.copy(), Optional.ofNullable(known.runs().get(view.copyOf(key))), key);
        Track seen = track.seen(parent, copy);
        boolean forgiven = !track.distrusted().isEmpty()
                && (parent.stable() || (parent.isThere() && !parent.uid().equals(track.distrusted())));
        return forgiven ? seen.distrust("") : seen;
    }

    private Watched see(Watched before, Optional<Run> run, PodKey key) {
        return run.isEmpty()
                ? before.absent(view.nanos())
                : before.there(
                        run.get().containers().containsAll(containers(key)), run.get(), view.nanos(), policy.proof());
    }

    /** The names of the containers that the pod has when it runs. */
    private ImmutableList<String> containers(PodKey key) {
        Optional<ObjectNode> pod = view.parent(key)
                .map(Parent::pod)
                .or(() -> view.disk(key).flatMap(Stored::newest).map(Generation::manifest));
        ImmutableList.Builder<String> names = ImmutableList.builder();
        pod.ifPresent(tree -> tree.path("spec")
                .path("containers")
                .forEach(container -> names.add(container.path("name").asString(""))));
        return names.build();
    }

    private Judgement judge() {
        tracks.replaceAll(this::next);
        families.oneOfADaemonSetRuns(tracks);
        selfGoesLast();
        tracks.replaceAll(this::tryAgain);
        ImmutableSortedMap.Builder<PodKey, Verdict> verdicts = ImmutableSortedMap.naturalOrder();
        tracks.forEach((key, track) -> verdicts.put(key, verdict(key, track)));
        return new Judgement(ImmutableSortedMap.copyOf(tracks), verdicts.build());
    }

    private Track next(PodKey key, Track track) {
        if (families.isSelf(key)) {
            return nextOfSelf(key, track);
        }
        if (view.api() instanceof Answered answered) {
            return view.parent(key).isPresent() ? withParent(key, track) : withoutParent(key, track, answered);
        }
        return apiSilent(key, track);
    }

    /** The API server has the parent. */
    private Track withParent(PodKey key, Track track) {
        if (!(view.runtime() instanceof Known)) {
            return unknown(track);
        }
        Track judged = hasAnotherSpec(key) ? judgeCrash(key, track, true) : judgeCrash(key, track.distrust(""), false);
        if (judged.parent().isThere()) {
            return judged.stand(judged.isParentsTurn() ? Standing.INACTIVE : Standing.ACTIVE, view.nanos());
        }
        boolean ending = view.parent(key).map(Parent::ending).orElse(false);
        boolean start =
                judged.standing().runs() || (!ending && judged.parent().absentFor(policy.start(), view.nanos()));
        return judged.stand(start ? Standing.ACTIVE : Standing.INACTIVE, view.nanos());
    }

    /** The API server answers, and has no such pod. */
    private Track withoutParent(PodKey key, Track track, Answered answered) {
        Track gracing = switch (track.standing()) {
            case ACTIVE, SELF -> track.stand(Standing.ACTIVE_GRACE, view.nanos());
            case NONE, INACTIVE -> track.stand(Standing.INACTIVE_GRACE, view.nanos());
            case ACTIVE_GRACE, INACTIVE_GRACE, REMOVE -> track;
        };
        if (gracing.standing() == Standing.ACTIVE_GRACE && gracing.parentHasCome()) {
            gracing = gracing.stand(Standing.INACTIVE_GRACE, view.nanos());
        }
        Optional<String> obstacle = obstacleToRemoval(key, gracing, answered);
        obstacle.ifPresent(text -> remarks.put(key, text));
        return obstacle.isPresent() ? gracing : gracing.stand(Standing.REMOVE, view.nanos());
    }

    private Optional<String> obstacleToRemoval(PodKey key, Track track, Answered answered) {
        Duration grace = families.everyParentIsGone() ? policy.grace().multipliedBy(2) : policy.grace();
        long left = grace.toNanos() - (view.nanos() - Math.max(track.since(), answered.since()));
        if (left > 0) {
            return Optional.of("its pod is gone from the API: the checkpoint goes in "
                    + Duration.ofNanos(left).toSeconds() + " s");
        }
        if (!(view.runtime() instanceof Known)) {
            return Optional.of("its pod is gone from the API; the checkpoint goes when the runtime answers");
        }
        if (!answered.evidence()) {
            return Optional.of(
                    "its pod is gone from the API's list, but that list is not believed: it must be read from"
                            + " the quorum of a server that has this node under the uid it had before");
        }
        if (families.successorIsNotProven(key)) {
            return Optional.of("its pod is gone from the API; the checkpoint goes when its successor has run");
        }
        return Optional.empty();
    }

    private Track apiSilent(PodKey key, Track track) {
        if (!(view.runtime() instanceof Known)) {
            return unknown(track);
        }
        // What no container of could be started may wait for the API server, which the checkpoint does not.
        Track judged =
                judgeCrash(key, track, hasAnotherSpec(key) || !track.parent().begun());
        if (judged.parent().isThere()) {
            return judged.stand(judged.isParentsTurn() ? Standing.INACTIVE : Standing.ACTIVE, view.nanos());
        }
        boolean start = judged.standing().runs() || mayStartUnasked(judged);
        return judged.stand(start ? Standing.ACTIVE : Standing.INACTIVE, view.nanos());
    }

    private boolean mayStartUnasked(Track track) {
        boolean patient = view.api() instanceof Asking asking
                && view.nanos() - asking.since() < policy.firstAnswer().toNanos();
        Duration absence = track.parent().wasEverThere() ? policy.absence() : Duration.ZERO;
        return !patient && track.parent().absentFor(absence, view.nanos());
    }

    /** Nothing is started beside a pod that may run, nothing is stopped. */
    private Track unknown(Track track) {
        return track.standing() == Standing.INACTIVE_GRACE || track.standing() == Standing.NONE
                ? track.stand(Standing.INACTIVE, view.nanos())
                : track.standing() == Standing.ACTIVE_GRACE ? track.stand(Standing.ACTIVE, view.nanos()) : track;
    }

    private Track judgeCrash(PodKey key, Track track, boolean somethingElseToRun) {
        if (track.parent().unstableFor(policy.crash(), view.nanos())) {
            remarks.put(key, "its pod does not come to run");
            return somethingElseToRun ? track.distrust(track.parent().uid()) : track;
        }
        return track;
    }

    /** Whether a generation has run here that is made of another spec than the parent's, or than the newest one's. */
    private boolean hasAnotherSpec(PodKey key) {
        Optional<Stored> stored = view.disk(key);
        Optional<String> spec = view.parent(key)
                .map(Parent::spec)
                .or(() -> stored.flatMap(Stored::newest)
                        .map(newest -> newest.origin().spec()));
        return stored.flatMap(Stored::good)
                .map(good -> !spec.equals(Optional.of(good.origin().spec())))
                .orElse(false);
    }

    /** The checkpointer's own checkpoint runs all the time, whether its parent does or not. */
    private Track nextOfSelf(PodKey key, Track track) {
        if (!(view.api() instanceof Answered answered) || view.parent(key).isPresent()) {
            return families.isNewestOfSelf(key) || view.parent(key).isPresent()
                    ? track.stand(Standing.SELF, view.nanos())
                    : track.stand(Standing.INACTIVE, view.nanos());
        }
        if (families.selfHasASuccessorInPlace()) {
            return track.stand(Standing.REMOVE, view.nanos());
        }
        if (families.selfHasASuccessor()) {
            return track.stand(Standing.SELF, view.nanos());
        }
        Track gracing = track.standing() == Standing.REMOVE ? track : track.stand(Standing.ACTIVE_GRACE, view.nanos());
        Optional<String> obstacle = obstacleToRemoval(key, gracing, answered);
        obstacle.ifPresent(text -> remarks.put(key, text));
        return obstacle.isPresent() ? gracing : gracing.stand(Standing.REMOVE, view.nanos());
    }

    /** When the checkpointer is not wanted here any more, it takes everything with it, and itself last. */
    private void selfGoesLast() {
        boolean leaves = view.apiAnswers()
                && !families.selfHasASuccessor()
                && tracks.entrySet().stream()
                        .anyMatch(entry -> families.isSelf(entry.getKey())
                                && entry.getValue().standing() == Standing.REMOVE);
        if (!leaves) {
            return;
        }
        boolean others = view.stored().keySet().stream().anyMatch(key -> !families.isSelf(key));
        tracks.replaceAll((key, track) -> {
            if (!families.isSelf(key)) {
                return track.stand(Standing.REMOVE, view.nanos());
            }
            return others && track.standing() == Standing.REMOVE ? track.relabel(Standing.ACTIVE_GRACE) : track;
        });
    }

    /** A checkpoint that kubelet refused is not looked at by kubelet again: it must be given another face. */
    private Track tryAgain(PodKey key, Track track) {
        if (!track.standing().runs()
                || !(view.runtime() instanceof Known)
                || track.copy().state() == State.RUNNING) {
            return track;
        }
        boolean written = view.disk(key).flatMap(Stored::active).isPresent();
        Duration patience = policy.restore().multipliedBy(1L << Math.min(track.attempt(), MOST_DOUBLINGS));
        long waited = view.nanos() - Math.max(track.attemptSince(), track.since());
        if (!written || waited < patience.toNanos()) {
            if (track.attempt() > 0 && !track.copy().wasEverThere()) {
                remarks.put(
                        key,
                        "kubelet does not run the checkpoint: it was given the manifest " + (track.attempt() + 1)
                                + " times, the last time " + waited / NANOS_PER_SECOND + " s ago");
            }
            return track;
        }
        if (track.copy().state() == State.STARTING) {
            remarks.put(key, "kubelet tries to run the checkpoint, but its containers do not stay up");
            return candidates(key).size() > 1 && track.copy().unstableFor(policy.crash(), view.nanos())
                    ? track.tryAgain(view.nanos())
                    : track;
        }
        remarks.put(
                key,
                "kubelet does not run the checkpoint: it was given the manifest " + waited / NANOS_PER_SECOND
                        + " s ago, and the runtime has no sandbox of it");
        return track.tryAgain(view.nanos());
    }

    /** What may run, best first: what ran here before; but of the checkpointer itself the newest, whose parent is here. */
    private ImmutableList<Generation> candidates(PodKey key) {
        Optional<Stored> stored = view.disk(key);
        if (stored.isEmpty()) {
            return ImmutableList.of();
        }
        ImmutableList<Generation> newestFirst = stored.get().generations().reverse();
        Optional<Generation> good =
                families.isSelf(key) ? Optional.empty() : stored.get().good();
        ImmutableList.Builder<Generation> best = ImmutableList.builder();
        good.ifPresent(best::add);
        newestFirst.stream().filter(one -> !good.equals(Optional.of(one))).forEach(best::add);
        return best.build();
    }

    private Verdict verdict(PodKey key, Track track) {
        String remark = remarks.getOrDefault(key, "");
        if (!track.standing().runs()) {
            return new Verdict(key, track.standing(), Optional.empty(), remark);
        }
        ImmutableList<Generation> candidates = candidates(key);
        if (candidates.isEmpty()) {
            return new Verdict(
                    key, track.standing(), Optional.empty(), "it is needed, but nothing of it is stored that is whole");
        }
        Generation choice = candidates.get(track.attempt() % candidates.size());
        return new Verdict(key, track.standing(), Optional.of(new Turn(choice.id(), track.attempt())), remark);
    }
}
