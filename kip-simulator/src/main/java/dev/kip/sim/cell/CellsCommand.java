package dev.kip.sim.cell;

import ch.qos.logback.classic.Level;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.loop.system.ThreadOffload;
import dev.kip.sim.ec2.InstanceListener;
import dev.kip.sim.machine.MachineParts;
import dev.kip.sim.machine.Machines;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ec2.Ec2Client;

/** {@code kip sim cells}: plays the machines of an EC2 that runs none, such as moto, LocalStack, or the one of {@code kip up}. */
@Command(
        name = "cells",
        mixinStandardHelpOptions = true,
        description =
                "Play the cells of an EC2 that runs no machines (moto, LocalStack, kip up): every running instance"
                        + " boots with its user data and answers by the agent's protocol.")
public final class CellsCommand implements Callable<Integer> {

    private static final Logger LOG = LoggerFactory.getLogger(CellsCommand.class);
    private static final int SLOTS = 8;
    private static final int PATIENCE_SECONDS = 20;

    @Option(names = "--ec2-endpoint", required = true, paramLabel = "URL", description = "Where that EC2 answers.")
    private URI endpoint = URI.create("http://127.0.0.1:4566");

    @Option(names = "--region", defaultValue = "us-east-1", description = "Its region (${DEFAULT-VALUE}).")
    private String region = "us-east-1";

    @Option(
            names = "--access-key-id",
            defaultValue = "${env:AWS_ACCESS_KEY_ID:-test}",
            description = "Any will do for an emulator.")
    private String accessKeyId = "test";

    @Option(names = "--secret-access-key", defaultValue = "${env:AWS_SECRET_ACCESS_KEY:-test}")
    private String secretAccessKey = "test";

    @Option(
            names = "--address-map",
            paramLabel = "FILE",
            description = "Listen on free ports of 127.0.0.1 and write here which cell is where, for the controller's"
                    + " cells.addressMap. Without it every cell listens on its instance's own private address, which is"
                    + " added to the interface lo (root).")
    private @Nullable Path addressMap;

    @Option(
            names = "--every",
            defaultValue = "500",
            paramLabel = "MS",
            description = "Pause between two looks (${DEFAULT-VALUE} ms).")
    private long everyMillis = 500;

    @Option(
            names = "--ground-truth",
            paramLabel = "FILE",
            description =
                    "Keep here, as JSON, what really ran: which instance was granted which pod, and what must never"
                            + " be, such as one pod on two instances.")
    private @Nullable Path groundTruth;

    @Option(
            names = "--real",
            paramLabel = "DIR",
            description =
                    "Let every instance be a machine of its own on this one: containerd, kubelet and Kip's agent, at the"
                            + " instance's own address (Linux, root; see docs/cells.md). Their disks are kept in DIR:"
                            + " however this process ends, it is a power cut for them.")
    private @Nullable Path real;

    @Option(
            names = "--plain-registry",
            paramLabel = "HOST:PORT",
            description = "With --real: a registry of images that speaks plain HTTP. May be given more than once.")
    private List<String> plainRegistries = new ArrayList<>();

    @Option(names = "--realistic", description = "Boot and pull as slowly as on EC2.")
    private boolean realistic;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Optional<MachineParts> parts = real == null ? Optional.empty() : Optional.of(parts());
        // Logback's default is everything, each byte of each request among it.
        ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.INFO);
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopAndWait(stop, closed), "stop"));
        try (SystemLoop loop = SystemLoop.start("cells");
                ThreadOffload offload = new ThreadOffload(loop, "ec2", SLOTS);
                Ec2Client ec2 = client()) {
            Vertx vertx = VertxHttpServer.vertx();
            Cells cells = real == null ? played(vertx, loop) : real(loop, offload, parts.orElseThrow(), real);
            loop.post(new InstancePoll(loop, offload, ec2, Duration.ofMillis(everyMillis), cells.listener)::start);
            LOG.info(
                    "Playing the cells of {}, {}",
                    endpoint,
                    Optional.ofNullable(addressMap)
                            .map(file -> "found by " + file)
                            .orElse("each at its own address"));
            stop.await();
            loop.post(() -> {
                cells.close.run();
                closed.countDown();
            });
            closed.await();
            vertx.close();
        }
        return 0;
    }

    /** Those who hear of instances. */
    private record Cells(InstanceListener listener, Runnable close) {}

    private static MachineParts parts() {
        try {
            return MachineParts.find(ImmutableMap.copyOf(System.getenv()), MachineParts.home());
        } catch (MachineParts.Missing e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private Cells real(SystemLoop loop, ThreadOffload offload, MachineParts parts, Path folder) throws IOException {
        Machines machines = Machines.create(
                loop, offload, parts, folder, ImmutableList.of(), ImmutableList.copyOf(plainRegistries));
        return new Cells(machines, machines::close);
    }

    private Cells played(Vertx vertx, SystemLoop loop) throws IOException {
        CellAddresses addresses = addressMap == null ? new OwnAddresses() : new MappedAddresses(addressMap, loop);
        SecureEntropy entropy = new SecureEntropy();
        GroundTruth truth = new GroundTruth();
        SimCells cells = new SimCells(
                new SocketHost(vertx, loop, entropy, addresses),
                loop,
                entropy,
                realistic ? CellTimes.realistic() : CellTimes.quick(),
                truth);
        if (groundTruth != null) {
            loop.post(new GroundTruthFile(loop, truth, groundTruth)::start);
        }
        return new Cells(cells, cells::close);
    }

    /** The process ends with this hook, so it waits until addresses are given back. */
    private static void stopAndWait(CountDownLatch stop, CountDownLatch closed) {
        stop.countDown();
        try {
            if (!closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("Some addresses may be left on the interface lo");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Ec2Client client() {
        return Ec2Client.builder()
                .endpointOverride(endpoint)
                .region(Region.of(region))
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKeyId, secretAccessKey)))
                .httpClient(UrlConnectionHttpClient.create())
                .build();
    }
}
