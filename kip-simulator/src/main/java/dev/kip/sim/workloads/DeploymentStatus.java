package dev.kip.sim.workloads;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.ToIntFunction;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The status of a Deployment as {@code kubectl rollout status} reads it. */
final class DeploymentStatus {

    /** What has just been done for the newest ReplicaSet. */
    record Progress(String reason, String message) {

        static Progress created(String set) {
            return new Progress("NewReplicaSetCreated", "Created new replica set \"" + set + "\"");
        }

        static Progress found(String set) {
            return new Progress("FoundNewReplicaSet", "Found new replica set \"" + set + "\"");
        }
    }

    private final Cluster cluster;
    private final Cache deployments;
    private final WorkQueue queue;

    DeploymentStatus(Cluster cluster, Cache deployments, WorkQueue queue) {
        this.cluster = cluster;
        this.deployments = deployments;
        this.queue = queue;
    }

    static boolean isComplete(Rollout rollout) {
        int desired = rollout.desired();
        return rollout.newest().isPresent()
                && count(rollout.newest().get(), "replicas") == desired
                && sum(rollout, set -> count(set, "replicas")) == desired
                && sum(rollout, Rollout::available) == desired;
    }

    void write(Rollout rollout, Optional<Progress> progress) {
        Instant now = cluster.now();
        ObjectNode current = deployments.get(Cache.key(rollout.deployment())).orElse(rollout.deployment());
        ObjectNode changed = current.deepCopy();
        ObjectNode status = Objects.child(changed, "status");
        int available = sum(rollout, Rollout::available);
        Objects.count(status, "replicas", sum(rollout, set -> count(set, "replicas")));
        Objects.count(
                status,
                "updatedReplicas",
                rollout.newest().map(set -> count(set, "replicas")).orElse(0));
        Objects.count(status, "readyReplicas", sum(rollout, set -> count(set, "readyReplicas")));
        Objects.count(status, "availableReplicas", available);
        Objects.count(status, "unavailableReplicas", Math.max(0, sum(rollout, Rollout::replicas) - available));
        // What has been acted on is the version that this round began with.
        status.set("observedGeneration", Objects.number(Objects.generation(rollout.deployment())));
        boolean enough = available >= rollout.desired() - rollout.maxUnavailable();
        set(
                changed,
                "Available",
                enough ? "True" : "False",
                enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                enough ? "Deployment has minimum availability." : "Deployment does not have minimum availability.",
                now);
        progressing(rollout, current, changed, progress, now);
        if (!changed.path("status").equals(current.path("status"))) {
            cluster.updateStatus(deployments, changed);
        }
    }

    private void progressing(
            Rollout rollout, ObjectNode before, ObjectNode changed, Optional<Progress> progress, Instant now) {
        Optional<JsonNode> condition = Objects.condition(before, "Progressing");
        String reason =
                condition.map(given -> given.path("reason").asString("")).orElse("");
        String newest = rollout.newest().map(Objects::name).orElse(Objects.name(rollout.deployment()));
        String what = rollout.newest().isPresent() ? "ReplicaSet \"" + newest + "\"" : "Deployment \"" + newest + "\"";
        boolean settled = reason.equals("NewReplicaSetAvailable")
                && count(changed, "replicas") == count(changed, "updatedReplicas");
        boolean paused = rollout.deployment().path("spec").path("paused").asBoolean(false);
        if (paused || reason.equals("DeploymentPaused")) {
            set(
                    changed,
                    "Progressing",
                    "Unknown",
                    paused ? "DeploymentPaused" : "DeploymentResumed",
                    paused ? "Deployment is paused" : "Deployment is resumed",
                    now);
        } else if (isComplete(rollout)) {
            set(changed, "Progressing", "True", "NewReplicaSetAvailable", what + " has successfully progressed.", now);
        } else if (progress.filter(made -> made.reason().equals("NewReplicaSetCreated"))
                .isPresent()) {
            set(
                    changed,
                    "Progressing",
                    "True",
                    progress.get().reason(),
                    progress.get().message(),
                    now);
        } else if (moved(before, changed)) {
            if (!settled) {
                set(changed, "Progressing", "True", "ReplicaSetUpdated", what + " is progressing.", now);
            }
        } else if (condition.isEmpty() && progress.isPresent()) {
            set(
                    changed,
                    "Progressing",
                    "True",
                    progress.get().reason(),
                    progress.get().message(),
                    now);
        } else if (condition.isPresent() && !settled && !reason.equals("ProgressDeadlineExceeded")) {
            Duration limit = Duration.ofSeconds(rollout.deployment()
                    .path("spec")
                    .path("progressDeadlineSeconds")
                    .asLong(600));
            Instant due = Objects.instant(condition.get().path("lastUpdateTime"))
                    .orElse(now)
                    .plus(limit);
            if (due.isAfter(now)) {
                queue.addAfter(
                        Cache.key(rollout.deployment()),
                        Duration.between(now, due).plusMillis(1));
            } else {
                set(
                        changed,
                        "Progressing",
                        "False",
                        "ProgressDeadlineExceeded",
                        what + " has timed out progressing.",
                        now);
            }
        }
    }

    private static void set(
            ObjectNode changed, String type, String status, String reason, String message, Instant now) {
        if (Objects.setCondition(changed, type, status, reason, message, now) || reason.equals("ReplicaSetUpdated")) {
            Objects.condition(changed, type)
                    .ifPresent(condition -> ((ObjectNode) condition).put("lastUpdateTime", Objects.stamp(now)));
        }
    }

    private static boolean moved(ObjectNode before, ObjectNode after) {
        int oldBefore = count(before, "replicas") - count(before, "updatedReplicas");
        int oldAfter = count(after, "replicas") - count(after, "updatedReplicas");
        return count(after, "updatedReplicas") > count(before, "updatedReplicas")
                || oldAfter < oldBefore
                || count(after, "readyReplicas") > count(before, "readyReplicas")
                || count(after, "availableReplicas") > count(before, "availableReplicas");
    }

    private static int count(JsonNode object, String field) {
        return object.path("status").path(field).asInt(0);
    }

    private static int sum(Rollout rollout, ToIntFunction<ObjectNode> of) {
        return rollout.all().stream().mapToInt(of).sum();
    }
}
