package dev.kip.sim.agent;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.PodBundle;
import dev.kip.bundle.PodBundle.BundleFile;
import dev.kip.cell.CellAddress;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.AddressMap;
import dev.kip.cell.wire.CellClients;
import dev.kip.cell.wire.HttpCellApi;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cell.wire.UserData;
import dev.kip.cell.wire.Wire;
import dev.kip.checkpointer.agent.Agent;
import dev.kip.checkpointer.agent.AgentPlaces;
import dev.kip.checkpointer.agent.AgentSettings;
import dev.kip.disk.DurableFiles;
import dev.kip.outcome.Outcome;
import dev.kip.sim.cell.SimulatedCertificates;
import dev.kip.sim.disk.Fate;
import dev.kip.sim.disk.SimDisk;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimHttpClient;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimOffload;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A controller's client, and one machine with the production agent on a disk that can lose power. */
final class AgentWorld {

    static final JsonMapper JSON = JsonMapper.builder().build();
    static final Instant EPOCH = Instant.parse("2030-01-01T00:00:00Z");
    static final long MINIMUM = 3;
    private static final String ADDRESS = "10.0.0.1";
    static final CellAddress CELL = new CellAddress("i-1", ADDRESS, Wire.PORT);

    final Kernel kernel = new Kernel(7, EPOCH, new Trace(true));
    final SimDisk disk = new SimDisk();
    final PlayedKubelet kubelet = new PlayedKubelet(kernel, disk.as("kubelet"));
    private final SimNetwork network = new SimNetwork(
            kernel, (from, to, request) -> new Call(from, to, request.method() + " " + request.rawPath(), "", false));
    private final InstallationKeys keys = InstallationKeys.create(kernel.entropy("keys"), EPOCH);
    private final HttpCellApi api = controller();
    private final UserData userData;
    private SimProcess agent = new SimProcess(kernel, "agent#0");
    private int lives;
    private String instanceId = "i-1";

    /** Whether the agent has shut the machine down. */
    boolean shutDown;

    AgentWorld() {
        this(Optional.empty(), Optional.empty());
    }

    AgentWorld(Optional<Duration> deadMan, Optional<Duration> inertDeadMan) {
        userData = UserData.of(keys, "install", "vk", "template-1", MINIMUM).withDeadMan(deadMan, inertDeadMan);
        agent.kill();
        kubelet.start();
        startAgent();
    }

    private HttpCellApi controller() {
        SimProcess process = new SimProcess(kernel, "controller");
        SimHttpClient client = new SimHttpClient(network, process, Optional.of("kip-controller"));
        return new HttpCellApi(
                new CellClients(client, client),
                process,
                kernel.entropy("nonces"),
                keys,
                new SimulatedCertificates(network),
                AddressMap.none());
    }

    SimProcess agent() {
        return agent;
    }

    /** The agent begins, as after a crash. */
    void startAgent() {
        try {
            tryStartAgent();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void tryStartAgent() throws IOException {
        agent = new SimProcess(kernel, "agent#" + ++lives);
        Agent started = new Agent(
                new AgentSettings(instanceId, ADDRESS, userData, AgentPlaces.USUAL, Wire.KUBELET_PORT),
                new Agent.Seams(
                        agent,
                        new SimOffload(agent, 4, Duration.ofMillis(50)),
                        disk.as("agent#" + lives),
                        kernel.entropy("agent"),
                        kubelet,
                        kubelet,
                        () -> shutDown = true));
        started.start();
        network.listen(
                ADDRESS, Wire.PORT, agent.name(), agent, started, started.key().fingerprint());
        kernel.runFor(Duration.ofSeconds(2));
    }

    void killAgent() {
        network.unlisten(ADDRESS, Wire.PORT);
        agent.kill();
    }

    /** The disk is another instance's from now on. */
    void becomes(String id) {
        instanceId = id;
    }

    /** The power fails; what was in memory is gone. */
    void powerCut(Fate fate) {
        killAgent();
        kubelet.powerCut();
        disk.powerCycle(fate);
        try {
            new DurableFiles(disk.as("boot")).removeTree(AgentPlaces.USUAL.run());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void boot() {
        kubelet.start();
        startAgent();
        kernel.runFor(Duration.ofSeconds(5));
    }

    static PodBundle bundle(long generation, String restartPolicy, String value) {
        String manifest = ("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'web','namespace':'shop','uid':'u-1'},"
                        + "'spec':{'hostname':'web','restartPolicy':'" + restartPolicy
                        + "','containers':[{'name':'main','image':'a',"
                        + "'env':[{'name':'IP','valueFrom':{'fieldRef':{'fieldPath':'status.podIP'}}}]}]}}")
                .replace('\'', '"');
        return new PodBundle(
                generation,
                manifest,
                ImmutableList.of(new BundleFile(
                        "volumes/v/key",
                        Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)),
                        0644)));
    }

    Outcome<CellReport, CellError> tryGrant(long epoch, int attempt, PodBundle bundle) {
        return answer(api.grant(CELL, new Grant(epoch, "u-1", attempt, bundle)));
    }

    CellReport grant(String restartPolicy) {
        CellReport report = ok(tryGrant(MINIMUM, 0, bundle(1, restartPolicy, "one")));
        kernel.runFor(Duration.ofSeconds(5));
        return report;
    }

    Outcome<CellReport, CellError> tryEnd(int seconds) {
        return answer(api.end(CELL, new EndOrder(MINIMUM, "u-1", Duration.ofSeconds(seconds))));
    }

    void end(int seconds) {
        ok(tryEnd(seconds));
    }

    CellReport report() {
        return ok(answer(api.watch(CELL, 0, Duration.ZERO)));
    }

    PodReport pod() {
        return report().pod().orElseThrow();
    }

    JsonNode status() {
        return JSON.readTree(pod().status());
    }

    JsonNode terminated() {
        return status().path("containerStatuses").path(0).path("state").path("terminated");
    }

    /** How long it takes until the pod has ended. */
    Duration untilEnded() {
        Duration from = kernel.elapsed();
        kernel.runUntil(() -> !kubelet.runs(), Duration.ofMinutes(10));
        Duration took = kernel.elapsed().minus(from);
        kernel.runFor(Duration.ofSeconds(10));
        return took;
    }

    static CellReport ok(Outcome<CellReport, CellError> outcome) {
        return outcome.fold(report -> report, error -> {
            throw new AssertionError(error);
        });
    }

    private <T> T answer(CompletionStage<T> stage) {
        AtomicReference<T> result = new AtomicReference<>();
        stage.thenAccept(result::set);
        kernel.runUntil(() -> result.get() != null, Duration.ofMinutes(10));
        return result.get();
    }

    String file(String path) {
        try {
            return disk.as("look")
                    .read(AgentPlaces.USUAL.run().resolve(path))
                    .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                    .orElse("");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
