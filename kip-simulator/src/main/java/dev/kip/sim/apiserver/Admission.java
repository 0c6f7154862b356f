package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.schema.Cause;
import dev.kip.sim.apiserver.store.Versioned;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What the server adds to objects, or refuses, because of other objects (the admission plugins that are on by default). */
final class Admission {

    private static final int TOLERATED_SECONDS = 300;

    private final Core core;
    private final ServiceAddresses addresses;

    Admission(Core core, ServiceAddresses addresses) {
        this.core = core;
        this.addresses = addresses;
    }

    /** Nothing is created in a namespace that does not exist, or that is going. */
    void checkNamespace(Resource resource, String namespace, JsonNode metadata) {
        if (!resource.type().namespaced()) {
            return;
        }
        Versioned found = core.resource("", "namespaces").existing("", namespace);
        if (found.object().path("metadata").has("deletionTimestamp")) {
            throw Failures.forbidden(
                    resource.type(),
                    metadata.path("name").asString(""),
                    "unable to create new content in namespace " + namespace + " because it is being terminated",
                    ImmutableList.of(new Cause(
                            "NamespaceTerminating",
                            "namespace " + namespace + " is being terminated",
                            "metadata.namespace")));
        }
    }

    /** Called after the kind's own defaults. */
    void onCreate(Resource resource, String namespace, ObjectNode object) {
        switch (resource.shelf().name()) {
            case "pods" -> {
                ObjectNode spec = object.withObjectProperty("spec");
                serviceAccount(resource, namespace, object, spec);
                priority(resource, object, spec);
                tolerate(spec, "node.kubernetes.io/not-ready");
                tolerate(spec, "node.kubernetes.io/unreachable");
            }
            case "services" -> addresses.allocate(resource, object);
            default -> {}
        }
    }

    void onUpdate(Resource resource, ObjectNode object, ObjectNode old) {
        if (resource.shelf().name().equals("services") && !object.path("spec").equals(old.path("spec"))) {
            addresses.allocate(resource, object);
        }
    }

    private void serviceAccount(Resource resource, String namespace, ObjectNode pod, ObjectNode spec) {
        String account = spec.path("serviceAccountName").asString("");
        if (account.isEmpty()) {
            account = "default";
            spec.put("serviceAccountName", account).put("serviceAccount", account);
        }
        boolean mirror = pod.path("metadata").path("annotations").has("kubernetes.io/config.mirror");
        if (!mirror
                && core.resource("", "serviceaccounts").find(namespace, account).isEmpty()) {
            throw Failures.forbidden(
                    resource.type(),
                    pod.path("metadata").path("name").asString(""),
                    "error looking up service account " + namespace + "/" + account + ": serviceaccount \"" + account
                            + "\" not found",
                    ImmutableList.of());
        }
    }

    private void priority(Resource resource, ObjectNode pod, ObjectNode spec) {
        String name = spec.path("priorityClassName").asString("");
        if (name.isEmpty()) {
            spec.put("priority", 0).put("preemptionPolicy", "PreemptLowerPriority");
            return;
        }
        Optional<Versioned> found =
                core.resource("scheduling.k8s.io", "priorityclasses").find("", name);
        if (found.isEmpty()) {
            throw Failures.forbidden(
                    resource.type(),
                    pod.path("metadata").path("name").asString(""),
                    "no PriorityClass with name " + name + " was found",
                    ImmutableList.of());
        }
        JsonNode priorityClass = found.get().object();
        spec.put("priority", priorityClass.path("value").asInt(0));
        spec.put("preemptionPolicy", priorityClass.path("preemptionPolicy").asString("PreemptLowerPriority"));
    }

    /** A pod outlives its node's trouble by five minutes unless it says otherwise. */
    private static void tolerate(ObjectNode spec, String taint) {
        ArrayNode tolerations = spec.withArrayProperty("tolerations");
        for (JsonNode toleration : tolerations) {
            String key = toleration.path("key").asString("");
            String effect = toleration.path("effect").asString("");
            if ((key.isEmpty() || key.equals(taint)) && (effect.isEmpty() || effect.equals("NoExecute"))) {
                return;
            }
        }
        tolerations
                .addObject()
                .put("key", taint)
                .put("operator", "Exists")
                .put("effect", "NoExecute")
                .put("tolerationSeconds", TOLERATED_SECONDS);
    }
}
