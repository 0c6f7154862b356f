package dev.kip.checkpointer.standing;

import dev.kip.checkpointer.generation.Generation;
import dev.kip.checkpointer.generation.Origin.Controller;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Stored;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Pods of one controller. A DaemonSet's pods have random names, so that a new one is another pod with another checkpoint;
 * but on one node it is the successor of the one before, and only one of them may run.
 */
final class Families {

    private final View view;
    private final Map<PodKey, Track> tracks;
    private final TreeSet<PodKey> selves = new TreeSet<>();

    Families(View view, Map<PodKey, Track> tracks) {
        this.view = view;
        this.tracks = tracks;
        Optional<Controller> own = view.controller(view.self());
        for (PodKey key : tracks.keySet()) {
            if (key.equals(view.self())
                    || (own.isPresent() && view.controller(key).equals(own))) {
                selves.add(key);
            }
        }
    }

    /** The checkpointer's own pod, or one of the same controller. */
    boolean isSelf(PodKey key) {
        return selves.contains(key);
    }

    boolean isNewestOfSelf(PodKey key) {
        return selves.stream()
                .max(Comparator.comparingLong(this::sequence))
                .map(key::equals)
                .orElse(false);
    }

    boolean selfHasASuccessor() {
        return selves.stream().anyMatch(key -> view.parent(key).isPresent());
    }

    /** It is checkpointed, and kubelet was given the checkpoint. */
    boolean selfHasASuccessorInPlace() {
        return selves.stream()
                .anyMatch(key -> view.parent(key).isPresent()
                        && view.disk(key)
                                .map(stored -> stored.active().isPresent()
                                        && !stored.generations().isEmpty())
                                .orElse(false));
    }

    /** More than one checkpoint, and no parent at all: rather a wrong list than the truth. */
    boolean everyParentIsGone() {
        return tracks.size() > 1
                && tracks.keySet().stream().noneMatch(key -> view.parent(key).isPresent());
    }

    boolean successorIsNotProven(PodKey key) {
        Optional<Controller> controller = onePerNode(key);
        return controller.isPresent()
                && tracks.keySet().stream()
                        .filter(other -> !other.equals(key)
                                && onePerNode(other).equals(controller)
                                && view.parent(other).isPresent())
                        .anyMatch(other -> !track(other).parent().stable() && !proven(other));
    }

    /** Of a DaemonSet's checkpoints on this node at most one runs, and none while a pod of it does. */
    void oneOfADaemonSetRuns(Map<PodKey, Track> judged) {
        judged.replaceAll((key, track) -> {
            Optional<Controller> controller = isSelf(key) ? Optional.empty() : onePerNode(key);
            boolean rests = controller.isPresent() && track.standing().runs() && isOutdone(key, controller, judged);
            Standing rest = track.standing() == Standing.ACTIVE ? Standing.INACTIVE : Standing.INACTIVE_GRACE;
            return rests ? track.stand(rest, view.nanos()) : track;
        });
    }

    private boolean isOutdone(PodKey key, Optional<Controller> controller, Map<PodKey, Track> judged) {
        return judged.entrySet().stream()
                .filter(other -> !other.getKey().equals(key)
                        && onePerNode(other.getKey()).equals(controller))
                .anyMatch(other -> other.getValue().parentHasCome()
                        || (other.getValue().standing().runs() && isBetter(other.getKey(), key)));
    }

    private boolean isBetter(PodKey one, PodKey other) {
        return proven(one) != proven(other) ? proven(one) : sequence(one) > sequence(other);
    }

    private boolean proven(PodKey key) {
        return view.disk(key).flatMap(Stored::good).isPresent();
    }

    private long sequence(PodKey key) {
        return view.disk(key).flatMap(Stored::newest).map(Generation::sequence).orElse(-1L);
    }

    private Optional<Controller> onePerNode(PodKey key) {
        return view.controller(key).filter(Controller::hasOnePodPerNode);
    }

    private Track track(PodKey key) {
        Track track = tracks.get(key);
        return track == null ? Track.begin(Standing.NONE, view.nanos()) : track;
    }
}
