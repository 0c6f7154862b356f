package dev.kip.sim.agent;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.agent.KubeletPods;
import dev.kip.checkpointer.cri.PodRuntime;
import dev.kip.disk.Disk;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A kubelet in standalone mode with one static pod of one container, and its container runtime, as was seen of the real
 * ones: what ran is the runtime's to remember; a deletionTimestamp ends a pod that this kubelet has started, and leaves
 * one alone that it finds so when it is started; what has no manifest is killed.
 */
final class PlayedKubelet implements KubeletPods, PodRuntime {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Path MANIFEST = Path.of("/run/kip/manifests/pod.json");
    private static final Path READY = Path.of("/run/kip/ready");
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final int KILLED = 137;
    private static final int POWER_CUT = 255;

    private final Kernel kernel;
    private final Disk disk;
    private final Map<String, Run> runs = new LinkedHashMap<>();
    private SimProcess process;
    private Optional<ObjectNode> known = Optional.empty();
    private boolean stuck;
    private int lives;
    private boolean runtimeAnswers = true;

    /** How long the container takes to obey a TERM; longer than the grace, and it is killed. */
    Duration obeys = Duration.ofMillis(500);

    /** How many containers were ever started. */
    int starts;

    /** One run of the container. */
    private static final class Run {
        final String id;
        final String uid;
        final int attempt;
        final Instant started;
        boolean running = true;
        int exitCode;
        Instant finished = Instant.EPOCH;

        Run(String id, String uid, int attempt, Instant started) {
            this.id = id;
            this.uid = uid;
            this.attempt = attempt;
            this.started = started;
        }
    }

    PlayedKubelet(Kernel kernel, Disk disk) {
        this.kernel = kernel;
        this.disk = disk;
        this.process = new SimProcess(kernel, "kubelet#0");
        process.kill();
    }

    /** Kubelet's process begins; it waits for the sign that it may. */
    void start() {
        process = new SimProcess(kernel, "kubelet#" + ++lives);
        known = Optional.empty();
        stuck = false;
        process.after(LOOK, this::loop);
    }

    /** Kubelet is killed; containers go on. */
    void kill() {
        process.kill();
    }

    /** Nothing runs any more. */
    void powerCut() {
        process.kill();
        runs.values().forEach(run -> end(run, POWER_CUT));
    }

    /** The runtime's memory is lost with its disk. */
    void forget() {
        runs.clear();
    }

    void runtimeAnswers(boolean value) {
        runtimeAnswers = value;
    }

    /** The program ends by itself. */
    void exit(int code) {
        running().ifPresent(run -> end(run, code));
    }

    Optional<String> manifest() {
        return read().map(ObjectNode::toString);
    }

    boolean runs() {
        return running().isPresent();
    }

    private Optional<Run> running() {
        return runs.values().stream().filter(run -> run.running).findFirst();
    }

    private void end(Run run, int code) {
        if (run.running) {
            run.running = false;
            run.exitCode = code;
            run.finished = kernel.now();
        }
    }

    private void loop() {
        if (exists(READY)) {
            sync(read());
        }
        process.after(LOOK, this::loop);
    }

    private boolean exists(Path file) {
        try {
            return disk.look(file).isPresent();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Optional<ObjectNode> read() {
        try {
            return disk.read(MANIFEST).map(bytes -> (ObjectNode) JSON.readTree(bytes));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void sync(Optional<ObjectNode> manifest) {
        if (manifest.isEmpty()) {
            known.ifPresent(pod -> running().ifPresent(run -> process.after(obeys, () -> end(run, KILLED))));
            if (known.isEmpty()) {
                running().ifPresent(run -> end(run, KILLED)); // an orphan
            }
            known = Optional.empty();
            return;
        }
        boolean ending = manifest.get().path("metadata").has("deletionTimestamp");
        boolean first = known.isEmpty();
        boolean endingBefore =
                known.map(pod -> pod.path("metadata").has("deletionTimestamp")).orElse(false);
        known = manifest;
        if (ending) {
            stuck |= first;
            if (!first && !endingBefore) {
                Duration grace = Duration.ofSeconds(manifest.get()
                        .path("metadata")
                        .path("deletionGracePeriodSeconds")
                        .asLong(30));
                running().ifPresent(run -> terminate(run, grace));
            }
        } else if (running().isEmpty() && mayRun(manifest.get())) {
            String uid = uid(manifest.get());
            int attempt = (int)
                    runs.values().stream().filter(run -> run.uid.equals(uid)).count();
            starts++;
            runs.put("c" + starts, new Run("c" + starts, uid, attempt, kernel.now()));
        }
    }

    private void terminate(Run run, Duration grace) {
        boolean killed = obeys.compareTo(grace) > 0;
        kernel.schedule(killed ? grace : obeys, () -> end(run, killed ? KILLED : 0));
    }

    private boolean mayRun(JsonNode manifest) {
        Optional<Run> last = last(uid(manifest));
        return last.isEmpty()
                || switch (manifest.path("spec").path("restartPolicy").asString("Always")) {
                    case "Never" -> false;
                    case "OnFailure" -> last.get().exitCode != 0;
                    default -> true;
                };
    }

    private Optional<Run> last(String uid) {
        return runs.values().stream().filter(run -> run.uid.equals(uid)).reduce((one, other) -> other);
    }

    private static String uid(JsonNode manifest) {
        return manifest.path("metadata").path("uid").asString("");
    }

    @Override
    public ObjectNode pods() throws IOException {
        if (!process.alive()) {
            throw new IOException("connection refused");
        }
        ObjectNode list = JSON.createObjectNode();
        ArrayNode items = list.putArray("items");
        known.ifPresent(manifest -> {
            ObjectNode pod = manifest.deepCopy();
            ObjectNode metadata = (ObjectNode) pod.path("metadata");
            metadata.put("name", metadata.path("name").asString("") + "-i-1");
            pod.set("status", status(manifest));
            items.add(pod);
        });
        return list;
    }

    private ObjectNode status(ObjectNode manifest) {
        ObjectNode status = JSON.createObjectNode();
        Optional<Run> last = last(uid(manifest));
        if (stuck || last.isEmpty()) {
            return status.put("phase", "Pending");
        }
        Run run = last.get();
        boolean over =
                !run.running && !mayRun(manifest) && !manifest.path("metadata").has("deletionTimestamp");
        status.put("phase", over ? run.exitCode == 0 ? "Succeeded" : "Failed" : "Running");
        status.put("podIP", "192.0.0.2");
        status.put("startTime", run.started.toString());
        status.putArray("conditions").addObject().put("type", "Ready").put("status", run.running ? "True" : "False");
        ObjectNode container = status.putArray("containerStatuses").addObject();
        container.put("name", "main");
        container.put("ready", run.running);
        container.put("restartCount", run.attempt);
        container.put("containerID", "containerd://" + run.id);
        ObjectNode state = container.putObject("state");
        if (run.running) {
            state.putObject("running").put("startedAt", run.started.toString());
        } else {
            state.putObject("terminated").put("exitCode", run.exitCode).put("reason", "Error");
        }
        return status;
    }

    private void mustAnswer() throws IOException {
        if (!runtimeAnswers) {
            throw new IOException("the runtime does not answer");
        }
    }

    @Override
    public ImmutableList<Sandbox> sandboxes() throws IOException {
        mustAnswer();
        return runs.values().stream()
                .map(run -> new Sandbox("s-" + run.id, "shop", "web-i-1", run.uid, run.running))
                .collect(ImmutableList.toImmutableList());
    }

    @Override
    public ImmutableList<Container> containers() throws IOException {
        mustAnswer();
        return runs.values().stream()
                .map(run -> new Container(run.id, "s-" + run.id, "main", run.attempt, run.running))
                .collect(ImmutableList.toImmutableList());
    }

    @Override
    public Standing standing(String container) throws IOException {
        mustAnswer();
        Run run = Optional.ofNullable(runs.get(container)).orElseThrow(() -> new IOException("not found"));
        return new Standing(run.id, !run.running, run.exitCode, run.started, run.finished, "Error", "");
    }

    @Override
    public void stopContainer(String container, Duration grace) throws IOException {
        mustAnswer();
        terminate(Optional.ofNullable(runs.get(container)).orElseThrow(() -> new IOException("not found")), grace);
    }

    @Override
    public void stopSandbox(String sandbox) throws IOException {
        mustAnswer();
        runs.values().stream().filter(run -> sandbox.equals("s-" + run.id)).forEach(run -> end(run, KILLED));
    }
}
