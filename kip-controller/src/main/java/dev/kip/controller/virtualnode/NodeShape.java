package dev.kip.controller.virtualnode;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ControllerSettings.NodeSettings;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What the virtual node's object says. Pure. */
final class NodeShape {

    static final String TAINT = "virtual-kubelet.io/provider";

    /** Tells our own cordon, which goes with its reason, from one that somebody else has put there. */
    static final String CORDONED = "kip.elotl.co/cordoned";

    private static final ImmutableList<Condition> CONDITIONS = ImmutableList.of(
            new Condition("Ready", "True", "KubeletReady", "kip is ready"),
            new Condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "cells bring their own"),
            new Condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "cells bring their own"),
            new Condition("PIDPressure", "False", "KubeletHasSufficientPID", "cells bring their own"),
            new Condition("NetworkUnavailable", "False", "RouteCreated", "cells are on the VPC's network"));

    private record Condition(String type, String status, String reason, String message) {}

    private final NodeSettings settings;

    NodeShape(NodeSettings settings) {
        this.settings = settings;
    }

    /** @param cordoned nothing more is to be scheduled there */
    ObjectNode object(Instant now, boolean cordoned) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("apiVersion", "v1");
        node.put("kind", "Node");
        ObjectNode metadata = node.putObject("metadata");
        metadata.put("name", settings.name());
        ObjectNode labels = metadata.putObject("labels");
        labels().forEach(labels::put);
        if (settings.taint()) {
            node.withObject("/spec").putArray("taints").add(taint());
        }
        if (cordoned) {
            cordon(node);
        }
        node.set("status", status(node, now));
        return node;
    }

    /** The original's labels, and those of today. */
    private Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("type", "virtual-kubelet");
        labels.put("kubernetes.io/role", "agent");
        labels.put("kubernetes.io/hostname", settings.name());
        labels.put("beta.kubernetes.io/os", "linux");
        labels.put("kubernetes.io/os", "linux");
        labels.put("kubernetes.io/arch", NodeSettings.ARCHITECTURE);
        labels.putAll(settings.labels());
        return labels;
    }

    private static void cordon(ObjectNode node) {
        node.withObject("/metadata").withObject("/annotations").put(CORDONED, "drain");
        node.withObject("/spec").put("unschedulable", true);
    }

    private static ObjectNode taint() {
        ObjectNode taint = JsonNodeFactory.instance.objectNode();
        taint.put("key", TAINT);
        taint.put("value", "kip");
        taint.put("effect", "NoSchedule");
        return taint;
    }

    /** A merge patch that adds what is missing and leaves the rest alone; empty if nothing is. */
    ObjectNode repair(JsonNode found, boolean cordoned) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        boolean ours = found.path("metadata").path("annotations").has(CORDONED);
        if (cordoned && !found.path("spec").path("unschedulable").asBoolean(false)) {
            cordon(patch);
        } else if (ours && !cordoned) {
            patch.withObject("/metadata").withObject("/annotations").putNull(CORDONED);
            patch.withObject("/spec").putNull("unschedulable");
        }
        JsonNode has = found.path("metadata").path("labels");
        labels().forEach((key, value) -> {
            if (!has.path(key).asString("").equals(value)) {
                patch.withObject("/metadata").withObject("/labels").put(key, value);
            }
        });
        JsonNode taints = found.path("spec").path("taints");
        boolean tainted = false;
        for (JsonNode taint : taints) {
            tainted |= taint.path("key").asString("").equals(TAINT);
        }
        if (tainted != settings.taint()) {
            ArrayNode next = patch.withObject("/spec").putArray("taints");
            for (JsonNode taint : taints) {
                if (!taint.path("key").asString("").equals(TAINT)) {
                    next.add(taint);
                }
            }
            if (settings.taint()) {
                next.add(taint());
            }
        }
        return patch;
    }

    /** @param found the node as it is, for conditions' transition times and those of others */
    ObjectNode status(JsonNode found, Instant now) {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        ObjectNode capacity = status.putObject("capacity");
        ObjectNode allocatable = status.putObject("allocatable");
        settings.capacity().forEach((resource, quantity) -> {
            capacity.put(resource, quantity);
            allocatable.put(resource, quantity);
        });
        status.set("conditions", conditions(found.path("status").path("conditions"), time));
        ArrayNode addresses = status.putArray("addresses");
        settings.internalIp().ifPresent(ip -> address(addresses, "InternalIP", ip));
        address(addresses, "Hostname", settings.name());
        status.putObject("daemonEndpoints").putObject("kubeletEndpoint").put("Port", settings.kubeletPort());
        ObjectNode info = status.putObject("nodeInfo");
        for (String empty : ImmutableList.of("machineID", "systemUUID", "bootID", "kernelVersion", "osImage")) {
            info.put(empty, "");
        }
        info.put("containerRuntimeVersion", "");
        info.put("kubeletVersion", NodeVersion.KUBERNETES + "-kip-" + settings.version());
        info.put("kubeProxyVersion", "");
        info.put("operatingSystem", "linux");
        info.put("architecture", NodeSettings.ARCHITECTURE);
        return status;
    }

    private static ArrayNode conditions(JsonNode found, String time) {
        ArrayNode conditions = JsonNodeFactory.instance.arrayNode();
        for (Condition condition : CONDITIONS) {
            String since = time;
            for (JsonNode old : found) {
                if (old.path("type").asString("").equals(condition.type())
                        && old.path("status").asString("").equals(condition.status())) {
                    since = old.path("lastTransitionTime").asString(time);
                }
            }
            ObjectNode next = conditions.addObject();
            next.put("type", condition.type());
            next.put("status", condition.status());
            next.put("reason", condition.reason());
            next.put("message", condition.message());
            next.put("lastHeartbeatTime", time);
            next.put("lastTransitionTime", since);
        }
        for (JsonNode old : found) {
            String type = old.path("type").asString("");
            if (CONDITIONS.stream().noneMatch(condition -> condition.type().equals(type))) {
                conditions.add(old);
            }
        }
        return conditions;
    }

    private static void address(ArrayNode addresses, String type, String address) {
        ObjectNode entry = addresses.addObject();
        entry.put("type", type);
        entry.put("address", address);
    }

    /** What a node's status says, times apart. The API server may write a quantity in other words than we did. */
    static String gist(JsonNode node) {
        JsonNode status = node.path("status");
        StringBuilder gist = new StringBuilder();
        for (String field : ImmutableList.of("capacity", "allocatable", "addresses", "daemonEndpoints", "nodeInfo")) {
            gist.append(status.path(field)).append('\n');
        }
        for (Condition condition : CONDITIONS) {
            for (JsonNode found : status.path("conditions")) {
                if (found.path("type").asString("").equals(condition.type())) {
                    gist.append(condition.type()).append(found.path("status"));
                }
            }
        }
        return gist.toString();
    }
}
