package dev.kip.sim.workloads;

import com.google.common.collect.ImmutableSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a ReplicaSet carries of the Deployment that made it: a hash in its name, a revision, annotations. */
final class Revisions {

    static final String REVISION = "deployment.kubernetes.io/revision";
    static final String DESIRED = "deployment.kubernetes.io/desired-replicas";

    private static final String HASH = "pod-template-hash";
    private static final ImmutableSet<String> NOT_COPIED = ImmutableSet.of(
            "kubectl.kubernetes.io/last-applied-configuration",
            REVISION,
            DESIRED,
            Rollout.MAX_REPLICAS,
            "deployment.kubernetes.io/revision-history",
            "deprecated.deployment.rollback.to");

    private Revisions() {}

    static JsonNode withoutHash(JsonNode template) {
        ObjectNode copy = (ObjectNode) template.deepCopy();
        if (copy.path("metadata") instanceof ObjectNode metadata
                && metadata.get("labels") instanceof ObjectNode labels) {
            labels.remove(HASH);
            if (labels.isEmpty()) {
                metadata.remove("labels");
            }
        }
        return copy;
    }

    static long revision(JsonNode object) {
        String text = Objects.annotation(object, REVISION);
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    static ObjectNode replicaSet(Rollout rollout, int replicas, int collisions) {
        ObjectNode deployment = rollout.deployment();
        ObjectNode spec = (ObjectNode) deployment.path("spec");
        String hash = Template.hash(spec.path("template"), collisions);
        ObjectNode set = Objects.JSON.objectNode().put("kind", "ReplicaSet").put("apiVersion", "apps/v1");
        ObjectNode metadata = set.putObject("metadata")
                .put("name", Objects.name(deployment) + "-" + hash)
                .put("namespace", Objects.namespace(deployment));
        ObjectNode template = spec.path("template").deepCopy().asObject();
        ObjectNode labels = Objects.child(Objects.child(template, "metadata"), "labels");
        labels.put(HASH, hash);
        metadata.set("labels", labels.deepCopy());
        metadata.set("ownerReferences", DeploymentController.owners(deployment));
        ObjectNode setSpec = set.putObject("spec").put("replicas", replicas);
        if (spec.path("minReadySeconds").asInt(0) > 0) {
            setSpec.set("minReadySeconds", spec.get("minReadySeconds"));
        }
        ObjectNode selector = setSpec.putObject("selector");
        selector.setAll((ObjectNode) spec.path("selector").deepCopy());
        Objects.child(selector, "matchLabels").put(HASH, hash);
        setSpec.set("template", template);
        annotate(set, rollout);
        return raised(set, rollout);
    }

    /** Tells the set how many replicas the Deployment wants, and hands down its annotations. */
    static void annotate(ObjectNode set, Rollout rollout) {
        ObjectNode annotations = Objects.child(Objects.child(set, "metadata"), "annotations");
        rollout.deployment().path("metadata").path("annotations").properties().forEach(annotation -> {
            if (!NOT_COPIED.contains(annotation.getKey())) {
                annotations.set(annotation.getKey(), annotation.getValue());
            }
        });
        annotations.put(DESIRED, Integer.toString(rollout.desired()));
        annotations.put(Rollout.MAX_REPLICAS, Integer.toString(rollout.desired() + rollout.maxSurge()));
    }

    /** The newest set with a revision above all older ones; a template that came back gets a new one. */
    static ObjectNode raised(ObjectNode set, Rollout rollout) {
        long highest =
                rollout.older().stream().mapToLong(Revisions::revision).max().orElse(0);
        if (revision(set) > highest) {
            return set;
        }
        ObjectNode raised = set.deepCopy();
        Objects.child(Objects.child(raised, "metadata"), "annotations").put(REVISION, Long.toString(highest + 1));
        return raised;
    }
}
