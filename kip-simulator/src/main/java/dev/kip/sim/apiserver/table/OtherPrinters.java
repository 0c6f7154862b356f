package dev.kip.sim.apiserver.table;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Storage, policy, access and extensions. */
final class OtherPrinters {

    private static final ImmutableMap<String, String> ACCESS_MODES = ImmutableMap.of(
            "ReadWriteOnce", "RWO", "ReadOnlyMany", "ROX", "ReadWriteMany", "RWX", "ReadWriteOncePod", "RWOP");

    private OtherPrinters() {}

    static ImmutableMap<String, Printer> printers() {
        return ImmutableMap.<String, Printer>builder()
                .put("/persistentvolumes", volumes())
                .put("/persistentvolumeclaims", claims())
                .put("storage.k8s.io/storageclasses", storageClasses())
                .put("autoscaling/horizontalpodautoscalers", autoscalers())
                .put("networking.k8s.io/ingresses", ingresses())
                .put("policy/poddisruptionbudgets", budgets())
                .put("/resourcequotas", quotas())
                .put("scheduling.k8s.io/priorityclasses", priorityClasses())
                .put("rbac.authorization.k8s.io/roles", createdAt())
                .put("rbac.authorization.k8s.io/clusterroles", createdAt())
                .put("rbac.authorization.k8s.io/rolebindings", bindings())
                .put("rbac.authorization.k8s.io/clusterrolebindings", bindings())
                .put("apiextensions.k8s.io/customresourcedefinitions", createdAt())
                .put("apiregistration.k8s.io/apiservices", apiServices())
                .put("certificates.k8s.io/certificatesigningrequests", signingRequests())
                .buildOrThrow();
    }

    static Printer scale() {
        return Printer.empty()
                .text("Name", "/metadata/name")
                .number("Desired", "/spec/replicas")
                .number("Available", "/status/replicas")
                .age()
                .build();
    }

    private static Printer volumes() {
        return Printer.named()
                .text("Capacity", "/spec/capacity/storage")
                .value("Access Modes", item -> accessModes(item.at("/spec/accessModes")))
                .text("Reclaim Policy", "/spec/persistentVolumeReclaimPolicy")
                .text("Status", "/status/phase")
                .value(
                        "Claim",
                        item -> item.at("/spec/claimRef").isObject()
                                ? Cells.text(item, "/spec/claimRef/namespace") + "/"
                                        + Cells.text(item, "/spec/claimRef/name")
                                : "")
                .text("StorageClass", "/spec/storageClassName")
                .value(
                        "VolumeAttributesClass",
                        item -> Cells.textOr(item, "/spec/volumeAttributesClassName", "<unset>"))
                .text("Reason", "/status/reason")
                .age()
                .wide("VolumeMode", item -> Cells.textOr(item, "/spec/volumeMode", "<unset>"))
                .build();
    }

    private static Printer claims() {
        return Printer.named()
                .value(
                        "Status",
                        item -> item.at("/metadata").hasNonNull("deletionTimestamp")
                                ? "Terminating"
                                : Cells.text(item, "/status/phase"))
                .text("Volume", "/spec/volumeName")
                .value("Capacity", item -> bound(item) ? Cells.text(item, "/status/capacity/storage") : "")
                .value("Access Modes", item -> bound(item) ? accessModes(item.at("/status/accessModes")) : "")
                .text("StorageClass", "/spec/storageClassName")
                .value(
                        "VolumeAttributesClass",
                        item -> Cells.textOr(item, "/spec/volumeAttributesClassName", "<unset>"))
                .age()
                .wide("VolumeMode", item -> Cells.textOr(item, "/spec/volumeMode", "<unset>"))
                .build();
    }

    private static boolean bound(JsonNode claim) {
        return !Cells.text(claim, "/spec/volumeName").isEmpty();
    }

    private static String accessModes(JsonNode modes) {
        List<String> all = new ArrayList<>();
        modes.forEach(mode -> all.add(mode.asString("")));
        List<String> parts = new ArrayList<>();
        ACCESS_MODES.forEach((mode, letters) -> {
            if (all.contains(mode)) {
                parts.add(letters);
            }
        });
        return String.join(",", parts);
    }

    private static Printer storageClasses() {
        return Printer.empty()
                .add(
                        new Printer.Column("Name", "string", "name", "Name must be unique within a namespace.", 0),
                        (item, now) -> Cells.text(item, "/metadata/name") + (isDefault(item) ? " (default)" : ""))
                .text("Provisioner", "/provisioner")
                .value("ReclaimPolicy", item -> Cells.textOr(item, "/reclaimPolicy", "Delete"))
                .value("VolumeBindingMode", item -> Cells.textOr(item, "/volumeBindingMode", "Immediate"))
                .value(
                        "AllowVolumeExpansion",
                        item -> item.path("allowVolumeExpansion").asBoolean(false))
                .age()
                .build();
    }

    private static boolean isDefault(JsonNode storageClass) {
        return storageClass
                .path("metadata")
                .path("annotations")
                .path("storageclass.kubernetes.io/is-default-class")
                .asString("")
                .equals("true");
    }

    private static Printer autoscalers() {
        return Printer.named()
                .value(
                        "Reference",
                        item -> Cells.text(item, "/spec/scaleTargetRef/kind") + "/"
                                + Cells.text(item, "/spec/scaleTargetRef/name"))
                .value("Targets", OtherPrinters::targets)
                .value("MinPods", item -> Cells.textOr(item, "/spec/minReplicas", "<unset>"))
                .value("MaxPods", item -> item.at("/spec/maxReplicas").asLong(0))
                .value("Replicas", item -> item.at("/status/currentReplicas").asLong(0))
                .age()
                .build();
    }

    private static String targets(JsonNode autoscaler) {
        JsonNode wanted = autoscaler.at("/spec/metrics");
        if (wanted.isEmpty()) {
            JsonNode old = autoscaler.at("/spec/targetCPUUtilizationPercentage");
            return old.isNumber() ? "cpu: <unknown>/" + old.asLong() + "%" : Cells.NONE;
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            JsonNode metric = wanted.get(i);
            JsonNode current = autoscaler.at("/status/currentMetrics/" + i + "/resource/current/averageUtilization");
            JsonNode target = metric.at("/resource/target/averageUtilization");
            String name = Cells.textOr(metric, "/resource/name", Cells.text(metric, "/type"));
            parts.add(name + ": " + (current.isNumber() ? current.asLong() + "%" : "<unknown>") + "/"
                    + (target.isNumber()
                            ? target.asLong() + "%"
                            : Cells.textOr(metric, "/resource/target/averageValue", "<auto>")));
        }
        return String.join(", ", parts);
    }

    private static Printer ingresses() {
        return Printer.named()
                .value("Class", item -> Cells.textOr(item, "/spec/ingressClassName", Cells.NONE))
                .value("Hosts", item -> {
                    List<String> hosts = new ArrayList<>();
                    item.at("/spec/rules").forEach(rule -> {
                        if (!rule.path("host").asString("").isEmpty()) {
                            hosts.add(rule.path("host").asString(""));
                        }
                    });
                    return hosts.isEmpty() ? "*" : String.join(",", hosts);
                })
                .value("Address", item -> {
                    List<String> addresses = new ArrayList<>();
                    item.at("/status/loadBalancer/ingress")
                            .forEach(ingress ->
                                    addresses.add(Cells.textOr(ingress, "/ip", Cells.text(ingress, "/hostname"))));
                    return String.join(",", addresses);
                })
                .value("Ports", item -> item.at("/spec/tls").isEmpty() ? "80" : "80, 443")
                .age()
                .build();
    }

    private static Printer budgets() {
        return Printer.named()
                .value("Min Available", item -> Cells.textOr(item, "/spec/minAvailable", "N/A"))
                .value("Max Unavailable", item -> Cells.textOr(item, "/spec/maxUnavailable", "N/A"))
                .number("Allowed Disruptions", "/status/disruptionsAllowed")
                .age()
                .build();
    }

    private static Printer quotas() {
        return Printer.named()
                .value("Request", item -> used(item, false))
                .value("Limit", item -> used(item, true))
                .age()
                .build();
    }

    private static String used(JsonNode quota, boolean limits) {
        Map<String, String> parts = new TreeMap<>();
        quota.at("/status/hard").properties().forEach(hard -> {
            if (hard.getKey().startsWith("limits") == limits) {
                String used = quota.at("/status/used").path(hard.getKey()).asString("0");
                parts.put(
                        hard.getKey(),
                        hard.getKey() + ": " + used + "/" + hard.getValue().asString(""));
            }
        });
        return String.join(", ", parts.values());
    }

    private static Printer priorityClasses() {
        return Printer.named()
                .number("Value", "/value")
                .value(
                        "Global-Default",
                        "boolean",
                        item -> item.path("globalDefault").asBoolean(false))
                .age()
                .value("PreemptionPolicy", item -> Cells.textOr(item, "/preemptionPolicy", "PreemptLowerPriority"))
                .build();
    }

    private static Printer createdAt() {
        return Printer.named()
                .value("Created At", "date", item -> Cells.text(item, "/metadata/creationTimestamp"))
                .build();
    }

    private static Printer bindings() {
        return Printer.named()
                .value("Role", item -> Cells.text(item, "/roleRef/kind") + "/" + Cells.text(item, "/roleRef/name"))
                .age()
                .wide("Users", item -> subjects(item, "User"))
                .wide("Groups", item -> subjects(item, "Group"))
                .wide("ServiceAccounts", item -> subjects(item, "ServiceAccount"))
                .build();
    }

    private static String subjects(JsonNode binding, String kind) {
        List<String> names = new ArrayList<>();
        for (JsonNode subject : binding.path("subjects")) {
            if (subject.path("kind").asString("").equals(kind)) {
                String name = subject.path("name").asString("");
                names.add(
                        kind.equals("ServiceAccount")
                                ? subject.path("namespace").asString("") + "/" + name
                                : name);
            }
        }
        return String.join(", ", names);
    }

    private static Printer apiServices() {
        return Printer.named()
                .value(
                        "Service",
                        item -> item.at("/spec/service").isObject()
                                ? Cells.text(item, "/spec/service/namespace") + "/"
                                        + Cells.text(item, "/spec/service/name")
                                : "Local")
                .value("Available", item -> {
                    String available = Cells.condition(item, "Available");
                    return available.isEmpty() ? "Unknown" : available;
                })
                .age()
                .build();
    }

    private static Printer signingRequests() {
        return Printer.named()
                .age()
                .value("SignerName", item -> Cells.textOr(item, "/spec/signerName", Cells.NONE))
                .text("Requestor", "/spec/username")
                .value(
                        "RequestedDuration",
                        item -> item.at("/spec/expirationSeconds").isNumber()
                                ? HumanDuration.of(java.time.Duration.ofSeconds(
                                        item.at("/spec/expirationSeconds").asLong()))
                                : Cells.NONE)
                .value("Condition", item -> {
                    List<String> conditions = new ArrayList<>();
                    for (String type : new String[] {"Approved", "Denied", "Failed"}) {
                        if (!Cells.condition(item, type).isEmpty()) {
                            conditions.add(type);
                        }
                    }
                    if (conditions.isEmpty()) {
                        return "Pending";
                    }
                    if (!Cells.text(item, "/status/certificate").isEmpty()) {
                        conditions.add("Issued");
                    }
                    return String.join(",", conditions);
                })
                .build();
    }
}
