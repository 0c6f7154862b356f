package dev.kip.sim.embedded;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.BaseEncoding;
import dev.kip.cell.wire.OneCertificate;
import dev.kip.controller.cli.CliFailure;
import dev.kip.controller.cli.KipVersion;
import dev.kip.controller.cli.RealProcess;
import dev.kip.controller.config.ProviderYaml;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.config.Surroundings;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.HttpService;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.ServerTls;
import dev.kip.http.vertx.VertxForwarder;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.cell.CellTimes;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.cell.MappedAddresses;
import dev.kip.sim.cell.SimCells;
import dev.kip.sim.cell.SocketHost;
import dev.kip.sim.ec2.Ec2Settings;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.machine.MachineParts;
import dev.kip.sim.s3.SimS3;
import dev.kip.sim.workloads.Workloads;
import dev.kip.sim.world.Definitions;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The simulated API server, EC2 and cells on loopback, and the production controller among them, in one Java process. The
 * servers share one loop on real time. Not for use from that loop.
 */
public final class EmbeddedWorld implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedWorld.class);
    private static final String HOST = "127.0.0.1";
    private static final int TOKEN_BYTES = 24;
    private static final int READY_SECONDS = 60;

    private final SystemLoop loop = SystemLoop.start("world");
    private final Vertx vertx = VertxHttpServer.vertx();
    private final SecureEntropy entropy = new SecureEntropy();
    private final EmbeddedFiles files;
    private final Endpoints endpoints;
    private final ApiClient api;
    private final WorldCells cells;
    private final ImmutableList<VertxHttpServer> servers;
    private final WorldKeeper keeper;
    private final VertxForwarder nodes;
    private final RealProcess controller;
    private final Optional<Instant> keptAt;

    /**
     * Where things answer.
     *
     * @param kubernetes a URL, as are the others
     */
    public record Endpoints(String kubernetes, String ec2, String metrics, String health) {}

    /**
     * Cells that are machines of their own.
     *
     * @param images archives that every machine has, as {@code docker save} writes them
     */
    public record RealCells(MachineParts parts, ImmutableList<Path> images) {}

    /**
     * What a world is started with.
     *
     * @param data a folder of this world's own
     * @param firstPort of four; 0 for free ones
     * @param taint whether the virtual node carries its taint
     * @param fresh whether to begin anew though the folder keeps a world
     * @param real empty for simulated cells
     */
    public record Wish(Path data, int firstPort, boolean taint, boolean fresh, Optional<RealCells> real) {

        /** With simulated cells. */
        public Wish(Path data, int firstPort, boolean taint, boolean fresh) {
            this(data, firstPort, taint, fresh, Optional.empty());
        }
    }

    /**
     * Starts a world, or takes up the one that its folder keeps, and waits until its virtual node is ready.
     *
     * @param progress told what is being done
     * @throws CliFailure if the controller could not start
     * @throws IOException if a port is in use or the data folder cannot be written, or the kept world cannot be read; the message says
     *     what to do
     */
    public static EmbeddedWorld start(Wish wish, Consumer<String> progress) throws IOException {
        return new EmbeddedWorld(wish, progress);
    }

    private EmbeddedWorld(Wish wish, Consumer<String> progress) throws IOException {
        Ports.check(wish.firstPort());
        files = new EmbeddedFiles(wish.data());
        files.take();
        WorldFile file = files.world();
        if (wish.fresh()) {
            file.putAside();
        }
        Optional<ObjectNode> kept = file.read();
        Instant began = loop.now();
        String admin = token();
        String own = token();
        LoopbackCertificate certificate = LoopbackCertificate.create(loop.now());

        NodeCertificates node = NodeCertificates.create(entropy, loop.now());
        nodes = new VertxForwarder(
                vertx,
                loop,
                OneCertificate.key(node.client()),
                OneCertificate.trust(node.server()),
                VertxForwarder.Settings.DEFAULTS);

        progress.accept("starting the Kubernetes API");
        ApiServer apiServer = onLoop(() -> new ApiServer(
                loop,
                entropy.fork("kubernetes"),
                ApiServerSettings.DEFAULT
                        .withTokens(ImmutableMap.of(admin, "kubernetes-admin", own, "system:serviceaccount:kip:kip"))
                        .withTrackedManagers()));
        loop.post(() -> apiServer.reachNodes(nodes));
        takeUp(file, kept, world -> apiServer.takeUp(world.withObjectProperty("kubernetes")));
        api = onLoop(() -> {
            ApiClient client = apiServer.client();
            Definitions.install(client);
            new Workloads(client, loop, entropy.fork("workloads")).start();
            return client;
        });
        VertxHttpServer kubernetes = listen(
                wish,
                0,
                port -> ServerBinding.secure(
                        HOST, port, ServerTls.of(certificate.certificatePem(), certificate.keyPem())),
                apiServer);

        progress.accept("starting EC2 and its machines");
        SimEc2 ec2 = onLoop(() -> new SimEc2(loop, entropy.fork("ec2"), Ec2Settings.quick()));
        SimS3 s3 = onLoop(() -> new SimS3(loop, entropy.fork("s3")));
        cells = wish.real().isPresent()
                ? WorldCells.Real.create(loop, wish.real().get(), files.machines())
                : played();
        onLoop(() -> {
            cells.onShutdown(ec2);
            ec2.listen(cells.listener());
            return true;
        });
        takeUp(file, kept, world -> {
            cells.restore(world.withArrayProperty("cells"));
            ec2.restore(world.withObjectProperty("ec2"));
            s3.restore(world.withObjectProperty("s3"));
        });
        cells.sweep();
        onLoop(() -> {
            s3.createBucket(EmbeddedFiles.ANCHOR_BUCKET);
            return true;
        });
        keptAt = kept.map(world -> Instant.parse(world.path("savedAt").asString()));
        keeper = new WorldKeeper(loop, vertx, file, () -> world(apiServer, ec2, s3));
        loop.post(keeper::start);
        VertxHttpServer ec2Server = listen(wish, 1, port -> ServerBinding.plain(HOST, port), aws(ec2, s3));
        servers = ImmutableList.of(kubernetes, ec2Server);

        progress.accept("starting the controller");
        String kubernetesUrl = "https://" + HOST + ":" + kubernetes.port();
        String ec2Url = "http://" + HOST + ":" + ec2Server.port();
        files.writeControllerFiles(
                kubernetesUrl,
                ec2Url,
                own,
                certificate,
                wish.taint(),
                wish.real().isPresent(),
                node);
        controller = RealProcess.start(config(files.providerYaml()), places(wish));
        endpoints = new Endpoints(
                kubernetesUrl,
                ec2Url,
                "http://" + HOST + ":" + controller.metricsPort() + "/metrics",
                "http://" + HOST + ":" + controller.healthPort() + "/healthz");

        progress.accept("waiting for the virtual node");
        awaitNode(began);
        files.publish(endpoints, kubernetesUrl, admin, certificate);
    }

    private WorldCells played() throws IOException {
        MappedAddresses addresses = new MappedAddresses(files.addressMap(), loop);
        return new WorldCells.Played(new SimCells(
                new SocketHost(vertx, loop, entropy, addresses), loop, entropy, CellTimes.quick(), new GroundTruth()));
    }

    /** Both at one endpoint: EC2 is asked at its root, S3 below the name of a bucket. */
    private static HttpService aws(SimEc2 ec2, SimS3 s3) {
        return call -> {
            if (call.rawPath().equals("/")) {
                ec2.handle(call);
            } else {
                s3.handle(call);
            }
        };
    }

    private ObjectNode world(ApiServer apiServer, SimEc2 ec2, SimS3 s3) {
        ObjectNode world = JsonNodeFactory.instance.objectNode();
        world.put("savedAt", loop.now().toString());
        world.set("kubernetes", apiServer.save());
        world.set("ec2", ec2.snapshot());
        world.set("s3", s3.snapshot());
        world.set("cells", cells.snapshot());
        return world;
    }

    private void takeUp(WorldFile file, Optional<ObjectNode> kept, Consumer<ObjectNode> restore) throws IOException {
        if (kept.isPresent()) {
            Optional<RuntimeException> refused = onLoop(() -> {
                try {
                    restore.accept(kept.get());
                    return Optional.empty();
                } catch (RuntimeException e) {
                    LOG.info("the kept world cannot be taken up", e);
                    return Optional.of(e);
                }
            });
            if (refused.isPresent()) {
                throw file.refusal("cannot be taken up: " + refused.get());
            }
        }
    }

    private RealProcess.Places places(Wish wish) {
        int metrics = wish.firstPort() == 0 ? 0 : wish.firstPort() + 2;
        int health = wish.firstPort() == 0 ? 0 : wish.firstPort() + 3;
        return new RealProcess.Places(Optional.of(files.controllerKubeconfig()), HOST, health, metrics);
    }

    private static ResolvedConfig config(Path providerYaml) throws IOException {
        return ProviderYaml.read(providerYaml.toString(), Files.readString(providerYaml))
                .fold(
                        config -> ResolvedConfig.of(
                                config,
                                new Surroundings(ImmutableMap.of("POD_IP", HOST), "kip-up", KipVersion.current()),
                                providerYaml.toString()),
                        dev.kip.outcome.Outcome
                                ::<ResolvedConfig, ImmutableList<dev.kip.controller.config.Problem>>failed)
                .fold(resolved -> resolved, problems -> {
                    throw new IllegalStateException("the world's own provider.yaml is refused: " + problems);
                });
    }

    private interface Bind {
        ServerBinding at(int port);
    }

    private VertxHttpServer listen(Wish wish, int offset, Bind bind, HttpService service) throws IOException {
        int port = wish.firstPort() == 0 ? 0 : wish.firstPort() + offset;
        try {
            return VertxHttpServer.start(vertx, bind.at(port), loop, service);
        } catch (IOException e) {
            throw Ports.taken(port, e);
        }
    }

    /** A kept node says that it is ready before its controller is back: its lease tells. */
    private void awaitNode(Instant began) throws IOException {
        CompletableFuture<Boolean> ready = new CompletableFuture<>();
        loop.post(() -> {
            Runnable look = () -> {
                if (!ready.isDone() && isAlive(began)) {
                    ready.complete(true);
                }
            };
            api.onChange(api.resource("", "nodes"), (event, node) -> look.run());
            api.onChange(api.resource("coordination.k8s.io", "leases"), (event, lease) -> look.run());
            look.run();
        });
        try {
            ready.get(READY_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException(
                    "the virtual node did not become ready within " + READY_SECONDS
                            + " s; what the controller says is in the log",
                    e);
        } catch (InterruptedException | ExecutionException e) {
            throw new IOException("interrupted while starting", e);
        }
    }

    private boolean isAlive(Instant since) {
        return api.list(api.resource("coordination.k8s.io", "leases"), "kube-node-lease").stream()
                        .anyMatch(lease -> isRenewed(lease, since))
                && api.list(api.resource("", "nodes"), "").stream().anyMatch(EmbeddedWorld::isReady);
    }

    private static boolean isRenewed(ObjectNode lease, Instant since) {
        String renewed = lease.path("spec").path("renewTime").asString("");
        return !renewed.isEmpty() && Instant.parse(renewed).isAfter(since);
    }

    private static boolean isReady(ObjectNode node) {
        for (JsonNode condition : node.at("/status/conditions")) {
            if (condition.path("type").asString("").equals("Ready")) {
                return condition.path("status").asString("").equals("True");
            }
        }
        return false;
    }

    private String token() {
        return BaseEncoding.base16().lowerCase().encode(entropy.bytes(TOKEN_BYTES));
    }

    private <T> T onLoop(Supplier<T> made) {
        return OnLoop.run(loop, made);
    }

    public Endpoints endpoints() {
        return endpoints;
    }

    public Path kubeconfig() {
        return files.kubeconfig();
    }

    /** The controller's configuration, for commands that ask the same world. */
    public Path providerYaml() {
        return files.providerYaml();
    }

    /** When the world that was taken up was last kept; empty if it is a new one. */
    public Optional<Instant> keptAt() {
        return keptAt;
    }

    /**
     * Ends the controller, keeps the world, and ends the cells and the servers; the files that promise an answer are
     * removed.
     *
     * @throws IOException if the world cannot be kept as it is now; what was kept before is there
     */
    @Override
    public void close() throws IOException {
        files.withdraw();
        controller.stop();
        try {
            keeper.writeLast(onLoop(keeper::stop));
        } finally {
            end();
        }
    }

    private void end() {
        cells.close(loop);
        servers.forEach(VertxHttpServer::close);
        nodes.close();
        vertx.close();
        loop.close();
        files.leave();
    }
}
