package dev.kip.sim.apiserver;

import dev.kip.sim.apiserver.Writes.Part;
import dev.kip.sim.apiserver.schema.FieldErrors;
import dev.kip.sim.apiserver.store.Versioned;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Subresources that are posted to: each does something of its own to the object. */
final class Subresources {

    private final Core core;
    private final Writes writes;
    private final Evictions evictions;
    private final Tokens tokens;

    Subresources(Core core, Writes writes, Evictions evictions, Tokens tokens) {
        this.core = core;
        this.writes = writes;
        this.evictions = evictions;
        this.tokens = tokens;
    }

    /** @return the answer, with the status code of a creation */
    ObjectNode post(
            Resource resource,
            String namespace,
            String name,
            String subresource,
            ObjectNode body,
            WriteContext context) {
        return switch (resource.shelf().name() + "/" + subresource) {
            case "pods/binding" -> bind(resource, namespace, name, body, context);
            case "pods/eviction" -> evictions.evict(resource, namespace, name, body, context);
            case "serviceaccounts/token" -> {
                ObjectNode account = resource.existing(namespace, name).object();
                checkBound(namespace, name, body.path("spec").path("boundObjectRef"));
                yield tokens.issue(namespace, name, account, body);
            }
            default -> throw Failures.methodNotAllowed();
        };
    }

    /** A token may be bound to a pod of this account, or to a secret, that exists. */
    private void checkBound(String namespace, String account, JsonNode bound) {
        String kind = bound.path("kind").asString("");
        if (!kind.equals("Pod") && !kind.equals("Secret")) {
            return;
        }
        String name = bound.path("name").asString("");
        Resource resource = core.resource("", kind.equals("Pod") ? "pods" : "secrets");
        ObjectNode object = resource.existing(namespace, name).object();
        String uid = bound.path("uid").asString("");
        String current = object.path("metadata").path("uid").asString("");
        if (!uid.isEmpty() && !uid.equals(current)) {
            throw Failures.conflict(
                    resource.type(),
                    name,
                    "the UID in the bound object reference (" + uid
                            + ") does not match the UID in record. The object might"
                            + " have been deleted and then recreated");
        }
        String owner = object.path("spec").path("serviceAccountName").asString(account);
        if (kind.equals("Pod") && !owner.equals(account)) {
            throw Failures.badRequest("cannot bind token for serviceaccount \"" + account
                    + "\" to pod running with different serviceaccount name.");
        }
    }

    /** The scheduler's word: the pod goes to this node, once and for all. */
    ObjectNode bind(Resource pods, String namespace, String name, ObjectNode binding, WriteContext context) {
        String node = binding.path("target").path("name").asString("");
        if (node.isEmpty()) {
            FieldErrors errors = new FieldErrors();
            errors.required("target.name", "");
            throw Failures.invalid("", "Binding", name, errors.causes());
        }
        JsonNode pod = pods.existing(namespace, name).object();
        String uid = binding.path("metadata").path("uid").asString("");
        if (!uid.isEmpty() && !uid.equals(pod.path("metadata").path("uid").asString(""))) {
            throw conflict(
                    pods,
                    name,
                    "Precondition failed: UID in precondition: " + uid + ", UID in object meta: "
                            + pod.path("metadata").path("uid").asString(""));
        }
        if (pod.path("metadata").has("deletionTimestamp")) {
            throw conflict(pods, name, "pod " + name + " is being deleted, cannot be assigned to a host");
        }
        String assigned = pod.path("spec").path("nodeName").asString("");
        if (!assigned.isEmpty()) {
            throw conflict(pods, name, "pod " + name + " is already assigned to node \"" + assigned + "\"");
        }
        if (!pod.path("spec").path("schedulingGates").isEmpty()) {
            throw conflict(pods, name, "pod " + name + " has non-empty .spec.schedulingGates");
        }
        writes.update(pods, namespace, name, Part.ANY, false, present -> bound(present, node, binding), context);
        return Answers.success(201);
    }

    private ObjectNode bound(ObjectNode present, String node, ObjectNode binding) {
        ObjectNode pod = Trees.changing(present, "metadata", "spec", "status");
        pod.withObjectProperty("spec").put("nodeName", node);
        for (Map.Entry<String, JsonNode> annotation :
                binding.path("metadata").path("annotations").properties()) {
            pod.withObjectProperty("metadata")
                    .withObjectProperty("annotations")
                    .set(annotation.getKey(), annotation.getValue());
        }
        Conditions.set(pod, "PodScheduled", "True", "", "", core.timestamp());
        return pod;
    }

    private static ApiFailure conflict(Resource pods, String name, String why) {
        return Failures.conflict(pods.type(), "binding", name, why);
    }

    /** The changed list of ephemeral containers: they can be added, never changed or taken away. */
    Versioned addEphemeralContainers(
            Resource pods, String namespace, String name, ObjectNode next, WriteContext context) {
        return writes.update(
                pods,
                namespace,
                name,
                Part.ANY,
                false,
                present -> {
                    JsonNode before = present.path("spec").path("ephemeralContainers");
                    JsonNode after = next.path("spec").path("ephemeralContainers");
                    for (int i = 0; i < before.size(); i++) {
                        if (!before.path(i).equals(after.path(i))) {
                            FieldErrors errors = new FieldErrors();
                            errors.forbidden(
                                    "spec.ephemeralContainers[" + i + "]",
                                    "existing ephemeral containers may not be changed or removed");
                            throw Failures.invalid("", "Pod", name, errors.causes());
                        }
                    }
                    ObjectNode pod = present.deepCopy();
                    pod.withObjectProperty("spec").set("ephemeralContainers", after);
                    ObjectNode metadata = pod.withObjectProperty("metadata");
                    metadata.put("generation", metadata.path("generation").asInt(0) + 1);
                    pods.strategy().fillDefaults(pod);
                    FieldErrors errors = new FieldErrors();
                    pods.strategy().validate(pod, errors);
                    if (!errors.isEmpty()) {
                        throw Failures.invalid("", "Pod", name, errors.causes());
                    }
                    return pod;
                },
                context);
    }

    /** {@code PUT namespaces/NAME/finalize}: what is left of the spec's finalizers. */
    Versioned finalizeNamespace(Resource namespaces, String name, ObjectNode body, WriteContext context) {
        return writes.update(
                namespaces,
                "",
                name,
                Part.ANY,
                false,
                present -> {
                    ObjectNode namespace = Trees.changing(present, "metadata", "spec");
                    Writes.restore(namespace.withObjectProperty("spec"), body.path("spec"), "finalizers");
                    String version =
                            body.path("metadata").path("resourceVersion").asString("");
                    if (!version.isEmpty()) {
                        namespace.withObjectProperty("metadata").put("resourceVersion", version);
                    }
                    return namespace;
                },
                context);
    }
}
