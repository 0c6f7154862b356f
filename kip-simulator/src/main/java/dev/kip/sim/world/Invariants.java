package dev.kip.sim.world;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.scenario.Outcomes.Problem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * What must hold at every moment, whatever is done to the controller. Numbers are those of the catalogue of invariants
 * (docs/simulator.md).
 */
final class Invariants {

    private final Kernel kernel;
    private final GroundTruth truth;
    private final List<Problem> violations = new ArrayList<>();
    private final Map<String, String> phases = new LinkedHashMap<>();
    private int seen;

    Invariants(Kernel kernel, GroundTruth truth) {
        this.kernel = kernel;
        this.truth = truth;
    }

    /** I1, I2: a pod attempt is granted to one instance, and its containers run there only. Cheap: after every event. */
    void look() {
        int found = truth.violationCount();
        if (found > seen) {
            truth.violations().subList(seen, found).forEach(text -> violate("I1 one cell per pod attempt", text));
            seen = found;
        }
    }

    /** I14: a pod's phase only moves forward, and a finished one stays as it is. */
    void podChanged(ObjectNode pod) {
        String uid = pod.at("/metadata/uid").asString("");
        String phase = pod.at("/status/phase").asString("Pending");
        String before = phases.put(uid, phase);
        if (before != null && (rank(phase) < rank(before) || (finished(before) && !phase.equals(before)))) {
            violate(
                    "I14 phases move forward",
                    "pod " + pod.at("/metadata/name").asString("") + " went from " + before + " to " + phase);
        }
    }

    ImmutableList<Problem> violations() {
        return ImmutableList.copyOf(violations);
    }

    private void violate(String invariant, String text) {
        violations.add(new Problem(invariant, text));
        kernel.trace().line(kernel.elapsed(), "invariant", invariant + ": " + text);
    }

    private static boolean finished(String phase) {
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    private static int rank(String phase) {
        return switch (phase) {
            case "Pending" -> 0;
            case "Running" -> 1;
            default -> 2;
        };
    }
}
