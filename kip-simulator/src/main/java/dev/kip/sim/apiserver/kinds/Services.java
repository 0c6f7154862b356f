package dev.kip.sim.apiserver.kinds;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.schema.FieldErrors;
import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Services. Addresses are allocated by the server, since that needs to know all services. */
public final class Services implements Strategy {

    private static final ImmutableSet<String> TYPES =
            ImmutableSet.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");

    private static final Traits TRAITS =
            Traits.PLAIN.withStatus().creatingOnUpdate().answeringDeleted().named(Names.SERVICE);

    @Override
    public Traits traits() {
        return TRAITS;
    }

    @Override
    public void fillDefaults(ObjectNode service) {
        ObjectNode spec = PodDefaults.object(service, "spec");
        PodDefaults.text(spec, "type", "ClusterIP");
        PodDefaults.text(spec, "sessionAffinity", "None");
        String type = spec.path("type").asString("");
        if (!type.equals("ExternalName")) {
            PodDefaults.text(spec, "internalTrafficPolicy", "Cluster");
        }
        if (type.equals("NodePort") || type.equals("LoadBalancer")) {
            PodDefaults.text(spec, "externalTrafficPolicy", "Cluster");
        }
        if (type.equals("LoadBalancer")) {
            PodDefaults.flag(spec, "allocateLoadBalancerNodePorts", true);
        }
        for (JsonNode element : spec.path("ports")) {
            if (element instanceof ObjectNode port) {
                PodDefaults.text(port, "protocol", "TCP");
                if (!port.has("targetPort") && port.has("port")) {
                    port.set("targetPort", port.path("port"));
                }
            }
        }
    }

    @Override
    public void beforeCreate(ObjectNode service) {
        service.putObject("status").putObject("loadBalancer");
    }

    @Override
    public void beforeUpdate(ObjectNode service, ObjectNode old) {
        ObjectNode spec = service.withObjectProperty("spec");
        JsonNode oldSpec = old.path("spec");
        if (spec.path("type").asString("").equals("ExternalName")) {
            return;
        }
        for (String field : ImmutableSet.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
            if (!spec.has(field) && oldSpec.has(field)) {
                spec.set(field, oldSpec.path(field));
            }
        }
        int index = 0;
        for (JsonNode port : spec.path("ports")) {
            JsonNode before = oldSpec.path("ports").path(index++);
            if (before.has("nodePort")
                    && !port.has("nodePort")
                    && before.path("port").equals(port.path("port"))
                    && !spec.path("type").asString("").equals("ClusterIP")) {
                ((ObjectNode) port).set("nodePort", before.path("nodePort"));
            }
        }
    }

    /** What an allocated address looks like in the spec. */
    public static void assign(ObjectNode spec, String address) {
        spec.put("clusterIP", address);
        ArrayNode addresses = spec.putArray("clusterIPs");
        addresses.add(address);
        if (!spec.has("ipFamilies")) {
            spec.putArray("ipFamilies").add("IPv4");
        }
        PodDefaults.text(spec, "ipFamilyPolicy", "SingleStack");
    }

    @Override
    public void validate(ObjectNode service, FieldErrors errors) {
        JsonNode spec = service.path("spec");
        String type = spec.path("type").asString("");
        if (!TYPES.contains(type)) {
            errors.notSupported("spec.type", type, TYPES);
        }
        boolean headless = spec.path("clusterIP").asString("").equals("None");
        if (spec.path("ports").isEmpty() && !headless && !type.equals("ExternalName")) {
            errors.required("spec.ports", "");
        }
        if (type.equals("ExternalName")
                && spec.path("externalName").asString("").isEmpty()) {
            errors.required("spec.externalName", "");
        }
        Metadata.validateLabels("spec.selector", spec.path("selector"), errors);
        Set<String> names = new LinkedHashSet<>();
        Set<String> taken = new LinkedHashSet<>();
        int index = 0;
        for (JsonNode port : spec.path("ports")) {
            String at = "spec.ports[" + index++ + "]";
            String name = port.path("name").asString("");
            if (name.isEmpty() && spec.path("ports").size() > 1) {
                errors.required(at + ".name", "");
            } else if (!name.isEmpty()) {
                Names.LABEL.check(at + ".name", name, errors);
                if (!names.add(name)) {
                    errors.duplicate(at + ".name", FieldErrors.quoted(name));
                }
            }
            int number = port.path("port").asInt(0);
            if (number < 1 || number > 65535) {
                errors.invalid(at + ".port", Integer.toString(number), "must be between 1 and 65535, inclusive");
            }
            String key = number + "/" + port.path("protocol").asString("");
            if (!taken.add(key)) {
                errors.duplicate(
                        at, "{\"protocol\":\"" + port.path("protocol").asString("") + "\",\"port\":" + number + "}");
            }
        }
    }

    @Override
    public void validateUpdate(ObjectNode service, ObjectNode old, FieldErrors errors) {
        JsonNode address = service.path("spec").path("clusterIP");
        JsonNode before = old.path("spec").path("clusterIP");
        boolean external = service.path("spec").path("type").asString("").equals("ExternalName")
                || old.path("spec").path("type").asString("").equals("ExternalName");
        if (!external && before.isString() && !address.equals(before)) {
            errors.invalid(
                    "spec.clusterIPs[0]",
                    "[]string{" + FieldErrors.quoted(address.asString("")) + "}",
                    "may not change once set");
        }
    }
}
