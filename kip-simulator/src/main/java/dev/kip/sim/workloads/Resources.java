package dev.kip.sim.workloads;

import com.google.common.collect.ImmutableMap;
import dev.kip.quantity.Quantities;
import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Amounts by resource name, such as {@code cpu} and {@code memory}. Immutable to its users. */
record Resources(Map<String, BigDecimal> amounts) {

    static final Resources NONE = new Resources(ImmutableMap.of());
    private static final String PODS = "pods";

    static Resources of(JsonNode quantities) {
        Map<String, BigDecimal> amounts = new TreeMap<>();
        quantities
                .properties()
                .forEach(entry -> amounts.put(
                        entry.getKey(), Quantities.parse(entry.getValue().asString("0"))));
        return new Resources(amounts);
    }

    /**
     * What a pod takes from its node: the containers and sidecars together, or the largest moment of its start-up if
     * that is more; its overhead; and a place.
     */
    static Resources ofPod(JsonNode pod) {
        JsonNode spec = pod.path("spec");
        Resources running = NONE;
        for (JsonNode container : spec.path("containers")) {
            running = running.plus(requests(container));
        }
        Resources sidecars = NONE;
        Resources starting = NONE;
        for (JsonNode container : spec.path("initContainers")) {
            if (container.path("restartPolicy").asString("").equals("Always")) {
                sidecars = sidecars.plus(requests(container));
                starting = starting.max(sidecars);
            } else {
                starting = starting.max(sidecars.plus(requests(container)));
            }
        }
        return running.plus(sidecars)
                .max(starting)
                .plus(of(spec.path("overhead")))
                .plus(new Resources(ImmutableMap.of(PODS, BigDecimal.ONE)));
    }

    private static Resources requests(JsonNode container) {
        return of(container.path("resources").path("requests"));
    }

    BigDecimal get(String resource) {
        return amounts.getOrDefault(resource, BigDecimal.ZERO);
    }

    Resources plus(Resources other) {
        Map<String, BigDecimal> sum = new TreeMap<>(amounts);
        other.amounts.forEach((resource, amount) -> sum.merge(resource, amount, BigDecimal::add));
        return new Resources(sum);
    }

    Resources minus(Resources other) {
        Map<String, BigDecimal> difference = new TreeMap<>(amounts);
        other.amounts.forEach((resource, amount) -> difference.merge(resource, amount.negate(), BigDecimal::add));
        return new Resources(difference);
    }

    private Resources max(Resources other) {
        Map<String, BigDecimal> larger = new TreeMap<>(amounts);
        other.amounts.forEach((resource, amount) -> larger.merge(resource, amount, BigDecimal::max));
        return new Resources(larger);
    }
}
