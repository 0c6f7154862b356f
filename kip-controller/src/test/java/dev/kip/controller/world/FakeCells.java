package dev.kip.controller.world;

import dev.kip.bundle.PodBundle;
import dev.kip.cell.CellAddress;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.outcome.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Agents of cells: inert until granted, then a pod that starts, runs and ends. */
final class FakeCells {

    private static final Duration STARTS = Duration.ofMillis(700);
    private static final Duration ENDS = Duration.ofMillis(300);

    private final VirtualTime time;
    private final Faults faults;
    private final FakeCloud cloud;
    private final Map<String, Agent> agents = new LinkedHashMap<>();
    private Duration boot = Duration.ofSeconds(20);
    private final Set<String> mute = new LinkedHashSet<>();
    private boolean ignoresEnd;
    private boolean garbage;

    FakeCells(VirtualTime time, Faults faults, FakeCloud cloud) {
        this.time = time;
        this.faults = faults;
        this.cloud = cloud;
    }

    void bootIn(Duration duration) {
        boot = duration;
    }

    /** Its agent has been granted this pod, and runs it. */
    void holds(String instanceId, String podUid) {
        Agent agent = agents.computeIfAbsent(instanceId, Agent::new);
        agent.epoch = 1;
        agent.uid = podUid;
        agent.generation = 1;
        agent.started = true;
        agent.phase = "Running";
        agent.changed();
    }

    /** Of the bundle that this pod's cell holds; 0 if none does. */
    long generationOf(String podUid) {
        return agents.values().stream()
                .filter(agent -> agent.uid.equals(podUid))
                .mapToLong(agent -> agent.generation)
                .findFirst()
                .orElse(0);
    }

    /** A file of the bundle that this pod's cell holds, as text; empty if there is none. */
    String file(String podUid, String path) {
        return agents.values().stream()
                .filter(agent -> agent.uid.equals(podUid))
                .flatMap(agent -> agent.bundle.stream())
                .flatMap(bundle -> bundle.files().stream())
                .filter(file -> file.path().equals(path))
                .map(file -> new String(Base64.getDecoder().decode(file.contentBase64()), StandardCharsets.UTF_8))
                .findFirst()
                .orElse("");
    }

    /** Its agent does not answer from now on. */
    void mute(String instanceId) {
        mute.add(instanceId);
    }

    void unmute(String instanceId) {
        mute.remove(instanceId);
    }

    void ignoreEnd() {
        ignoresEnd = true;
    }

    void speakGarbage() {
        garbage = true;
    }

    /** The agent of this instance runs a pod, whoever granted it. */
    void hold(String instanceId, String podUid) {
        Agent agent = agents.computeIfAbsent(instanceId, Agent::new);
        agent.uid = podUid;
        agent.started = true;
        agent.phase = "Running";
        agent.changed();
    }

    /** Instances that live and have been granted this pod. */
    List<String> runningOn(String podUid) {
        List<String> found = new ArrayList<>();
        agents.forEach((id, agent) -> {
            if (cloud.runs(id) && agent.uid.equals(podUid)) {
                found.add(id);
            }
        });
        return found;
    }

    /** The most starts of any one pod's containers. */
    int starts(String podUid) {
        return (int) agents.values().stream()
                .filter(agent -> agent.uid.equals(podUid) && agent.started)
                .count();
    }

    /** A container restarts. */
    void restart(String podUid) {
        agents.values().stream().filter(agent -> agent.uid.equals(podUid)).forEach(agent -> {
            agent.restarts++;
            agent.changed();
        });
    }

    void finish(String podUid, boolean well) {
        agents.values().stream().filter(agent -> agent.uid.equals(podUid)).forEach(agent -> agent.end(well));
    }

    private final class Agent {

        private final String id;
        private long sequence = 1;
        private long epoch;
        private String uid = "";
        private int attempt;
        private long generation;
        private Optional<PodBundle> bundle = Optional.empty();
        private String phase = "Pending";
        private boolean started;
        private int restarts;
        private boolean ended;
        private boolean well = true;
        private final List<Runnable> waiters = new ArrayList<>();

        Agent(String id) {
            this.id = id;
        }

        CellReport report() {
            Optional<PodReport> pod = uid.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new PodReport(
                            uid,
                            attempt,
                            generation,
                            garbage ? "<html>" : status(),
                            ended,
                            bundle.map(PodBundle::origin).orElse("")));
            return new CellReport(id, sequence, epoch, pod);
        }

        private String status() {
            String state = ended
                    ? "{\"terminated\":{\"exitCode\":" + (well ? 0 : 1) + "}}"
                    : started ? "{\"running\":{}}" : "{\"waiting\":{\"reason\":\"ContainerCreating\"}}";
            String ready = started && !ended ? "True" : "False";
            return "{\"phase\":\"" + phase + "\",\"podIP\":\"10.9.9.9\",\"qosClass\":\"Burstable\",\"conditions\":["
                    + "{\"type\":\"Ready\",\"status\":\"" + ready + "\"}],"
                    + "\"containerStatuses\":[{\"name\":\"main\",\"restartCount\":" + restarts + ",\"state\":" + state
                    + "}]}";
        }

        void changed() {
            sequence++;
            List<Runnable> now = List.copyOf(waiters);
            waiters.clear();
            now.forEach(Runnable::run);
        }

        void grant(Grant grant) {
            boolean first = uid.isEmpty();
            uid = grant.podUid();
            attempt = grant.attempt();
            generation = grant.bundle().generation();
            bundle = Optional.of(grant.bundle());
            changed();
            if (first) {
                time.at(STARTS, () -> {
                    if (!ended && cloud.runs(id)) {
                        started = true;
                        phase = "Running";
                        changed();
                    }
                });
            }
        }

        void end(boolean inOrder) {
            if (ended) {
                return;
            }
            ended = true;
            well = inOrder;
            phase = inOrder ? "Succeeded" : "Failed";
            changed();
        }
    }

    CellApi open(FakeProcess process) {
        return new View(process);
    }

    private final class View implements CellApi {

        private final FakeProcess process;

        View(FakeProcess process) {
            this.process = process;
        }

        private Optional<Agent> reach(CellAddress cell) {
            boolean up = !mute.contains(cell.instanceId())
                    && cloud.runs(cell.instanceId())
                    && time.nanos() - cloud.launchedAt(cell.instanceId()) >= boot.toNanos();
            return up ? Optional.of(agents.computeIfAbsent(cell.instanceId(), Agent::new)) : Optional.empty();
        }

        private static CellError unreachable() {
            return new CellError.Unreachable("connection refused");
        }

        @Override
        public CompletionStage<Outcome<CellReport, CellError>> watch(CellAddress cell, long seen, Duration wait) {
            CompletableFuture<Outcome<CellReport, CellError>> stage = new CompletableFuture<>();
            faults.<Boolean, CellError>call(process, "cell watch", () -> Outcome.ok(true), unreachable())
                    .thenAccept(outcome -> outcome.on(
                            fine -> {
                                Optional<Agent> agent = reach(cell);
                                if (agent.isEmpty()) {
                                    stage.complete(Outcome.failed(unreachable()));
                                    return;
                                }
                                Runnable answer = () -> process.post(() ->
                                        stage.complete(Outcome.ok(agent.get().report())));
                                if (agent.get().sequence > seen) {
                                    answer.run();
                                } else {
                                    agent.get().waiters.add(answer);
                                    process.after(
                                            wait,
                                            () -> stage.complete(
                                                    cloud.runs(cell.instanceId())
                                                            ? Outcome.ok(
                                                                    agent.get().report())
                                                            : Outcome.failed(unreachable())));
                                }
                            },
                            error -> stage.complete(Outcome.failed(error))));
            return stage;
        }

        @Override
        public CompletionStage<Outcome<CellReport, CellError>> grant(CellAddress cell, Grant grant) {
            return faults.call(
                    process,
                    "cell grant",
                    () -> order(cell, grant.epoch(), grant.podUid(), agent -> agent.grant(grant)),
                    unreachable());
        }

        @Override
        public CompletionStage<Outcome<CellReport, CellError>> end(CellAddress cell, EndOrder order) {
            return faults.call(
                    process,
                    "cell end",
                    () -> order(cell, order.epoch(), order.podUid(), agent -> {
                        if (!ignoresEnd) {
                            time.at(ENDS, () -> agent.end(true));
                        }
                    }),
                    unreachable());
        }

        private Outcome<CellReport, CellError> order(
                CellAddress cell, long epoch, String uid, java.util.function.Consumer<Agent> body) {
            Optional<Agent> agent = reach(cell);
            if (agent.isEmpty()) {
                return Outcome.failed(unreachable());
            }
            if (epoch < agent.get().epoch) {
                return Outcome.failed(new CellError.Fenced(agent.get().epoch, "fenced"));
            }
            if (!agent.get().uid.isEmpty() && !agent.get().uid.equals(uid)) {
                return Outcome.failed(new CellError.Refused("holds another pod"));
            }
            agent.get().epoch = epoch;
            body.accept(agent.get());
            return Outcome.ok(agent.get().report());
        }
    }
}
