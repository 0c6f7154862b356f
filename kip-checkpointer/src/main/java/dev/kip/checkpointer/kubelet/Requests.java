package dev.kip.checkpointer.kubelet;

import dev.kip.checkpointer.kubelet.KubeletRule.Hit;
import dev.kip.quantity.Quantities;
import java.math.BigDecimal;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a pod asks the node for, as admission adds it up. */
final class Requests {

    private Requests() {}

    /** The first resource that does not fit beside the other pods; none if nothing is known of the node. */
    static Stream<Hit> beyondTheNode(Look look) {
        return look.node().allocatable().entrySet().stream()
                .flatMap(resource -> beyond(look, resource))
                .limit(1);
    }

    private static Stream<Hit> beyond(Look look, Map.Entry<String, BigDecimal> resource) {
        String name = resource.getKey();
        BigDecimal used = BigDecimal.ZERO;
        for (ObjectNode other : look.circumstances().others()) {
            used = used.add(of(other, name));
        }
        BigDecimal wanted = of(look.pod(), name);
        boolean fits = wanted.signum() == 0 || used.add(wanted).compareTo(resource.getValue()) <= 0;
        return fits
                ? Stream.empty()
                : Stream.of(Hit.at(
                        "spec.containers[0].resources.requests." + name,
                        name,
                        wanted.toPlainString(),
                        used.toPlainString(),
                        resource.getValue().toPlainString()));
    }

    private static BigDecimal of(ObjectNode pod, String resource) {
        BigDecimal running = BigDecimal.ZERO;
        for (JsonNode container : pod.path("spec").path("containers")) {
            running = running.add(asked(container, resource));
        }
        BigDecimal starting = BigDecimal.ZERO;
        BigDecimal sidecars = BigDecimal.ZERO;
        for (JsonNode container : pod.path("spec").path("initContainers")) {
            BigDecimal asked = asked(container, resource);
            if (container.path("restartPolicy").asString("").equals("Always")) {
                sidecars = sidecars.add(asked);
                starting = starting.max(sidecars);
            } else {
                starting = starting.max(sidecars.add(asked));
            }
        }
        return running.add(sidecars).max(starting);
    }

    /** A request that is not given is the limit; what is no quantity asks for nothing here, and is refused elsewhere. */
    private static BigDecimal asked(JsonNode container, String resource) {
        JsonNode resources = container.path("resources");
        String request = resources.path("requests").path(resource).asString("");
        String text =
                request.isEmpty() ? resources.path("limits").path(resource).asString("") : request;
        try {
            return text.isEmpty() ? BigDecimal.ZERO : Quantities.parse(text);
        } catch (IllegalArgumentException e) {
            return BigDecimal.ZERO;
        }
    }
}
