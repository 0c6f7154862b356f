package dev.kip.sim.scenario;

import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** Events of a cluster by their reasons; one that was repeated counts each time. */
final class EventCounts {

    private EventCounts() {}

    /** @param reason may have stars */
    static int of(World world, String cluster, String reason) {
        return all(world, cluster).entrySet().stream()
                .filter(entry -> Globs.matches(reason, entry.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    static String found(World world, String cluster) {
        Map<String, Integer> all = all(world, cluster);
        return all.isEmpty() ? "there are no events" : "there are " + all;
    }

    private static Map<String, Integer> all(World world, String cluster) {
        Map<String, Integer> counts = new TreeMap<>();
        for (ObjectNode event : world.objects(cluster, "event")) {
            counts.merge(
                    event.path("reason").asString(""),
                    Math.max(
                            1,
                            Math.max(
                                    event.path("count").asInt(0),
                                    event.at("/series/count").asInt(0))),
                    Integer::sum);
        }
        return counts;
    }
}
