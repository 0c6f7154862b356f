package dev.kip.sim.workloads;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Turns a Deployment into ReplicaSets, one for each template that it has had, and moves the replicas to the newest. */
final class DeploymentController {

    private static final String API_VERSION = "apps/v1";
    private static final String KIND = "Deployment";

    private final Cluster cluster;
    private final Cache deployments;
    private final Cache.Index deploymentsByNamespace;
    private final Cache sets;
    private final Cache.Index setsByController;
    private final Cache.Index orphanSets;
    private final EventRecorder events;
    private final DeploymentStatus status;
    private final WorkQueue queue;

    DeploymentController(Cluster cluster) {
        this.cluster = cluster;
        deployments = cluster.cache("apps", "deployments");
        deploymentsByNamespace = deployments.index(deployment -> List.of(Objects.namespace(deployment)));
        sets = cluster.cache("apps", "replicasets");
        setsByController = sets.index(Cluster::byController);
        orphanSets =
                sets.index(set -> Objects.controllerUid(set).isEmpty() ? List.of(Objects.namespace(set)) : List.of());
        events = cluster.events("deployment-controller");
        queue = cluster.queue("deployments", this::sync);
        status = new DeploymentStatus(cluster, deployments, queue);
        deployments.listen((before, after) -> after.ifPresent(deployment -> queue.add(Cache.key(deployment))));
        sets.listen((before, after) -> setChanged(after.or(() -> before).orElseThrow()));
        cluster.pods.listen((before, after) -> {
            // A Recreate waits for the last old pod to be gone.
            if (after.isEmpty()) {
                before.ifPresent(this::podGone);
            }
        });
    }

    private void setChanged(ObjectNode set) {
        Optional<JsonNode> controller = Objects.controller(set);
        if (controller.isPresent()) {
            queue.add(Cache.key(
                    Objects.namespace(set), controller.get().path("name").asString("")));
        } else {
            deploymentsByNamespace.get(Objects.namespace(set)).stream()
                    .filter(deployment -> matches(deployment, set))
                    .forEach(deployment -> queue.add(Cache.key(deployment)));
        }
    }

    private void podGone(ObjectNode pod) {
        Objects.controller(pod)
                .filter(owner -> owner.path("kind").asString("").equals("ReplicaSet"))
                .flatMap(owner -> sets.get(
                        Cache.key(Objects.namespace(pod), owner.path("name").asString(""))))
                .ifPresent(this::setChanged);
    }

    private static boolean matches(ObjectNode deployment, ObjectNode set) {
        return Selector.matches(
                deployment.path("spec").path("selector"), set.path("metadata").path("labels"));
    }

    private void sync(String key) {
        Optional<ObjectNode> found = deployments.get(key);
        if (found.isEmpty()) {
            return;
        }
        ObjectNode deployment = found.get();
        if (Objects.isLeaving(deployment)) {
            status.write(rollout(deployment), Optional.empty());
            return;
        }
        adopt(deployment);
        Rollout rollout = rollout(deployment);
        Optional<DeploymentStatus.Progress> progress = Optional.empty();
        if (deployment.path("spec").path("paused").asBoolean(false) || wasScaled(rollout)) {
            scale(rollout);
        } else if (rollout.recreates()) {
            progress = recreate(rollout);
        } else {
            progress = roll(rollout);
        }
        Rollout after = rollout(deployment);
        cleanUp(after);
        status.write(after, progress);
    }

    private void adopt(ObjectNode deployment) {
        for (ObjectNode set : orphanSets.get(Objects.namespace(deployment))) {
            if (!Objects.isLeaving(set) && matches(deployment, set)) {
                ObjectNode adopted = set.deepCopy();
                Objects.array(Objects.child(adopted, "metadata"), "ownerReferences")
                        .add(Objects.controllerReference(deployment, API_VERSION, KIND));
                cluster.update(sets, adopted);
            }
        }
    }

    private Rollout rollout(ObjectNode deployment) {
        List<ObjectNode> owned = setsByController.get(Objects.uid(deployment));
        JsonNode wanted = Revisions.withoutHash(deployment.path("spec").path("template"));
        Optional<ObjectNode> newest = owned.stream()
                .filter(set ->
                        Revisions.withoutHash(set.path("spec").path("template")).equals(wanted))
                .min(Rollout.BY_AGE);
        return Rollout.of(deployment, owned, newest);
    }

    /** Whether the desired number has changed since the ReplicaSets were last told of it. */
    private static boolean wasScaled(Rollout rollout) {
        return rollout.all().stream()
                .filter(set -> Rollout.replicas(set) > 0)
                .map(set -> Objects.annotation(set, Revisions.DESIRED))
                .anyMatch(told -> !told.isEmpty() && !told.equals(Integer.toString(rollout.desired())));
    }

    private void scale(Rollout rollout) {
        Optional<ObjectNode> only = rollout.onlyActive();
        if (only.isPresent()) {
            setReplicas(rollout, only.get(), rollout.desired());
        } else if (rollout.newestIsSaturated()) {
            rollout.older().forEach(set -> setReplicas(rollout, set, 0));
        } else if (!rollout.recreates()) {
            rollout.proportional().forEach((set, replicas) -> setReplicas(rollout, set, replicas));
        }
    }

    private Optional<DeploymentStatus.Progress> recreate(Rollout rollout) {
        boolean anyAsked = false;
        boolean anyRunning = false;
        for (ObjectNode set : rollout.older()) {
            anyAsked |= Rollout.replicas(set) > 0;
            anyRunning |=
                    cluster.podsByController.get(Objects.uid(set)).stream().anyMatch(pod -> !PodFacts.hasEnded(pod));
        }
        if (anyAsked) {
            rollout.older().forEach(set -> setReplicas(rollout, set, 0));
            return Optional.empty();
        }
        return anyRunning ? Optional.empty() : newest(rollout);
    }

    private Optional<DeploymentStatus.Progress> roll(Rollout rollout) {
        Optional<DeploymentStatus.Progress> progress = newest(rollout);
        rollout(rollout.deployment()).olderReplicas().forEach((set, replicas) -> setReplicas(rollout, set, replicas));
        return progress;
    }

    /** Makes the newest ReplicaSet or grows it. */
    private Optional<DeploymentStatus.Progress> newest(Rollout rollout) {
        int replicas = rollout.newestReplicas();
        if (rollout.newest().isPresent()) {
            ObjectNode set = rollout.newest().get();
            ObjectNode named = Revisions.raised(set, rollout);
            setReplicas(rollout, named, replicas);
            return Optional.of(DeploymentStatus.Progress.found(Objects.name(set)));
        }
        int collisions =
                rollout.deployment().path("status").path("collisionCount").asInt(0);
        ObjectNode set = Revisions.replicaSet(rollout, replicas, collisions);
        Optional<ObjectNode> other = sets.get(Cache.key(Objects.namespace(rollout.deployment()), Objects.name(set)));
        if (other.isPresent()) {
            ObjectNode changed = rollout.deployment().deepCopy();
            Objects.child(changed, "status").put("collisionCount", collisions + 1);
            cluster.updateStatus(deployments, changed);
            return Optional.empty();
        }
        ObjectNode created = cluster.create(sets, Objects.namespace(rollout.deployment()), set);
        if (replicas > 0) {
            events.normal(
                    rollout.deployment(),
                    deployments.type(),
                    "ScalingReplicaSet",
                    "Scaled up replica set " + Objects.name(created) + " from 0 to " + replicas);
        }
        writeRevision(rollout.deployment(), Objects.annotation(created, Revisions.REVISION));
        return Optional.of(DeploymentStatus.Progress.created(Objects.name(created)));
    }

    private void setReplicas(Rollout rollout, ObjectNode set, int replicas) {
        int before = Rollout.replicas(set);
        ObjectNode changed = set.deepCopy();
        Revisions.annotate(changed, rollout);
        Objects.child(changed, "spec").put("replicas", replicas);
        boolean same = sets.get(Cache.key(set)).filter(changed::equals).isPresent();
        if (!same) {
            cluster.update(sets, changed);
        }
        if (before != replicas) {
            events.normal(
                    rollout.deployment(),
                    deployments.type(),
                    "ScalingReplicaSet",
                    "Scaled " + (replicas > before ? "up" : "down") + " replica set " + Objects.name(set) + " from "
                            + before + " to " + replicas);
        }
        if (rollout.newest()
                .filter(newest -> Objects.uid(newest).equals(Objects.uid(set)))
                .isPresent()) {
            writeRevision(rollout.deployment(), Objects.annotation(changed, Revisions.REVISION));
        }
    }

    private void writeRevision(ObjectNode deployment, String revision) {
        ObjectNode current = deployments.get(Cache.key(deployment)).orElse(deployment);
        if (!Objects.annotation(current, Revisions.REVISION).equals(revision)) {
            ObjectNode changed = current.deepCopy();
            Objects.child(Objects.child(changed, "metadata"), "annotations").put(Revisions.REVISION, revision);
            cluster.update(deployments, changed);
        }
    }

    /** Forgets old templates beyond the history that is to be kept. */
    private void cleanUp(Rollout rollout) {
        if (!DeploymentStatus.isComplete(rollout)) {
            return;
        }
        List<ObjectNode> empty = new ArrayList<>(rollout.older().stream()
                .filter(set -> Rollout.replicas(set) == 0
                        && set.path("status").path("replicas").asInt(0) == 0
                        && !Objects.isLeaving(set))
                .toList());
        empty.sort(Comparator.comparingLong(Revisions::revision));
        int kept =
                rollout.deployment().path("spec").path("revisionHistoryLimit").asInt(10);
        empty.subList(0, Math.max(0, empty.size() - kept)).forEach(set -> cluster.delete(sets, set));
    }

    static ArrayNode owners(ObjectNode deployment) {
        return Objects.JSON.arrayNode().add(Objects.controllerReference(deployment, API_VERSION, KIND));
    }
}
