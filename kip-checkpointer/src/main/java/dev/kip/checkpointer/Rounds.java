package dev.kip.checkpointer;

import com.google.common.collect.ImmutableSortedMap;
import dev.kip.checkpointer.gather.Gatherer;
import dev.kip.checkpointer.gather.Gatherer.Gathered;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.standing.Judge.Judgement;
import dev.kip.checkpointer.standing.Parent;
import dev.kip.checkpointer.standing.Standing;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** When which parent is gathered: at once when it changed, otherwise from time to time; one run for each at a time. */
final class Rounds {

    private final Gatherer gatherer;
    private final Loop loop;
    private final Duration refresh;
    private final Consumer<Gathered> done;
    private final Map<PodKey, Last> last = new TreeMap<>();
    private final TreeSet<PodKey> underWay = new TreeSet<>();
    private final TreeSet<PodKey> leaving = new TreeSet<>();

    private record Last(String uid, String version, long nanos) {}

    Rounds(Gatherer gatherer, Loop loop, Duration refresh, Consumer<Gathered> done) {
        this.gatherer = gatherer;
        this.loop = loop;
        this.refresh = refresh;
        this.done = done;
    }

    /** What the API server has. */
    void offer(ImmutableSortedMap<PodKey, Parent> parents) {
        last.keySet().retainAll(parents.keySet());
        for (Parent parent : parents.values()) {
            if (!parent.ending() && !leaving.contains(parent.key()) && isDue(parent) && underWay.add(parent.key())) {
                gatherer.gather(parent, gathered -> take(parent, gathered));
            }
        }
    }

    /** What is being removed is not made anew. */
    void refuse(Judgement judgement) {
        leaving.clear();
        judgement.verdicts().values().stream()
                .filter(verdict -> verdict.standing() == Standing.REMOVE)
                .forEach(verdict -> leaving.add(verdict.key()));
    }

    private boolean isDue(Parent parent) {
        Last before = last.get(parent.key());
        return before == null
                || !before.uid().equals(parent.uid())
                || !before.version().equals(parent.version())
                || loop.nanos() - before.nanos() >= refresh.toNanos();
    }

    private void take(Parent parent, Gathered gathered) {
        underWay.remove(parent.key());
        if (gathered.done()) {
            last.put(parent.key(), new Last(parent.uid(), parent.version(), loop.nanos()));
        } else {
            last.remove(parent.key());
        }
        done.accept(gathered);
    }
}
