package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kubelet.SimNode;
import dev.kip.sim.scenario.Outcomes.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks for two live copies of one pod on one node. Who takes over starts before the other has ended, for it is seen to run
 * first: so a short while is allowed. The checkpointer itself is meant to have two; one of them waits.
 */
final class Copies {

    private static final Duration LOOK = Duration.ofMillis(500);

    /** The checkpointer looks every five seconds, and the copy may take its grace to end. */
    private static final Duration HANDOVER = Duration.ofSeconds(45);

    private final Plane plane;
    private final Map<String, Duration> since = new LinkedHashMap<>();
    private final List<Problem> violations = new ArrayList<>();
    private Duration next = Duration.ZERO;

    Copies(Plane plane) {
        this.plane = plane;
    }

    void look() {
        Duration now = plane.kernel().elapsed();
        if (now.compareTo(next) < 0) {
            return;
        }
        next = now.plus(LOOK);
        for (SimNode node : plane.nodes) {
            ImmutableList<String> running = node.runtime().running();
            for (String pod : running) {
                String both = pod + " and its checkpoint on " + node.name();
                if (pod.startsWith(Plane.CHECKPOINTER_PROGRAM) || !running.contains(pod + "-" + node.name())) {
                    since.remove(both);
                } else if (now.minus(since.computeIfAbsent(both, key -> now)).compareTo(HANDOVER) > 0) {
                    violated(both);
                    since.put(both, now.plus(Duration.ofDays(1)));
                }
            }
        }
    }

    private void violated(String both) {
        Problem problem = new Problem("one-copy", both + " have run for " + HANDOVER.toSeconds() + " s, both");
        violations.add(problem);
        plane.kernel().trace().line(plane.kernel().elapsed(), "invariant", problem.id() + ": " + problem.text());
    }

    ImmutableList<Problem> violations() {
        return ImmutableList.copyOf(violations);
    }
}
