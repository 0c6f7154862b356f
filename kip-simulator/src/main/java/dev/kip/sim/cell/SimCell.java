package dev.kip.sim.cell;

import com.google.common.collect.ImmutableMap;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.AgentEndpoint;
import dev.kip.cell.wire.DeadMan;
import dev.kip.cell.wire.Identity;
import dev.kip.cell.wire.Problem;
import dev.kip.cell.wire.Problem.Reason;
import dev.kip.cell.wire.Secret;
import dev.kip.cell.wire.UserData;
import dev.kip.cell.wire.Wire;
import dev.kip.cell.wire.Wire.GrantRequest;
import dev.kip.checkpointer.agent.StaticPodCheck;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.cell.CellDisk.Ending;
import dev.kip.sim.cell.CellDisk.Granted;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntSupplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The agent of a simulated cell, from one boot to the next power cut: the final wire protocol over a model of kubelet, and the
 * kubelet's API beside it. What must survive is on its {@link CellDisk}. Confined to its loop.
 */
public final class SimCell implements HttpService, AgentEndpoint.Agent {

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
    private final AgentEndpoint endpoint;
    private final KubeletFace kubelet;
    private final IntSupplier kubeletPort;
    private Optional<PodRun> pod = Optional.empty();
    private long sequence;
    private final DeadMan deadMan;
    private boolean announced;

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
        this(
                loop,
                entropy,
                times,
                disk,
                instance,
                fingerprint,
                truth,
                () -> Wire.KUBELET_PORT,
                Optional.empty(),
                () -> {});
    }

    /**
     * @param kubeletPort where its kubelet's API answers
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
            IntSupplier kubeletPort,
            Optional<SavedCell.Memory> frozen,
            Runnable shutdown) {
        this.loop = loop;
        this.endpoint = new AgentEndpoint(loop, this);
        this.kubelet = new KubeletFace(loop, this::held);
        this.kubeletPort = kubeletPort;
        this.entropy = entropy;
        this.times = times;
        this.disk = disk;
        this.instance = instance;
        this.userData = UserData.parse(instance.userData());
        this.deadMan =
                new DeadMan(loop, userData, () -> disk.granted.isPresent() && disk.tombstone.isEmpty(), shutdown);
        this.fingerprint = fingerprint;
        this.truth = truth;
        this.status = new PodStatus(instance.privateIp());
        disk.highestEpoch = Math.max(disk.highestEpoch, userData.epoch());
        sequence = disk.boots * SEQUENCES_PER_BOOT + 1;
        disk.boots++;
        disk.granted
                .filter(granted -> disk.tombstone.isEmpty())
                .ifPresent(granted -> frozen.ifPresentOrElse(memory -> thaw(granted, memory), () -> resume(granted)));
        deadMan.listen();
    }

    @Override
    public void contact() {
        deadMan.contact();
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
        if (call.rawPath().startsWith("/v1/")) {
            endpoint.handle(call);
        } else {
            kubelet.handle(call);
        }
    }

    private Optional<KubeletFace.Held> held() {
        return pod.map(run -> new KubeletFace.Held(
                kubeletName(run), run.manifest().at("/metadata/namespace").asString(""), run.all()));
    }

    @Override
    public String instanceId() {
        return instance.instanceId();
    }

    @Override
    public long sequence() {
        return sequence;
    }

    @Override
    public long highestEpoch() {
        return disk.highestEpoch;
    }

    @Override
    public Identity identity(String nonce) {
        Optional<Secret> own = disk.granted.map(Granted::cellSecret);
        return Identity.prove(
                own.orElse(userData.enrolmentSecret()),
                own.isPresent() ? Identity.By.CELL : Identity.By.ENROLMENT,
                nonce,
                instance.instanceId(),
                fingerprint,
                userData.template(),
                userData.epoch());
    }

    @Override
    public Optional<Problem> raiseEpoch(long epoch) {
        disk.highestEpoch = epoch;
        changed();
        return Optional.empty();
    }

    @Override
    public Optional<Problem> grant(GrantRequest request) {
        Grant grant = request.grant();
        Optional<Grant> held = disk.granted.map(Granted::grant);
        if (held.isPresent() && !samePod(held.get(), grant.podUid(), grant.attempt())) {
            return refusal(Reason.OTHER_POD, "this cell was granted pod " + describe(held.get()));
        }
        if (held.isEmpty() || held.get().bundle().generation() < grant.bundle().generation()) {
            ObjectNode manifest = StaticPodCheck.parse(grant.bundle().manifest());
            Optional<String> problem = StaticPodCheck.problem(manifest, grant.podUid());
            if (problem.isPresent()) {
                return refusal(Reason.INVALID_BUNDLE, problem.get());
            }
            accept(request, manifest);
        }
        return Optional.empty();
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
            deadMan.listen();
        } else {
            pod.filter(run -> !run.ending() && !run.finished()).ifPresent(run -> run.update(manifest));
        }
        changed();
    }

    @Override
    public Optional<Problem> end(EndOrder order) {
        Optional<Grant> held = disk.granted.map(Granted::grant);
        if (held.isEmpty() || !held.get().podUid().equals(order.podUid())) {
            return refusal(
                    Reason.OTHER_POD,
                    held.map(grant -> "this cell was granted pod " + describe(grant))
                            .orElse("this cell is inert"));
        }
        if (disk.tombstone.isEmpty()) {
            if (disk.ending.isEmpty()) {
                disk.ending = Optional.of(new Ending(loop.now(), order.grace()));
            }
            pod.ifPresent(run -> run.end(order.grace()));
        }
        return Optional.empty();
    }

    private static boolean samePod(Grant held, String podUid, int attempt) {
        return held.podUid().equals(podUid) && held.attempt() == attempt;
    }

    private static String describe(Grant grant) {
        return grant.podUid() + " attempt " + grant.attempt();
    }

    private Optional<Problem> refusal(Reason reason, String message) {
        return Optional.of(new Problem(reason, message, disk.highestEpoch));
    }

    @Override
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
                                disk.tombstone.isPresent(),
                                grant.bundle().origin())),
                pod.map(run -> new CellReport.Kubelet(kubeletPort.getAsInt(), kubeletName(run))));
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
        endpoint.changed();
        kubelet.changed();
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
            deadMan.listen();
            announce();
        }
    }
}
