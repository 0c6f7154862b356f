package dev.kip.sim.workloads;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes down which pods serve a Service: an Endpoints object and an EndpointSlice for each. */
final class EndpointsController {

    private static final String SERVICE_NAME = "kubernetes.io/service-name";

    private final Cluster cluster;
    private final Cache services;
    private final Cache.Index servicesByNamespace;
    private final Cache.Index podsByNamespace;
    private final Cache endpoints;
    private final Cache slices;
    private final Cache.Index slicesByController;
    private final WorkQueue queue;

    EndpointsController(Cluster cluster) {
        this.cluster = cluster;
        services = cluster.cache("", "services");
        servicesByNamespace = services.index(service -> List.of(Objects.namespace(service)));
        podsByNamespace = cluster.pods.index(pod -> List.of(Objects.namespace(pod)));
        endpoints = cluster.cache("", "endpoints");
        slices = cluster.cache("discovery.k8s.io", "endpointslices");
        slicesByController = slices.index(Cluster::byController);
        queue = cluster.queue("endpoints", this::sync);
        services.listen(
                (before, after) -> queue.add(Cache.key(after.or(() -> before).orElseThrow())));
        cluster.pods.listen((before, after) -> {
            before.ifPresent(this::podChanged);
            after.ifPresent(this::podChanged);
        });
    }

    private void podChanged(ObjectNode pod) {
        for (ObjectNode service : servicesByNamespace.get(Objects.namespace(pod))) {
            if (selects(service, pod)) {
                queue.add(Cache.key(service));
            }
        }
    }

    private static boolean selects(ObjectNode service, ObjectNode pod) {
        JsonNode selector = service.path("spec").path("selector");
        return !selector.isEmpty()
                && Selector.hasAll(selector, pod.path("metadata").path("labels"));
    }

    private void sync(String key) {
        Optional<ObjectNode> found = services.get(key);
        if (found.isEmpty()) {
            endpoints
                    .get(key)
                    .filter(known -> !Objects.isLeaving(known))
                    .ifPresent(known -> cluster.delete(endpoints, known));
            return;
        }
        ObjectNode service = found.get();
        if (service.path("spec").path("selector").isEmpty() || Objects.isLeaving(service)) {
            return;
        }
        List<ObjectNode> pods = podsByNamespace.get(Objects.namespace(service)).stream()
                .filter(pod -> selects(service, pod) && !PodFacts.hasEnded(pod) && !ip(pod).isEmpty())
                .toList();
        writeEndpoints(service, pods);
        writeSlice(service, pods);
    }

    private static String ip(ObjectNode pod) {
        return pod.path("status").path("podIP").asString("");
    }

    private static boolean serves(ObjectNode service, ObjectNode pod) {
        return service.path("spec").path("publishNotReadyAddresses").asBoolean(false)
                || (PodFacts.isReady(pod) && !Objects.isLeaving(pod));
    }

    private static ObjectNode target(ObjectNode pod) {
        return Objects.JSON
                .objectNode()
                .put("kind", "Pod")
                .put("namespace", Objects.namespace(pod))
                .put("name", Objects.name(pod))
                .put("uid", Objects.uid(pod));
    }

    private void writeEndpoints(ObjectNode service, List<ObjectNode> pods) {
        ArrayNode ready = Objects.JSON.arrayNode();
        ArrayNode notReady = Objects.JSON.arrayNode();
        for (ObjectNode pod : pods) {
            ObjectNode address = Objects.JSON.objectNode().put("ip", ip(pod));
            if (!PodFacts.node(pod).isEmpty()) {
                address.put("nodeName", PodFacts.node(pod));
            }
            address.set("targetRef", target(pod));
            (serves(service, pod) ? ready : notReady).add(address);
        }
        ArrayNode subsets = Objects.JSON.arrayNode();
        if (!pods.isEmpty()) {
            ObjectNode subset = subsets.addObject();
            if (!ready.isEmpty()) {
                subset.set("addresses", ready);
            }
            if (!notReady.isEmpty()) {
                subset.set("notReadyAddresses", notReady);
            }
            subset.set("ports", ports(service, pods));
        }
        Optional<ObjectNode> present = endpoints.get(Cache.key(service));
        ObjectNode wanted = present.map(ObjectNode::deepCopy).orElseGet(() -> {
            ObjectNode made = Objects.JSON.objectNode().put("kind", "Endpoints").put("apiVersion", "v1");
            made.putObject("metadata").put("name", Objects.name(service)).put("namespace", Objects.namespace(service));
            return made;
        });
        if (subsets.isEmpty()) {
            wanted.remove("subsets");
        } else {
            wanted.set("subsets", subsets);
        }
        write(endpoints, present, wanted);
    }

    private void writeSlice(ObjectNode service, List<ObjectNode> pods) {
        Optional<ObjectNode> present =
                slicesByController.get(Objects.uid(service)).stream().findFirst();
        ObjectNode wanted = present.map(ObjectNode::deepCopy).orElseGet(() -> {
            ObjectNode made =
                    Objects.JSON.objectNode().put("kind", "EndpointSlice").put("apiVersion", "discovery.k8s.io/v1");
            ObjectNode metadata = made.putObject("metadata")
                    .put("generateName", Objects.name(service) + "-")
                    .put("namespace", Objects.namespace(service));
            metadata.putObject("labels")
                    .put("endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io")
                    .put(SERVICE_NAME, Objects.name(service));
            metadata.putArray("ownerReferences").add(Objects.controllerReference(service, "v1", "Service"));
            return made.put("addressType", "IPv4");
        });
        ArrayNode list = Objects.JSON.arrayNode();
        for (ObjectNode pod : pods) {
            ObjectNode endpoint = list.addObject();
            endpoint.putArray("addresses").add(ip(pod));
            endpoint.putObject("conditions")
                    .put("ready", serves(service, pod))
                    .put("serving", PodFacts.isReady(pod))
                    .put("terminating", Objects.isLeaving(pod));
            if (!PodFacts.node(pod).isEmpty()) {
                endpoint.put("nodeName", PodFacts.node(pod));
            }
            endpoint.set("targetRef", target(pod));
        }
        wanted.set("endpoints", list);
        wanted.set("ports", ports(service, pods));
        write(slices, present, wanted);
    }

    private void write(Cache cache, Optional<ObjectNode> present, ObjectNode wanted) {
        if (present.isEmpty()) {
            cluster.create(cache, Objects.namespace(wanted), wanted);
        } else if (!present.get().equals(wanted)) {
            cluster.update(cache, wanted);
        }
    }

    private static ArrayNode ports(ObjectNode service, List<ObjectNode> pods) {
        ArrayNode ports = Objects.JSON.arrayNode();
        for (JsonNode port : service.path("spec").path("ports")) {
            List<Integer> numbers = new ArrayList<>();
            for (ObjectNode pod : pods) {
                numbers.add(number(port, pod));
            }
            int number = numbers.stream().filter(found -> found > 0).findFirst().orElse(0);
            if (number > 0) {
                ports.addObject()
                        .put("name", port.path("name").asString(""))
                        .put("port", number)
                        .put("protocol", port.path("protocol").asString("TCP"));
            }
        }
        return ports;
    }

    /** The container's port that a service port leads to, by number or by name; 0 if the pod has none of that name. */
    private static int number(JsonNode port, ObjectNode pod) {
        JsonNode target = port.path("targetPort");
        if (target.isNumber()) {
            return target.asInt();
        }
        if (target.asString("").isEmpty()) {
            return port.path("port").asInt(0);
        }
        for (JsonNode container : pod.path("spec").path("containers")) {
            for (JsonNode named : container.path("ports")) {
                if (named.path("name").asString("").equals(target.asString(""))) {
                    return named.path("containerPort").asInt(0);
                }
            }
        }
        return 0;
    }
}
