package dev.kip.sim.apiserver.table;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** Sums up a node in one line. */
final class NodePrinter {

    private static final String ROLE = "node-role.kubernetes.io/";

    private NodePrinter() {}

    static Printer printer() {
        return Printer.named()
                .value("Status", NodePrinter::status)
                .value("Roles", NodePrinter::roles)
                .age()
                .text("Version", "/status/nodeInfo/kubeletVersion")
                .wide("Internal-IP", node -> address(node, "InternalIP"))
                .wide("External-IP", node -> address(node, "ExternalIP"))
                .wide("OS-Image", node -> Cells.textOr(node, "/status/nodeInfo/osImage", "<unknown>"))
                .wide("Kernel-Version", node -> Cells.textOr(node, "/status/nodeInfo/kernelVersion", "<unknown>"))
                .wide(
                        "Container-Runtime",
                        node -> Cells.textOr(node, "/status/nodeInfo/containerRuntimeVersion", "<unknown>"))
                .build();
    }

    private static String status(JsonNode node) {
        List<String> status = new ArrayList<>();
        String ready = Cells.condition(node, "Ready");
        status.add(ready.isEmpty() ? "Unknown" : ready.equals("True") ? "Ready" : "NotReady");
        if (node.at("/spec/unschedulable").asBoolean(false)) {
            status.add("SchedulingDisabled");
        }
        return String.join(",", status);
    }

    private static String roles(JsonNode node) {
        TreeSet<String> roles = new TreeSet<>();
        node.at("/metadata/labels").properties().forEach(label -> {
            String key = label.getKey();
            if (key.startsWith(ROLE) && key.length() > ROLE.length()) {
                roles.add(key.substring(ROLE.length()));
            } else if (key.equals("kubernetes.io/role")
                    && !label.getValue().asString("").isEmpty()) {
                roles.add(label.getValue().asString(""));
            }
        });
        return roles.isEmpty() ? Cells.NONE : String.join(",", roles);
    }

    private static String address(JsonNode node, String type) {
        for (JsonNode address : node.at("/status/addresses")) {
            if (address.path("type").asString("").equals(type)) {
                return address.path("address").asString("");
            }
        }
        return Cells.NONE;
    }
}
