package dev.kip.sim.apiserver.selector;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Which fields each kind can be selected by; every kind by name, the namespaced ones by namespace too. */
public final class SelectableFields {

    private static final ImmutableMap<String, ImmutableList<String>> OF_KIND =
            ImmutableMap.<String, ImmutableList<String>>builder()
                    .put(
                            "pods",
                            ImmutableList.of(
                                    "spec.nodeName",
                                    "spec.restartPolicy",
                                    "spec.schedulerName",
                                    "spec.serviceAccountName",
                                    "spec.hostNetwork",
                                    "status.phase",
                                    "status.podIP",
                                    "status.podIPs",
                                    "status.nominatedNodeName"))
                    .put("nodes", ImmutableList.of("spec.unschedulable"))
                    .put("namespaces", ImmutableList.of("status.phase"))
                    .put("secrets", ImmutableList.of("type"))
                    .put("services", ImmutableList.of("spec.clusterIP", "spec.type"))
                    .put("replicationcontrollers", ImmutableList.of("status.replicas"))
                    .put("apps/replicasets", ImmutableList.of("status.replicas"))
                    .put("certificates.k8s.io/certificatesigningrequests", ImmutableList.of("spec.signerName"))
                    .put("batch/jobs", ImmutableList.of("status.successful"))
                    .put(
                            "events",
                            ImmutableList.of(
                                    "involvedObject.kind",
                                    "involvedObject.namespace",
                                    "involvedObject.name",
                                    "involvedObject.uid",
                                    "involvedObject.apiVersion",
                                    "involvedObject.resourceVersion",
                                    "involvedObject.fieldPath",
                                    "regarding.kind",
                                    "regarding.namespace",
                                    "regarding.name",
                                    "regarding.uid",
                                    "regarding.apiVersion",
                                    "regarding.resourceVersion",
                                    "regarding.fieldPath",
                                    "reason",
                                    "reportingComponent",
                                    "reportingController",
                                    "source",
                                    "type"))
                    .build();

    private SelectableFields() {}

    /** @param storedKind name of the shelf, for example {@code apps/replicasets} */
    public static ImmutableMap<String, Function<JsonNode, String>> of(String storedKind, boolean namespaced) {
        ImmutableMap.Builder<String, Function<JsonNode, String>> fields = ImmutableMap.builder();
        fields.put("metadata.name", at("metadata.name"));
        if (namespaced) {
            fields.put("metadata.namespace", at("metadata.namespace"));
        }
        for (String path : OF_KIND.getOrDefault(storedKind, ImmutableList.of())) {
            fields.put(path, reader(path));
        }
        return fields.buildOrThrow();
    }

    private static Function<JsonNode, String> reader(String path) {
        return switch (path) {
            case "spec.hostNetwork", "spec.unschedulable" ->
                object -> Boolean.toString(at(path).apply(object).equals("true"));
            case "status.replicas" ->
                object -> object.path("status").path("replicas").asString("0");
            case "status.successful" ->
                object -> object.path("status").path("succeeded").asString("0");
            case "status.podIPs" ->
                object ->
                        object.path("status").path("podIPs").path(0).path("ip").asString("");
            case "source" ->
                object -> object.path("source")
                        .path("component")
                        .asString(object.path("reportingComponent").asString(""));
            case "reportingController" -> at("reportingComponent");
            default ->
                path.startsWith("regarding.")
                        ? at("involvedObject." + path.substring("regarding.".length()))
                        : at(path);
        };
    }

    private static Function<JsonNode, String> at(String path) {
        ImmutableList<String> names = ImmutableList.copyOf(path.split("\\.", -1));
        return object -> {
            JsonNode node = object;
            for (String name : names) {
                node = node.path(name);
            }
            return node.asString("");
        };
    }
}
