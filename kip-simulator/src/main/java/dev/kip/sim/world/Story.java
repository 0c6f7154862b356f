package dev.kip.sim.world;

import dev.kip.sim.scenario.PodStates;
import tools.jackson.databind.node.ObjectNode;

/** Lines of the timeline about objects. */
final class Story {

    private Story() {}

    static String podLine(ObjectNode pod) {
        return "pod " + pod.at("/metadata/namespace").asString("") + "/"
                + pod.at("/metadata/name").asString("") + " is " + PodStates.of(pod);
    }
}
