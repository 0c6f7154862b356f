package dev.kip.sim.cell;

import dev.kip.sim.cell.ContainerState.Ended;
import dev.kip.sim.cell.ContainerState.Running;
import dev.kip.sim.cell.ContainerState.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** One container of the pod as kubelet keeps it. Confined to the cell's loop. */
final class ContainerRun {

    /** Where a container stands in its pod's life. */
    enum Role {
        INIT,
        SIDECAR,
        ORDINARY
    }

    private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(10);
    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(5);
    private static final Duration GOOD_RUN = Duration.ofMinutes(10);
    private static final Duration SYNC = Duration.ofSeconds(1);

    private final String name;
    private final Role role;
    private final ContainerMemory memory;
    private JsonNode spec;
    private Behaviour behaviour;
    private boolean underway;
    private boolean pulled;
    private boolean started;
    private boolean ready;
    private int crashesInARow;

    ContainerRun(JsonNode manifest, JsonNode spec, Role role, ContainerMemory memory) {
        this.name = spec.path("name").asString("");
        this.role = role;
        this.memory = memory;
        this.spec = spec;
        this.behaviour = Behaviour.of(manifest, spec, role == Role.INIT);
    }

    /** Takes over a new generation's definition; true if the image differs, which is what kubelet restarts for. */
    boolean redefine(JsonNode manifest, JsonNode newSpec) {
        boolean otherImage = !newSpec.path("image").equals(spec.path("image"));
        spec = newSpec;
        behaviour = Behaviour.of(manifest, newSpec, role == Role.INIT);
        pulled &= !otherImage;
        return otherImage;
    }

    String name() {
        return name;
    }

    Role role() {
        return role;
    }

    String image() {
        return spec.path("image").asString("");
    }

    Behaviour behaviour() {
        return behaviour;
    }

    ContainerState state() {
        return memory.state;
    }

    Optional<Ended> last() {
        return memory.last;
    }

    int restarts() {
        return memory.restarts;
    }

    boolean running() {
        return memory.running();
    }

    Optional<Ended> ended() {
        return memory.ended();
    }

    boolean succeeded() {
        return ended().filter(end -> end.exitCode() == 0).isPresent();
    }

    /** Pulling, being created, or waiting for its next start. */
    boolean underway() {
        return underway;
    }

    boolean pulled() {
        return pulled;
    }

    boolean started() {
        return started;
    }

    boolean ready() {
        return ready;
    }

    void waits(String reason, String message) {
        memory.state = new Waiting(reason, message);
    }

    void beginsStart() {
        underway = true;
    }

    void wasPulled() {
        pulled = true;
    }

    /** Kubelet gave up this start: the pod is being ended. */
    void abandonsStart() {
        underway = false;
    }

    void runs(String id, Instant now) {
        underway = false;
        ended().ifPresent(end -> memory.last = Optional.of(end));
        if (memory.last.isPresent()) {
            memory.restarts++;
        }
        memory.state = new Running(id, now);
        started = behaviour.startedAfter().isZero();
    }

    void hasStarted() {
        started = true;
    }

    void isReady() {
        ready = true;
    }

    void ends(int exitCode, String reason, Instant now) {
        if (memory.state instanceof Running running) {
            boolean longEnough = Duration.between(running.startedAt(), now).compareTo(GOOD_RUN) >= 0;
            crashesInARow = longEnough ? 1 : crashesInARow + 1;
            memory.state = new Ended(running.id(), exitCode, reason, running.startedAt(), now);
            started = false;
            ready = false;
        }
    }

    /** A new sandbox after a power cut: init containers begin anew. */
    void forgets(String reason) {
        ended().ifPresent(end -> memory.last = Optional.of(end));
        waits(reason, "");
    }

    SavedCell.Container save() {
        return new SavedCell.Container(
                memory.state, memory.last, memory.restarts, pulled, started, ready, crashesInARow);
    }

    /** Goes on where it stood. A start that was held back or under way begins anew. */
    void thaw(SavedCell.Container saved) {
        boolean heldBack = saved.state() instanceof Waiting && saved.last().isPresent();
        memory.state = heldBack ? saved.last().get() : saved.state();
        memory.last = saved.last();
        memory.restarts = saved.restarts();
        pulled = saved.pulled();
        started = saved.started();
        ready = saved.ready();
        crashesInARow = saved.crashesInARow();
    }

    /** At once the first time (kubelet's own pace), then 10 s doubling up to 5 min, anew after a run of 10 min. */
    Duration backOff() {
        if (crashesInARow <= 1) {
            return SYNC;
        }
        Duration doubled = FIRST_BACK_OFF.multipliedBy(1L << Math.min(crashesInARow - 2, 10));
        return doubled.compareTo(LONGEST_BACK_OFF) < 0 ? doubled : LONGEST_BACK_OFF;
    }

    boolean crashLooping() {
        return crashesInARow > 1;
    }

    /** Its next start is held back; what it ended with becomes its last state. */
    void waitsInCrashLoop(String pod, Duration backOff) {
        ended().ifPresent(end -> memory.last = Optional.of(end));
        waits(
                "CrashLoopBackOff",
                "back-off " + goDuration(backOff) + " restarting failed container=" + name + " pod=" + pod);
    }

    private static String goDuration(Duration duration) {
        return duration.toMinutes() > 0
                ? duration.toMinutes() + "m" + duration.toSecondsPart() + "s"
                : duration.toSeconds() + "s";
    }
}
