package dev.kip.sim.cell;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.bundle.BundleBuilder;
import dev.kip.bundle.Materials;
import dev.kip.bundle.PodBundle;
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
import dev.kip.outcome.Outcome;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimHttpClient;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A controller's client and one cell on the simulated network. */
final class CellWorld {

    static final JsonMapper JSON = JsonMapper.builder().build();
    static final Instant EPOCH = Instant.parse("2030-01-01T00:00:00Z");
    static final CellAddress CELL = new CellAddress("i-1", "10.0.0.1", Wire.PORT);
    static final long MINIMUM_EPOCH = 3;

    final Kernel kernel = new Kernel(7, EPOCH, new Trace(true));
    final SimNetwork network = new SimNetwork(
            kernel,
            (from, to, request) -> new Call(
                    from,
                    to,
                    request.method() + " " + request.rawPath(),
                    "",
                    !request.method().equals("GET")));
    final GroundTruth truth = new GroundTruth();
    final InstallationKeys keys = InstallationKeys.create(kernel.entropy("keys"), EPOCH);
    final SimulatedHost host = new SimulatedHost(kernel, network);
    final SimProcess world = new SimProcess(kernel, "world");
    final SimCells cells = new SimCells(host, world, kernel.entropy("cells"), CellTimes.quick(), truth);
    final HttpCellApi api = controller(keys);

    CellWorld() {
        boot("i-1", "10.0.0.1");
    }

    /** Boots another, whose agent shuts down when it has been left alone for so long. */
    void bootDeadMan(String instanceId, String privateIp, Optional<Duration> bound, Optional<Duration> inert) {
        cells.started(
                instanceId,
                privateIp,
                UserData.of(keys, "install", "vk", "template-1", MINIMUM_EPOCH)
                        .withDeadMan(bound, inert)
                        .toCloudConfig());
        kernel.runFor(Duration.ofSeconds(2));
    }

    void boot(String instanceId, String privateIp) {
        cells.started(instanceId, privateIp, userData());
        kernel.runFor(Duration.ofSeconds(2));
    }

    String userData() {
        return UserData.of(keys, "install", "vk", "template-1", MINIMUM_EPOCH).toCloudConfig();
    }

    HttpCellApi controller(InstallationKeys withKeys) {
        SimProcess process = new SimProcess(kernel, "controller");
        SimHttpClient client = new SimHttpClient(network, process, Optional.of("kip-controller"));
        return new HttpCellApi(
                new CellClients(client, client),
                process,
                kernel.entropy("nonces"),
                withKeys,
                new SimulatedCertificates(network),
                AddressMap.none());
    }

    /** Runs until the call is answered. */
    <T> T answer(CompletionStage<T> stage) {
        AtomicReference<T> result = new AtomicReference<>();
        stage.thenAccept(result::set);
        kernel.runUntil(() -> result.get() != null, Duration.ofMinutes(10));
        return result.get();
    }

    CellReport report(CompletionStage<Outcome<CellReport, CellError>> stage) {
        return answer(stage).fold(report -> report, error -> {
            throw new AssertionError(error);
        });
    }

    CellError error(CompletionStage<Outcome<CellReport, CellError>> stage) {
        return answer(stage).error().orElseThrow();
    }

    PodReport now() {
        return report(api.watch(CELL, 0, Duration.ZERO)).pod().orElseThrow();
    }

    JsonNode status() {
        return JSON.readTree(now().status());
    }

    /** Follows the cell as a controller does. */
    JsonNode until(Predicate<JsonNode> wanted) {
        Instant limit = kernel.now().plus(Duration.ofHours(1));
        long seen = 0;
        while (true) {
            CellReport report = report(api.watch(CELL, seen, Duration.ofSeconds(20)));
            seen = report.sequence();
            JsonNode status = JSON.readTree(report.pod().orElseThrow().status());
            if (wanted.test(status)) {
                return status;
            }
            if (kernel.now().isAfter(limit)) {
                throw new AssertionError("never so; last: " + status.toPrettyString());
            }
        }
    }

    PodReport untilEnded() {
        until(status -> now().ended());
        return now();
    }

    void grant(String spec, String... annotations) {
        report(api.grant(CELL, new Grant(MINIMUM_EPOCH, "u-1", 0, bundle(1, spec, annotations))));
    }

    void end(int seconds) {
        report(api.end(CELL, new EndOrder(MINIMUM_EPOCH, "u-1", Duration.ofSeconds(seconds))));
    }

    static PodBundle bundle(long generation, String spec, String... annotations) {
        ObjectNode pod = (ObjectNode) JSON.readTree(("{'metadata':{'name':'web','namespace':'shop','uid':'u-1',"
                        + "'generation':1,'annotations':{}},'spec':" + spec + "}")
                .replace('\'', '"'));
        for (int i = 0; i < annotations.length; i += 2) {
            pod.withObject("/metadata/annotations").put("sim.kip.elotl.co/" + annotations[i], annotations[i + 1]);
        }
        return BundleBuilder.build(pod, new Materials(ImmutableMap.of(), ImmutableMap.of()), generation)
                .bundle()
                .orElseThrow();
    }

    static PodBundle raw(String manifest) {
        return new PodBundle(1, manifest.replace('\'', '"'), ImmutableList.of());
    }

    static boolean condition(JsonNode status, String type) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asString().equals(type)) {
                return condition.path("status").asString().equals("True");
            }
        }
        return false;
    }

    static JsonNode container(JsonNode status, String name) {
        for (String field : ImmutableList.of("containerStatuses", "initContainerStatuses")) {
            for (JsonNode container : status.path(field)) {
                if (container.path("name").asString().equals(name)) {
                    return container;
                }
            }
        }
        throw new AssertionError("no container " + name + " in " + status);
    }
}
