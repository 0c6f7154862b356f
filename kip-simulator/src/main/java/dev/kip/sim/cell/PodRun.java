package dev.kip.sim.cell;

import com.google.common.collect.ImmutableList;
import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import dev.kip.loop.Loop.Timer;
import dev.kip.sim.cell.ContainerRun.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Kubelet's way with one pod, as far as a pod's story shows it: pulls one at a time, init containers in order, sidecars,
 * probes that succeed when they may, restarts with back-off, and the graceful end. Level-triggered like kubelet's own sync.
 * Confined to the cell's loop.
 */
final class PodRun {

    private static final int KILLED = 137;
    private static final int POWER_CUT = 255;

    /** What the world around the pod wants to know. */
    interface Observer {
        /** Something that the status shows is different. */
        void changed();

        void started(ContainerRun container);

        void ended(ContainerRun container);

        /** Every container has ended and none will start again. */
        void finished();
    }

    private final Loop loop;
    private final Entropy entropy;
    private final CellTimes times;
    private final Observer observer;
    private final ImmutableList<ContainerRun> init;
    private final ImmutableList<ContainerRun> ordinary;
    private final Instant startTime;
    private JsonNode manifest;
    private long pullsFreeAt;
    private Optional<Timer> killTimer = Optional.empty();
    private Optional<Long> killAt = Optional.empty();
    private Optional<String> failure = Optional.empty();
    private boolean sandbox;
    private boolean ending;
    private boolean sidecarsTold;
    private boolean finished;

    PodRun(
            Loop loop,
            Entropy entropy,
            CellTimes times,
            JsonNode manifest,
            Instant startTime,
            Map<String, ContainerMemory> memories,
            Observer observer) {
        this.loop = loop;
        this.entropy = entropy;
        this.times = times;
        this.manifest = manifest;
        this.startTime = startTime;
        this.observer = observer;
        this.init = containers(manifest, "initContainers", memories);
        this.ordinary = containers(manifest, "containers", memories);
    }

    private static ImmutableList<ContainerRun> containers(
            JsonNode manifest, String field, Map<String, ContainerMemory> memories) {
        ImmutableList.Builder<ContainerRun> containers = ImmutableList.builder();
        for (JsonNode spec : manifest.path("spec").path(field)) {
            Role role = field.equals("containers")
                    ? Role.ORDINARY
                    : spec.path("restartPolicy").asString("").equals("Always") ? Role.SIDECAR : Role.INIT;
            ContainerMemory memory =
                    memories.computeIfAbsent(spec.path("name").asString(""), name -> new ContainerMemory());
            containers.add(new ContainerRun(manifest, spec, role, memory));
        }
        return containers.build();
    }

    JsonNode manifest() {
        return manifest;
    }

    Instant startTime() {
        return startTime;
    }

    ImmutableList<ContainerRun> init() {
        return init;
    }

    ImmutableList<ContainerRun> ordinary() {
        return ordinary;
    }

    /** Why the pod as a whole failed. */
    Optional<String> failure() {
        return failure;
    }

    boolean hasSandbox() {
        return sandbox && !finished;
    }

    boolean hadSandbox() {
        return sandbox;
    }

    boolean finished() {
        return finished;
    }

    boolean ending() {
        return ending;
    }

    /** Kubelet has the manifest; it goes to work once it has noticed it. */
    void start() {
        for (ContainerRun container : all()) {
            if (container.ended().isEmpty() && !container.running()) {
                container.waits(init.isEmpty() ? "ContainerCreating" : "PodInitializing", "");
            }
        }
        noticed(times.notice().draw(entropy));
    }

    private void noticed(Duration after) {
        long deadline = manifest.path("spec").path("activeDeadlineSeconds").asLong(0);
        if (deadline > 0) {
            loop.after(
                    notNegative(Duration.between(loop.now(), startTime.plusSeconds(deadline))), this::deadlineExceeded);
        }
        loop.after(after, () -> {
            sandbox = true;
            sync();
        });
    }

    private static Duration notNegative(Duration duration) {
        return duration.isNegative() ? Duration.ZERO : duration;
    }

    SavedCell.Pod save() {
        Map<String, SavedCell.Container> containers = new LinkedHashMap<>();
        all().forEach(container -> containers.put(container.name(), container.save()));
        return new SavedCell.Pod(sandbox, failure, containers);
    }

    /** Instead of {@link #start}: goes on where it stood, with nothing ended or started because of it. */
    void thaw(SavedCell.Pod saved) {
        sandbox = saved.sandbox();
        failure = saved.failure();
        for (ContainerRun container : all()) {
            Optional.ofNullable(saved.containers().get(container.name())).ifPresent(container::thaw);
            if (container.state() instanceof ContainerState.Running running) {
                observer.started(container);
                attend(container, notNegative(Duration.between(running.startedAt(), loop.now())));
            }
        }
        noticed(sandbox ? Duration.ZERO : times.notice().draw(entropy));
        if (failure.isPresent()) {
            end(grace());
        }
    }

    /** After a power cut: what ran did not end by itself; init containers run again in the new sandbox. */
    void restore() {
        for (ContainerRun container : all()) {
            container.ends(POWER_CUT, "Unknown", loop.now());
        }
        if (!over()) {
            init.forEach(container -> container.forgets("PodInitializing"));
        }
    }

    /** A new generation with the same uid: labels and annotations in place, a container whose image differs restarts. */
    void update(JsonNode newManifest) {
        manifest = newManifest;
        for (JsonNode spec : newManifest.path("spec").path("containers")) {
            for (ContainerRun container : ordinary) {
                boolean same = container.name().equals(spec.path("name").asString(""));
                if (same && container.redefine(newManifest, spec) && container.running()) {
                    exit(container, KILLED, "Error");
                }
            }
        }
        observer.changed();
    }

    /** Ends the pod; a shorter grace than the one under way shortens it. */
    void end(Duration grace) {
        long at = loop.nanos() + grace.toNanos();
        if (killAt.isPresent() && killAt.get() <= at) {
            return;
        }
        killAt = Optional.of(at);
        killTimer.ifPresent(Timer::cancel);
        killTimer = Optional.of(loop.after(grace, this::killAll));
        if (!ending) {
            ending = true;
            all().forEach(ContainerRun::abandonsStart);
            terminate(ordinary);
            terminate(ImmutableList.copyOf(
                    init.stream().filter(c -> c.role() == Role.INIT).iterator()));
            observer.changed();
            loop.post(this::sync);
        }
    }

    private void deadlineExceeded() {
        if (!finished && !over()) {
            failure = Optional.of("DeadlineExceeded");
            end(grace());
        }
    }

    private Duration grace() {
        return Duration.ofSeconds(
                manifest.path("spec").path("terminationGracePeriodSeconds").asLong(30));
    }

    /** TERM to each, after its preStop hook; who ignores it is killed when the grace is over. */
    private void terminate(Iterable<ContainerRun> containers) {
        for (ContainerRun container : containers) {
            if (container.running() && !container.behaviour().ignoresTerm()) {
                ContainerState run = container.state();
                Duration obeys =
                        container.behaviour().preStop().plus(times.obey().draw(entropy));
                loop.after(obeys, () -> {
                    if (container.state() == run) {
                        exit(container, 0, "Completed");
                    }
                });
            }
        }
    }

    private void killAll() {
        for (ContainerRun container : all()) {
            if (container.running()) {
                exit(container, KILLED, "Error");
            }
        }
        sync();
    }

    /** Those that come first included. */
    ImmutableList<ContainerRun> all() {
        return ImmutableList.<ContainerRun>builder()
                .addAll(init)
                .addAll(ordinary)
                .build();
    }

    /** Does what is to be done next, given how everything stands. */
    private void sync() {
        if (finished || (!sandbox && !ending)) {
            return;
        }
        if (ending || over()) {
            windDown();
        } else if (initialised()) {
            for (ContainerRun container : ordinary) {
                bringUp(container);
            }
        }
    }

    /** Starts the next init container, and keeps sidecars going; true once ordinary containers may run. */
    private boolean initialised() {
        for (ContainerRun container : init) {
            if (container.role() == Role.SIDECAR) {
                bringUp(container);
                if (!container.started()) {
                    return false;
                }
            } else if (!container.succeeded()) {
                bringUp(container);
                return false;
            }
        }
        return true;
    }

    private void bringUp(ContainerRun container) {
        if (container.running() || container.underway() || (container.ended().isPresent() && !restarts(container))) {
            return;
        }
        container.beginsStart();
        if (container.ended().isEmpty()) {
            launch(container);
            return;
        }
        Duration backOff = container.backOff();
        if (container.crashLooping()) {
            container.waitsInCrashLoop(podName(), backOff);
            observer.changed();
        }
        loop.after(backOff, () -> launch(container));
    }

    private boolean restarts(ContainerRun container) {
        return switch (manifest.path("spec").path("restartPolicy").asString("Always")) {
            case "Never" -> container.role() == Role.SIDECAR;
            case "OnFailure" -> container.role() == Role.SIDECAR || !container.succeeded();
            default -> container.role() != Role.INIT || !container.succeeded();
        };
    }

    private void launch(ContainerRun container) {
        if (ending || finished) {
            return;
        }
        Optional<String> pullError = container.behaviour().pullError();
        if (pullError.isPresent()) {
            container.waits("ErrImagePull", pullError.get());
            observer.changed();
            loop.after(Duration.ofSeconds(10), () -> {
                if (!ending && !finished) {
                    container.waits(
                            "ImagePullBackOff",
                            "Back-off pulling image \"" + container.image() + "\": " + pullError.get());
                    observer.changed();
                }
            });
            return;
        }
        Duration before = Duration.ZERO;
        if (!container.pulled()) {
            long from = Math.max(loop.nanos(), pullsFreeAt);
            pullsFreeAt = from + times.pull().draw(entropy).toNanos();
            before = Duration.ofNanos(pullsFreeAt - loop.nanos());
            container.wasPulled();
        }
        loop.after(before.plus(times.create().draw(entropy)), () -> begin(container));
    }

    private void begin(ContainerRun container) {
        if (ending || finished) {
            return;
        }
        container.runs("containerd://" + HexFormat.of().formatHex(entropy.bytes(32)), loop.now());
        observer.started(container);
        attend(container, Duration.ZERO);
        observer.changed();
        sync();
    }

    /** Plans what a running container will do, and its probes. */
    private void attend(ContainerRun container, Duration ranFor) {
        ContainerState run = container.state();
        Behaviour behaviour = container.behaviour();
        if (behaviour.exitAfter().isPresent() && container.restarts() < behaviour.exits()) {
            loop.after(notNegative(behaviour.exitAfter().get().minus(ranFor)), () -> {
                if (container.state() == run) {
                    exit(container, behaviour.exitCode(), behaviour.exitCode() == 0 ? "Completed" : "Error");
                }
            });
        }
        if (container.started()) {
            probeReadiness(container, run);
        } else {
            loop.after(notNegative(behaviour.startedAfter().minus(ranFor)), () -> {
                if (container.state() == run) {
                    container.hasStarted();
                    probeReadiness(container, run);
                    observer.changed();
                    sync();
                }
            });
        }
    }

    private void probeReadiness(ContainerRun container, ContainerState run) {
        Duration after = container.behaviour().readyAfter();
        if (container.ready() || container.behaviour().neverReady() || container.role() == Role.INIT) {
            return;
        }
        if (after.isZero()) {
            container.isReady();
            return;
        }
        loop.after(after, () -> {
            if (container.state() == run) {
                container.isReady();
                observer.changed();
            }
        });
    }

    private void exit(ContainerRun container, int code, String reason) {
        container.ends(code, reason, loop.now());
        observer.ended(container);
        observer.changed();
        sync();
    }

    /** Whether the pod has come to its end by itself: no ordinary container runs or will run again. */
    boolean over() {
        boolean initFailed = init.stream()
                .anyMatch(c -> c.role() == Role.INIT && c.ended().isPresent() && !c.succeeded() && !restarts(c));
        return initFailed || ordinary.stream().allMatch(c -> c.ended().isPresent() && !restarts(c) && !c.underway());
    }

    /** Sidecars go when all else has ended. */
    private void windDown() {
        boolean othersRun = all().stream().anyMatch(c -> c.role() != Role.SIDECAR && c.running());
        if (othersRun) {
            return;
        }
        ImmutableList<ContainerRun> sidecars =
                ImmutableList.copyOf(init.stream().filter(ContainerRun::running).iterator());
        if (sidecars.isEmpty()) {
            finished = true;
            killTimer.ifPresent(Timer::cancel);
            observer.finished();
        } else if (!sidecarsTold) {
            sidecarsTold = true;
            terminate(sidecars);
            if (killAt.isEmpty()) {
                killAt = Optional.of(loop.nanos() + grace().toNanos());
                killTimer = Optional.of(loop.after(grace(), this::killAll));
            }
        }
    }

    private String podName() {
        JsonNode metadata = manifest.path("metadata");
        return metadata.path("name").asString("") + "_"
                + metadata.path("namespace").asString("") + "("
                + metadata.path("uid").asString("") + ")";
    }
}
