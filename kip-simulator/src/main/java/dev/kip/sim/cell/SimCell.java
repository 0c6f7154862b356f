package dev.kip.sim.cell;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.Identity;
import dev.kip.cell.wire.Problem;
import dev.kip.cell.wire.Problem.Reason;
import dev.kip.cell.wire.Secret;
import dev.kip.cell.wire.UserData;
import dev.kip.cell.wire.Wire;
import dev.kip.cell.wire.Wire.GrantRequest;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.cell.CellDisk.Ending;
import dev.kip.sim.cell.CellDisk.Granted;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The agent of a simulated cell, from one boot to the next power cut: the final wire protocol over a model of kubelet. What
 * must survive is on its {@link CellDisk}. Confined to its loop.
 */
public final class SimCell implements HttpService {

    private static final ImmutableMap<String, String> JSON_HEADERS = ImmutableMap.of("content-type", Wire.CONTENT_TYPE);

    /** Leaves room for the changes of a boot, so that sequences grow over boots without a write for each. */
    private static final long SEQUENCES_PER_BOOT = 1_000_000;

    private final Loop loop;
    private final Entropy entropy;
    private final CellTimes times;
    private final CellDisk disk;
    private final CellInstance instance;
    private final UserData userData;
    private final String fingerprint;
    private final GroundTruth truth;
    private final PodStatus status;
    private final Map<Long, Waiter> waiters = new LinkedHashMap<>();
    private Optional<PodRun> pod = Optional.empty();
    private long sequence;
    private final Runnable shutdown;
    private long lastContact;
    private Optional<Loop.Timer> silence = Optional.empty();
    private long waiterIds;
    private boolean announced;

    /** A long poll that waits for a change. */
    private record Waiter(HttpCall call, Loop.Timer timer) {}

    /**
     * Boots: reads the user data, and goes on with what is on the disk.
     *
     * @param fingerprint of the certificate under which it is served
     * @throws IllegalArgumentException if the user data is not ours
     */
    public SimCell(
            Loop loop,
            Entropy entropy,
            CellTimes times,
            CellDisk disk,
            CellInstance instance,
            String fingerprint,
            GroundTruth truth) {
        this(loop, entropy, times, disk, instance, fingerprint, truth, Optional.empty(), () -> {});
    }

    /**
     * @param frozen what it had in memory, to go on with instead of booting
     * @param shutdown the agent shuts its machine down
     */
    SimCell(
            Loop loop,
            Entropy entropy,
            CellTimes times,
            CellDisk disk,
            CellInstance instance,
            String fingerprint,
            GroundTruth truth,
            Optional<SavedCell.Memory> frozen,
            Runnable shutdown) {
        this.loop = loop;
        this.shutdown = shutdown;
        this.lastContact = loop.nanos();
        this.entropy = entropy;
        this.times = times;
        this.disk = disk;
        this.instance = instance;
        this.userData = UserData.parse(instance.userData());
        this.fingerprint = fingerprint;
        this.truth = truth;
        this.status = new PodStatus(instance.privateIp());
        disk.highestEpoch = Math.max(disk.highestEpoch, userData.epoch());
        sequence = disk.boots * SEQUENCES_PER_BOOT + 1;
        disk.boots++;
        disk.granted
                .filter(granted -> disk.tombstone.isEmpty())
                .ifPresent(granted -> frozen.ifPresentOrElse(memory -> thaw(granted, memory), () -> resume(granted)));
        listenForSilence();
    }

    /** The dead man's timer: what no living controller claims ends by itself. Another limit holds while a pod runs. */
    private void listenForSilence() {
        silence.ifPresent(Loop.Timer::cancel);
        silence = Optional.empty();
        boolean runs = disk.granted.isPresent() && disk.tombstone.isEmpty();
        Optional<Duration> most = runs ? userData.deadMan() : userData.inertDeadMan();
        if (most.isEmpty()) {
            return;
        }
        Duration left = most.get().minus(Duration.ofNanos(loop.nanos() - lastContact));
        if (left.isZero() || left.isNegative()) {
            shutdown.run();
        } else {
            silence = Optional.of(loop.after(left, this::listenForSilence));
        }
    }

    /** The installation's controller has spoken, and is not fenced. */
    private void contact() {
        lastContact = loop.nanos();
    }

    private void thaw(Granted granted, SavedCell.Memory memory) {
        Grant grant = granted.grant();
        truth.granted(instance.instanceId(), grant.podUid(), grant.attempt(), granted.since());
        PodRun run = run(granted);
        pod = Optional.of(run);
        status.thaw(memory.conditions());
        run.thaw(memory.pod());
        disk.ending.ifPresent(ending -> {
            Duration left = Duration.between(loop.now(), ending.since().plus(ending.grace()));
            run.end(left.isNegative() ? Duration.ZERO : left);
        });
    }

    SavedCell save() {
        return new SavedCell(
                instance,
                SavedCell.save(disk),
                Optional.of(pod.map(run -> new SavedCell.Memory(run.save(), status.save()))
                        .orElse(SavedCell.NO_POD)));
    }

    private void resume(Granted granted) {
        PodRun run = run(granted);
        run.restore();
        pod = Optional.of(run);
        if (disk.ending.isPresent()) {
            run.end(Duration.ZERO); // its dead containers may be gone: it must not run again
        } else {
            run.start();
        }
    }

    private PodRun run(Granted granted) {
        ObjectNode manifest = StaticPodCheck.parse(granted.grant().bundle().manifest());
        return new PodRun(
                loop, entropy, times, manifest, granted.since(), disk.containers, new Watched(granted.grant()));
    }

    /** The pod's containers as they stand, for tests and timelines. */
    public ImmutableMap<String, String> containers() {
        ImmutableMap.Builder<String, String> states = ImmutableMap.builder();
        disk.containers.forEach(
                (name, memory) -> states.put(name, memory.state.getClass().getSimpleName()));
        return states.buildOrThrow();
    }

    @Override
    public void handle(HttpCall call) {
        try {
            switch (call.rawPath()) {
                case Wire.IDENTITY -> only("GET", call, () -> identity(call));
                case Wire.STATE -> only("GET", call, () -> state(call));
                case Wire.POD -> only("PUT", call, () -> grant(call));
                case Wire.END -> only("POST", call, () -> end(call));
                default -> refuse(call, Reason.NOT_FOUND, "no such path: " + call.rawPath());
            }
        } catch (IllegalArgumentException e) {
            refuse(call, Reason.BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    private void only(String method, HttpCall call, Runnable action) {
        if (!call.method().equals(method)) {
            refuse(call, Reason.METHOD_NOT_ALLOWED, call.rawPath() + " is for " + method);
        } else if (!call.rawPath().equals(Wire.IDENTITY)
                && !call.parameter(Wire.INSTANCE).equals(Optional.of(instance.instanceId()))) {
            refuse(
                    call,
                    Reason.OTHER_CELL,
                    "this is " + instance.instanceId() + ", the request is for "
                            + call.parameter(Wire.INSTANCE).orElse("no instance"));
        } else {
            action.run();
        }
    }

    private void identity(HttpCall call) {
        String nonce = call.parameter(Wire.NONCE)
                .filter(text -> text.matches("[0-9a-f]{32}"))
                .orElseThrow(() -> new IllegalArgumentException("nonce: wanted 32 hex digits"));
        Optional<Secret> own = disk.granted.map(Granted::cellSecret);
        Identity identity = Identity.prove(
                own.orElse(userData.enrolmentSecret()),
                own.isPresent() ? Identity.By.CELL : Identity.By.ENROLMENT,
                nonce,
                instance.instanceId(),
                fingerprint,
                userData.template(),
                userData.epoch());
        call.respond(200, JSON_HEADERS, Wire.encode(identity));
    }

    private void state(HttpCall call) {
        contact();
        long seen = number(call, Wire.SEEN);
        Duration wait = Duration.ofSeconds(Math.min(number(call, Wire.WAIT), Wire.MAX_WAIT.toSeconds()));
        if (seen != sequence || wait.isZero()) {
            report(call);
            return;
        }
        long id = waiterIds++;
        waiters.put(id, new Waiter(call, loop.after(wait, () -> {
            waiters.remove(id);
            report(call);
        })));
    }

    private static long number(HttpCall call, String name) {
        String text = call.parameter(name).orElse("0");
        if (!text.matches("\\d{1,18}")) {
            throw new IllegalArgumentException(name + ": wanted a number, found \"" + text + "\"");
        }
        return Long.parseLong(text);
    }

    private void grant(HttpCall call) {
        GrantRequest request = Wire.decodeGrant(call.body());
        Grant grant = request.grant();
        if (fenced(call, grant.epoch())) {
            return;
        }
        Optional<Grant> held = disk.granted.map(Granted::grant);
        if (held.isPresent() && !samePod(held.get(), grant.podUid(), grant.attempt())) {
            refuse(call, Reason.OTHER_POD, "this cell was granted pod " + describe(held.get()));
            return;
        }
        if (held.isEmpty() || held.get().bundle().generation() < grant.bundle().generation()) {
            ObjectNode manifest = StaticPodCheck.parse(grant.bundle().manifest());
            Optional<String> problem = StaticPodCheck.problem(manifest, grant.podUid());
            if (problem.isPresent()) {
                refuse(call, Reason.INVALID_BUNDLE, problem.get());
                return;
            }
            accept(request, manifest);
        }
        report(call);
    }

    private void accept(GrantRequest request, JsonNode manifest) {
        Optional<Granted> before = disk.granted;
        Granted granted = new Granted(
                request.grant(),
                request.cellSecret(),
                before.map(Granted::since).orElse(loop.now()));
        disk.granted = Optional.of(granted);
        if (before.isEmpty()) {
            truth.granted(
                    instance.instanceId(),
                    request.grant().podUid(),
                    request.grant().attempt(),
                    loop.now());
            PodRun run = run(granted);
            pod = Optional.of(run);
            run.start();
            listenForSilence();
        } else {
            pod.filter(run -> !run.ending() && !run.finished()).ifPresent(run -> run.update(manifest));
        }
        changed();
    }

    private void end(HttpCall call) {
        EndOrder order = Wire.decodeEnd(call.body());
        if (fenced(call, order.epoch())) {
            return;
        }
        Optional<Grant> held = disk.granted.map(Granted::grant);
        if (held.isEmpty() || !held.get().podUid().equals(order.podUid())) {
            refuse(
                    call,
                    Reason.OTHER_POD,
                    held.map(grant -> "this cell was granted pod " + describe(grant))
                            .orElse("this cell is inert"));
            return;
        }
        if (disk.tombstone.isEmpty()) {
            if (disk.ending.isEmpty()) {
                disk.ending = Optional.of(new Ending(loop.now(), order.grace()));
            }
            pod.ifPresent(run -> run.end(order.grace()));
        }
        report(call);
    }

    private static boolean samePod(Grant held, String podUid, int attempt) {
        return held.podUid().equals(podUid) && held.attempt() == attempt;
    }

    private static String describe(Grant grant) {
        return grant.podUid() + " attempt " + grant.attempt();
    }

    private boolean fenced(HttpCall call, long epoch) {
        if (epoch < disk.highestEpoch) {
            refuse(call, Reason.FENCED, "epoch " + epoch + " is over: " + disk.highestEpoch + " has been here");
            return true;
        }
        contact();
        if (epoch > disk.highestEpoch) {
            disk.highestEpoch = epoch;
            changed();
        }
        return false;
    }

    private void refuse(HttpCall call, Reason reason, String message) {
        call.respond(reason.status(), JSON_HEADERS, Wire.encode(new Problem(reason, message, disk.highestEpoch)));
    }

    private void report(HttpCall call) {
        call.respond(200, JSON_HEADERS, Wire.encode(report()));
    }

    /** What it would answer now. */
    public CellReport report() {
        return new CellReport(
                instance.instanceId(),
                sequence,
                disk.highestEpoch,
                disk.granted
                        .map(Granted::grant)
                        .map(grant -> new PodReport(
                                grant.podUid(),
                                grant.attempt(),
                                grant.bundle().generation(),
                                disk.tombstone
                                        .or(() -> pod.map(run -> status.write(run, loop.now())))
                                        .orElse("{}"),
                                disk.tombstone.isPresent())),
                pod.map(run -> new CellReport.Kubelet(Wire.KUBELET_PORT, kubeletName(run))));
    }

    /** A static pod's name has its kubelet's node as a suffix. */
    private String kubeletName(PodRun run) {
        return run.manifest().at("/metadata/name").asString("") + "-" + instance.instanceId();
    }

    /** Changes of one moment are one change. */
    private void announce() {
        if (!announced) {
            announced = true;
            loop.post(() -> {
                announced = false;
                changed();
            });
        }
    }

    private void changed() {
        sequence++;
        ImmutableList<Waiter> waiting = ImmutableList.copyOf(waiters.values());
        waiters.clear();
        for (Waiter waiter : waiting) {
            waiter.timer().cancel();
            report(waiter.call());
        }
    }

    /** Keeps the books on a pod's run. */
    private final class Watched implements PodRun.Observer {
        private final Grant grant;

        Watched(Grant grant) {
            this.grant = grant;
        }

        @Override
        public void changed() {
            pod.ifPresent(run -> status.write(run, loop.now())); // notes when conditions change
            announce();
        }

        @Override
        public void started(ContainerRun container) {
            truth.started(new GroundTruth.Run(
                    instance.instanceId(),
                    grant.podUid(),
                    grant.attempt(),
                    container.name(),
                    container.restarts(),
                    loop.now(),
                    Optional.empty()));
        }

        @Override
        public void ended(ContainerRun container) {
            truth.ended(instance.instanceId(), container.name(), loop.now());
        }

        @Override
        public void finished() {
            pod.ifPresent(run -> disk.tombstone = Optional.of(status.write(run, loop.now())));
            listenForSilence();
            announce();
        }
    }
}
