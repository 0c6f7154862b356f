package dev.kip.sim.kubelet;

import dev.kip.sim.kernel.SimProcess;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Kubelet's work on one pod that it has admitted: its sandbox, its containers one after the other, their restarts. */
final class PodWork {

    private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(10);
    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(5);
    private static final Duration FORGIVEN_AFTER = Duration.ofMinutes(10);
    private static final Duration SANDBOX_TAKES = Duration.ofMillis(400);
    private static final long DEFAULT_GRACE = 30;

    private final ObjectNode pod;
    private final SimProcess kubelet;
    private final SimRuntime runtime;
    private final Programs programs;
    private final Map<String, Duration> backOffs = new LinkedHashMap<>();
    private final Map<String, Long> notBefore = new LinkedHashMap<>();
    private Optional<SimRuntime.Sandbox> sandbox;
    private boolean making;
    private boolean ending;

    PodWork(ObjectNode pod, SimProcess kubelet, SimRuntime runtime, Programs programs) {
        this.pod = pod;
        this.kubelet = kubelet;
        this.runtime = runtime;
        this.programs = programs;
        this.sandbox = runtime.sandbox(uid()); // what runs is adopted
    }

    ObjectNode pod() {
        return pod;
    }

    String uid() {
        return pod.path("metadata").path("uid").asString("");
    }

    boolean running() {
        return sandbox.filter(one -> one.ready).isPresent()
                && names("containers").allMatch(name -> running(name));
    }

    private Stream<String> names(String field) {
        Stream.Builder<String> names = Stream.builder();
        pod.path("spec")
                .path(field)
                .forEach(container -> names.add(container.path("name").asString("")));
        return names.build();
    }

    private boolean running(String name) {
        return container(name).filter(one -> one.running).isPresent();
    }

    private Optional<SimRuntime.Container> container(String name) {
        return sandbox.flatMap(one -> Optional.ofNullable(one.containers.get(name)));
    }

    /** Does what is to be done next; called again when anything has changed. */
    void sync() {
        if (ending || making) {
            return;
        }
        if (sandbox.filter(one -> one.ready).isEmpty()) {
            making = true;
            kubelet.after(SANDBOX_TAKES, () -> {
                making = false;
                if (!ending) {
                    sandbox = Optional.of(runtime.run(pod));
                    sync();
                }
            });
            return;
        }
        for (JsonNode init : pod.path("spec").path("initContainers")) {
            boolean sidecar = init.path("restartPolicy").asString("").equals("Always");
            String name = init.path("name").asString("");
            if (sidecar) {
                bringUp(init, false);
            } else if (container(name)
                    .filter(one -> !one.running && one.exitCode == 0)
                    .isEmpty()) {
                bringUp(init, true);
                return;
            }
        }
        for (JsonNode container : pod.path("spec").path("containers")) {
            bringUp(container, false);
        }
    }

    private void bringUp(JsonNode spec, boolean init) {
        String name = spec.path("name").asString("");
        if (running(name) || kubelet.nanos() < notBefore.getOrDefault(name, 0L)) {
            return;
        }
        if (container(name).isPresent() && !restarts(name)) {
            return;
        }
        sandbox.ifPresent(one -> runtime.start(one, spec, init, programs));
    }

    private boolean restarts(String name) {
        return switch (pod.path("spec").path("restartPolicy").asString("Always")) {
            case "Never" -> false;
            case "OnFailure" -> container(name).filter(one -> one.exitCode != 0).isPresent();
            default -> true;
        };
    }

    /** A container has ended: it waits longer each time, unless it has run for long. */
    void ended(String name) {
        if (ending) {
            return;
        }
        boolean ranLong = container(name)
                .filter(one -> kubelet.nanos() - one.startedNanos > FORGIVEN_AFTER.toNanos())
                .isPresent();
        Optional<SimRuntime.Container> ended = container(name);
        boolean succeededInit = ended.filter(one -> one.exitCode == 0).isPresent()
                && names("initContainers").anyMatch(name::equals);
        if (succeededInit) {
            sync();
            return;
        }
        Duration before = ranLong ? Duration.ZERO : backOffs.getOrDefault(name, Duration.ZERO);
        Duration next = before.isZero() ? FIRST_BACK_OFF : before.multipliedBy(2);
        Duration wait = next.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : next;
        backOffs.put(name, wait);
        notBefore.put(name, kubelet.nanos() + wait.toNanos());
        kubelet.after(wait, this::sync);
    }

    /** Ends the pod gracefully. */
    void end() {
        if (!ending) {
            ending = true;
            sandbox.ifPresent(one -> runtime.stop(one, grace()));
        }
    }

    private Duration grace() {
        return Duration.ofSeconds(
                pod.path("spec").path("terminationGracePeriodSeconds").asLong(DEFAULT_GRACE));
    }

    boolean ending() {
        return ending;
    }

    /** Nothing of it runs any more. */
    boolean gone() {
        return ending && !making && sandbox.filter(one -> one.ready).isEmpty();
    }

    /** {@code Running}, {@code Pending}. */
    String phase() {
        return running() ? "Running" : "Pending";
    }

    void status(ObjectNode status) {
        status.put("phase", phase());
        var conditions = status.putArray("conditions");
        conditions.addObject().put("type", "Ready").put("status", running() ? "True" : "False");
        var statuses = status.putArray("containerStatuses");
        for (JsonNode spec : pod.path("spec").path("containers")) {
            String name = spec.path("name").asString("");
            ObjectNode one = statuses.addObject();
            one.put("name", name);
            one.put("image", spec.path("image").asString(""));
            one.put("imageID", "");
            one.put("ready", running(name));
            one.put(
                    "restartCount",
                    container(name).map(container -> container.attempt).orElse(0));
        }
    }
}
