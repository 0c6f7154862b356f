package dev.kip.sim.workloads;

import dev.kip.sim.apiserver.ApiFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs pods until enough of them have succeeded. A finalizer keeps each ended pod until it has been counted: first its
 * uid is noted in the status, then the finalizer goes, then the uid is turned into a count. A crash between any two of
 * these loses no pod and counts none twice.
 */
final class JobController {

    private static final String TRACKED = "batch.kubernetes.io/job-tracking";
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(10);
    private static final Duration MOST_BACKOFF = Duration.ofMinutes(10);

    private final Cluster cluster;
    private final Cache jobs;
    private final EventRecorder events;
    private final WorkQueue queue;

    JobController(Cluster cluster) {
        this.cluster = cluster;
        jobs = cluster.cache("batch", "jobs");
        events = cluster.events("job-controller");
        queue = cluster.queue("jobs", this::sync);
        jobs.listen((before, after) -> after.ifPresent(job -> queue.add(Cache.key(job))));
        cluster.pods.listen((before, after) -> {
            ObjectNode pod = after.or(() -> before).orElseThrow();
            Objects.controller(pod)
                    .filter(owner -> owner.path("kind").asString("").equals("Job"))
                    .ifPresent(owner -> {
                        String key = Cache.key(
                                Objects.namespace(pod), owner.path("name").asString(""));
                        if (jobs.get(key).isPresent()) {
                            queue.add(key);
                        } else {
                            release(pod); // nobody counts it any more
                        }
                    });
        });
    }

    private void sync(String key) {
        Optional<ObjectNode> found = jobs.get(key);
        if (found.isEmpty()) {
            return;
        }
        ObjectNode job = count(found.get());
        if (hasFinished(job)) {
            cleanUp(job);
            return;
        }
        if (Objects.isLeaving(job)) {
            return;
        }
        ObjectNode changed = job.deepCopy();
        ObjectNode status = Objects.child(changed, "status");
        List<ObjectNode> active = active(job);
        Instant now = cluster.now();
        boolean suspended = job.path("spec").path("suspend").asBoolean(false);
        if (!suspended && !status.hasNonNull("startTime")) {
            status.put("startTime", Objects.stamp(now));
        }
        int failed = status.path("failed").asInt(0);
        int succeeded = status.path("succeeded").asInt(0);
        Optional<String> failure = failure(job, status, failed, now);
        if (failure.isPresent() || suspended) {
            active.forEach(pod -> cluster.delete(cluster.pods, pod));
            failure.ifPresent(reason -> finish(changed, "Failed", reason, now));
        } else if (isComplete(job, succeeded, active.size())) {
            finish(changed, "Complete", "CompletionsReached", now);
            status.put("completionTime", Objects.stamp(now));
        } else {
            manage(job, active, succeeded, failed, now);
        }
        writeStatus(job, changed);
    }

    /** Counts the pods that have ended, in the three steps of which the class speaks. */
    private ObjectNode count(ObjectNode job) {
        ObjectNode noted = job.deepCopy();
        ObjectNode uncounted = Objects.child(Objects.child(noted, "status"), "uncountedTerminatedPods");
        List<ObjectNode> pods = cluster.podsByController.get(Objects.uid(job));
        for (ObjectNode pod : pods) {
            boolean lost = Objects.isLeaving(pod) && PodFacts.node(pod).isEmpty();
            if (isTracked(pod) && (PodFacts.hasEnded(pod) || lost)) {
                ArrayNode list =
                        Objects.array(uncounted, PodFacts.phase(pod).equals("Succeeded") ? "succeeded" : "failed");
                if (list.valueStream().noneMatch(uid -> uid.asString("").equals(Objects.uid(pod)))) {
                    list.add(Objects.uid(pod));
                }
            }
        }
        if (uncounted.path("succeeded").isEmpty() && uncounted.path("failed").isEmpty()) {
            return job;
        }
        ObjectNode written = noted.equals(job) ? noted : cluster.updateStatus(jobs, noted);
        pods.stream()
                .filter(pod -> PodFacts.hasEnded(pod) || Objects.isLeaving(pod))
                .forEach(this::release);
        ObjectNode counted = written.deepCopy();
        ObjectNode status = Objects.child(counted, "status");
        JsonNode uids = status.path("uncountedTerminatedPods");
        Objects.count(
                status,
                "succeeded",
                status.path("succeeded").asInt(0) + uids.path("succeeded").size());
        Objects.count(
                status,
                "failed",
                status.path("failed").asInt(0) + uids.path("failed").size());
        status.putObject("uncountedTerminatedPods");
        return cluster.updateStatus(jobs, counted);
    }

    private static boolean isTracked(ObjectNode pod) {
        return pod.path("metadata")
                .path("finalizers")
                .valueStream()
                .anyMatch(name -> name.asString("").equals(TRACKED));
    }

    private void release(ObjectNode pod) {
        ObjectNode current = cluster.pods.get(Cache.key(pod)).orElse(pod);
        if (isTracked(current) && (PodFacts.hasEnded(current) || Objects.isLeaving(current))) {
            ObjectNode released = current.deepCopy();
            Objects.array(Objects.child(released, "metadata"), "finalizers")
                    .removeIf(name -> name.asString("").equals(TRACKED));
            try {
                cluster.update(cluster.pods, released);
            } catch (ApiFailure failure) {
                if (!failure.reason().equals("NotFound")) {
                    throw failure;
                }
            }
        }
    }

    private List<ObjectNode> active(ObjectNode job) {
        return cluster.podsByController.get(Objects.uid(job)).stream()
                .filter(PodFacts::isActive)
                .toList();
    }

    private static boolean hasFinished(ObjectNode job) {
        return Objects.conditionStatus(job, "Complete").equals("True")
                || Objects.conditionStatus(job, "Failed").equals("True");
    }

    private static boolean isComplete(ObjectNode job, int succeeded, int active) {
        JsonNode completions = job.path("spec").path("completions");
        return completions.isNumber() ? succeeded >= completions.asInt() : succeeded > 0 && active == 0;
    }

    private Optional<String> failure(ObjectNode job, ObjectNode status, int failed, Instant now) {
        if (failed > job.path("spec").path("backoffLimit").asInt(6)) {
            return Optional.of("BackoffLimitExceeded");
        }
        JsonNode limit = job.path("spec").path("activeDeadlineSeconds");
        Optional<Instant> end =
                Objects.instant(status.path("startTime")).map(start -> start.plusSeconds(limit.asLong(0)));
        if (!limit.isNumber() || end.isEmpty()) {
            return Optional.empty();
        }
        if (end.get().isAfter(now)) {
            queue.addAfter(Cache.key(job), Duration.between(now, end.get()));
            return Optional.empty();
        }
        return Optional.of("DeadlineExceeded");
    }

    private void manage(ObjectNode job, List<ObjectNode> active, int succeeded, int failed, Instant now) {
        int parallelism = job.path("spec").path("parallelism").asInt(1);
        JsonNode completions = job.path("spec").path("completions");
        int wanted = completions.isNumber()
                ? Math.min(parallelism, completions.asInt() - succeeded)
                : succeeded > 0 ? active.size() : parallelism;
        for (int i = wanted; i < active.size(); i++) {
            cluster.delete(cluster.pods, active.get(i));
            events.normal(job, jobs.type(), "SuccessfulDelete", "Deleted pod: " + Objects.name(active.get(i)));
        }
        if (wanted <= active.size()) {
            return;
        }
        Optional<Instant> retryAt = lastFailure(job).map(at -> at.plus(backoff(failed)));
        if (failed > 0 && retryAt.filter(now::isBefore).isPresent()) {
            queue.addAfter(Cache.key(job), Duration.between(now, retryAt.get()));
            return;
        }
        for (int i = active.size(); i < wanted; i++) {
            ObjectNode pod = Template.pod(job.path("spec").path("template"), job, "batch/v1", "Job");
            Objects.array(Objects.child(pod, "metadata"), "finalizers").add(TRACKED);
            ObjectNode created = cluster.create(cluster.pods, Objects.namespace(job), pod);
            events.normal(job, jobs.type(), "SuccessfulCreate", "Created pod: " + Objects.name(created));
        }
    }

    private Optional<Instant> lastFailure(ObjectNode job) {
        return cluster.podsByController.get(Objects.uid(job)).stream()
                .filter(pod -> PodFacts.phase(pod).equals("Failed"))
                .flatMap(pod -> pod.path("status").path("containerStatuses").valueStream())
                .flatMap(status -> Objects.instant(status.at("/state/terminated/finishedAt")).stream())
                .max(Instant::compareTo);
    }

    private static Duration backoff(int failed) {
        Duration backoff = FIRST_BACKOFF.multipliedBy(1L << Math.min(failed - 1, 10));
        return backoff.compareTo(MOST_BACKOFF) < 0 ? backoff : MOST_BACKOFF;
    }

    private void finish(ObjectNode job, String type, String reason, Instant now) {
        String message = switch (reason) {
            case "BackoffLimitExceeded" -> "Job has reached the specified backoff limit";
            case "DeadlineExceeded" -> "Job was active longer than specified deadline";
            default -> "Reached expected number of succeeded pods";
        };
        Objects.setCondition(
                job, type.equals("Failed") ? "FailureTarget" : "SuccessCriteriaMet", "True", reason, message, now);
        Objects.setCondition(job, type, "True", reason, message, now);
        if (type.equals("Failed")) {
            events.warning(job, jobs.type(), reason, message);
        } else {
            events.normal(job, jobs.type(), "Completed", "Job completed");
        }
    }

    private void writeStatus(ObjectNode job, ObjectNode changed) {
        ObjectNode status = Objects.child(changed, "status");
        List<ObjectNode> active = active(job);
        Objects.count(status, "active", active.size());
        status.put("ready", (int) active.stream().filter(PodFacts::isReady).count());
        if (!status.has("uncountedTerminatedPods")) {
            status.putObject("uncountedTerminatedPods");
        }
        if (!changed.path("status").equals(job.path("status"))) {
            cluster.updateStatus(jobs, changed);
        }
    }

    private void cleanUp(ObjectNode job) {
        JsonNode ttl = job.path("spec").path("ttlSecondsAfterFinished");
        if (!ttl.isNumber() || Objects.isLeaving(job)) {
            return;
        }
        Instant finished = Objects.condition(job, "Complete")
                .or(() -> Objects.condition(job, "Failed"))
                .flatMap(condition -> Objects.instant(condition.path("lastTransitionTime")))
                .orElse(cluster.now());
        Instant due = finished.plusSeconds(ttl.asLong());
        if (due.isAfter(cluster.now())) {
            queue.addAfter(Cache.key(job), Duration.between(cluster.now(), due));
        } else {
            cluster.delete(jobs, job);
        }
    }
}
