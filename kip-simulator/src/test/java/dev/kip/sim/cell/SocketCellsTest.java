package dev.kip.sim.cell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.CellAddress;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.AddressMapFile;
import dev.kip.cell.wire.CellClients;
import dev.kip.cell.wire.CellTrust;
import dev.kip.cell.wire.HttpCellApi;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cell.wire.UserData;
import dev.kip.cell.wire.Wire;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.loop.system.ThreadOffload;
import dev.kip.outcome.Outcome;
import dev.kip.sim.ec2.Ec2Settings;
import dev.kip.sim.ec2.SimEc2;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.InstanceType;

/** Cells on real sockets, found by watching an EC2 over its API. */
class SocketCellsTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private final SecureEntropy entropy = new SecureEntropy();
    private final SystemLoop loop = SystemLoop.start("world");
    private final ThreadOffload offload = new ThreadOffload(loop, "ec2", 4);
    private final Vertx vertx = VertxHttpServer.vertx();
    private final InstallationKeys keys = InstallationKeys.create(entropy, Instant.parse("2030-01-01T00:00:00Z"));
    private final CellTrust trust = new CellTrust();
    private final CellClients clients = trust.clients(HttpClientUtils.getHttpClientFactory(), keys);
    private Ec2Client ec2;
    private VertxHttpServer server;
    private SimCells cells;
    private HttpCellApi api;
    private Path map;

    @BeforeEach
    void open() throws Exception {
        map = directory.resolve("cells.json");
        SimEc2 simulated = new SimEc2(loop, entropy, Ec2Settings.quick());
        server = VertxHttpServer.start(vertx, ServerBinding.plain("127.0.0.1", 0), loop, simulated);
        ec2 = Ec2Client.builder()
                .endpointOverride(URI.create("http://127.0.0.1:" + server.port()))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")))
                .httpClient(UrlConnectionHttpClient.create())
                .build();
        MappedAddresses addresses = new MappedAddresses(map, loop);
        cells = new SimCells(
                new SocketHost(vertx, loop, entropy, addresses), loop, entropy, CellTimes.quick(), new GroundTruth());
        api = new HttpCellApi(clients, loop, entropy, keys, trust, new AddressMapFile(map, loop));
        loop.post(new InstancePoll(loop, offload, ec2, Duration.ofMillis(100), cells)::start);
    }

    @AfterEach
    void close() throws Exception {
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        loop.post(() -> {
            cells.close();
            closed.complete(true);
        });
        closed.get(30, TimeUnit.SECONDS);
        loop.close();
        offload.close();
        ec2.close();
        clients.asking().close();
        clients.pinned().close();
        server.close();
        vertx.close();
    }

    @Test
    void an_instance_becomes_a_cell_runs_a_pod_and_is_gone() throws Exception {
        CellAddress cell = launch(1).get(0);
        CellReport inert = until(() -> api.watch(cell, 0, Duration.ZERO), report -> true);
        assertThat(inert.pod()).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(map)))
                .isEqualTo("rw-------");

        Grant grant = new Grant(1, "u-1", 0, CellWorld.bundle(1, "{'containers':[{'name':'a','image':'nginx'}]}"));
        until(() -> api.grant(cell, grant), report -> report.pod().isPresent());
        until(
                () -> api.watch(cell, 0, Duration.ZERO),
                report -> report.pod().orElseThrow().status().contains("\"phase\":\"Running\""));
        until(() -> api.end(cell, new EndOrder(1, "u-1", Duration.ofSeconds(2))), report -> true);
        until(
                () -> api.watch(cell, 0, Duration.ZERO),
                report -> report.pod().orElseThrow().ended());

        ec2.terminateInstances(request -> request.instanceIds(cell.instanceId()));
        Outcome<CellReport, CellError> gone = null;
        for (Instant limit = loop.now().plus(LIMIT);
                gone == null || gone.error().isEmpty(); ) {
            assertThat(loop.now()).isBefore(limit);
            gone = call(() -> api.watch(cell, 0, Duration.ZERO));
        }
        assertThat(gone.error()).containsInstanceOf(CellError.Unreachable.class);
    }

    @Test
    void many_cells_live_in_one_process() throws Exception {
        ImmutableList<CellAddress> all = launch(40);

        for (CellAddress cell : all) {
            assertThat(until(() -> api.watch(cell, 0, Duration.ZERO), report -> true)
                            .instanceId())
                    .isEqualTo(cell.instanceId());
        }
    }

    private ImmutableList<CellAddress> launch(int count) {
        String userData = Base64.getEncoder()
                .encodeToString(UserData.of(keys, "install", "vk", "t", 1)
                        .toCloudConfig()
                        .getBytes(StandardCharsets.UTF_8));
        String image = ec2.describeImages(request -> request.owners("amazon"))
                .images()
                .get(0)
                .imageId();
        return ec2
                .runInstances(request -> request.imageId(image)
                        .instanceType(InstanceType.T3_NANO)
                        .minCount(count)
                        .maxCount(count)
                        .userData(userData))
                .instances()
                .stream()
                .map(instance -> new CellAddress(instance.instanceId(), instance.privateIpAddress(), Wire.PORT))
                .collect(ImmutableList.toImmutableList());
    }

    /** Asks again until the cell answers so, at most for a minute. */
    private CellReport until(
            Supplier<CompletionStage<Outcome<CellReport, CellError>>> request, Predicate<CellReport> wanted)
            throws Exception {
        Instant limit = loop.now().plus(LIMIT);
        while (true) {
            Outcome<CellReport, CellError> outcome = call(request);
            if (outcome.value().filter(wanted).isPresent()) {
                return outcome.value().get();
            }
            assertThat(loop.now()).as("last: " + outcome).isBefore(limit);
        }
    }

    /** The next answer comes a moment later, so that asking again is no busy loop. */
    private <T> T call(Supplier<CompletionStage<T>> call) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.after(Duration.ofMillis(50), () -> call.get().thenAccept(result::complete));
        return result.get(60, TimeUnit.SECONDS);
    }
}
