package dev.kip.checkpointer.standing;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.generation.CheckpointReader;
import dev.kip.checkpointer.generation.Generation;
import dev.kip.checkpointer.generation.Origin.Controller;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Stored;
import dev.kip.checkpointer.standing.Judge.Judgement;
import dev.kip.checkpointer.standing.Watched.State;
import java.util.Optional;

/** A change on disk that a judgement asks for. What failed is asked for again, since the next judgement finds it undone. */
public sealed interface Errand {

    PodKey key();

    /** Kubelet is to stop the checkpoint. */
    record Deactivate(PodKey key) implements Errand {}

    /** Kubelet is to run this generation. */
    record Activate(PodKey key, Generation generation, int attempt) implements Errand {}

    /** This generation's spec has run. */
    record Prove(PodKey key, String generation) implements Errand {}

    /** Nobody needs this generation any more. */
    record Drop(PodKey key, String generation) implements Errand {}

    /** Nothing of the pod is needed any more. */
    record Forget(PodKey key) implements Errand {}

    /** In the order in which they are to be carried out: what stops before what starts, the checkpointer itself last. */
    static ImmutableList<Errand> of(Judgement judgement, View view) {
        ImmutableList.Builder<Errand> stops = ImmutableList.builder();
        ImmutableList.Builder<Errand> starts = ImmutableList.builder();
        ImmutableList.Builder<Errand> rest = ImmutableList.builder();
        ImmutableList.Builder<Errand> last = ImmutableList.builder();
        for (Stored stored : view.stored().values()) {
            Verdict verdict = judgement.verdicts().get(stored.key());
            Track track = judgement.tracks().get(stored.key());
            if (verdict == null || track == null) {
                continue;
            }
            if (verdict.standing() == Standing.REMOVE) {
                (isOwn(stored, view) ? last : rest).add(new Forget(stored.key()));
                continue;
            }
            start(stored, verdict).ifPresent(starts::add);
            if (!verdict.standing().runs() && stored.active().isPresent()) {
                stops.add(new Deactivate(stored.key()));
            }
            for (Generation generation : stored.generations()) {
                if (!generation.proven() && hasRun(generation, track, stored, view)) {
                    rest.add(new Prove(stored.key(), generation.id()));
                }
                if (isSpare(generation, stored, verdict, track, view)) {
                    rest.add(new Drop(stored.key(), generation.id()));
                }
            }
        }
        return ImmutableList.<Errand>builder()
                .addAll(stops.build())
                .addAll(starts.build())
                .addAll(rest.build())
                .addAll(last.build())
                .build();
    }

    private static boolean isOwn(Stored stored, View view) {
        Optional<Controller> controller = view.controller(stored.key());
        return stored.key().equals(view.self())
                || (controller.isPresent() && controller.equals(view.controller(view.self())));
    }

    private static Optional<Errand> start(Stored stored, Verdict verdict) {
        return verdict.run()
                .flatMap(turn -> stored.find(turn.generation())
                        .filter(generation -> !stored.active()
                                .equals(Optional.of(CheckpointReader.wanted(generation, turn.attempt()))))
                        .map(generation -> new Activate(stored.key(), generation, turn.attempt())));
    }

    private static boolean hasRun(Generation generation, Track track, Stored stored, View view) {
        boolean parent = track.parent().stable()
                && (generation.origin().uid().equals(track.parent().uid())
                        || view.parent(stored.key())
                                .filter(pod -> pod.uid().equals(track.parent().uid())
                                        && pod.spec().equals(generation.origin().spec()))
                                .isPresent());
        boolean copy = track.copy().stable()
                && stored.active()
                        .map(active -> active.generation().equals(generation.id()))
                        .orElse(false);
        return parent || copy;
    }

    /** Neither the newest nor the good one, and no container can have its volumes mounted. */
    private static boolean isSpare(Generation generation, Stored stored, Verdict verdict, Track track, View view) {
        boolean used = stored.active()
                        .map(active -> active.generation().equals(generation.id()))
                        .orElse(false)
                || verdict.run()
                        .map(turn -> turn.generation().equals(generation.id()))
                        .orElse(false);
        boolean kept =
                stored.newest().equals(Optional.of(generation)) || stored.good().equals(Optional.of(generation));
        return !used
                && !kept
                && view.runtime() instanceof RuntimeSight.Known
                && track.copy().state() == State.ABSENT;
    }
}
