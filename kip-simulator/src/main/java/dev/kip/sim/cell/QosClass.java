package dev.kip.sim.cell;

import com.google.common.collect.ImmutableList;
import tools.jackson.databind.JsonNode;

/** A pod's quality of service, from the cpu and memory of all its containers. */
final class QosClass {

    private static final ImmutableList<String> COUNTED = ImmutableList.of("cpu", "memory");

    private QosClass() {}

    static String of(JsonNode spec) {
        boolean any = false;
        boolean guaranteed = true;
        for (String kind : ImmutableList.of("initContainers", "containers")) {
            for (JsonNode container : spec.path(kind)) {
                JsonNode limits = container.path("resources").path("limits");
                JsonNode requests = container.path("resources").path("requests");
                for (String resource : COUNTED) {
                    boolean limited = limits.has(resource);
                    any |= limited || requests.has(resource);
                    // The API server fills in requests from limits, so equal text is what equal quantities look like.
                    guaranteed &= limited
                            && (!requests.has(resource)
                                    || requests.path(resource).equals(limits.path(resource)));
                }
            }
        }
        return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
    }
}
