package dev.kip.controller.cli;

import dev.kip.cell.CellApi;
import dev.kip.cell.wire.AddressMap;
import dev.kip.cell.wire.AddressMapFile;
import dev.kip.cell.wire.CellTrust;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudProvider;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.kubelet.CellKubelets;
import dev.kip.entropy.Entropy;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.Forwarder;
import dev.kip.http.vertx.VertxForwarder;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.KubeApi;
import dev.kip.kube.vertx.KubeClients;
import dev.kip.loop.system.SystemLoop;
import dev.kip.loop.system.ThreadOffload;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.vertx5.Vertx5HttpClientFactory;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The ways out of a real process: its loop, the cloud, the API server, the cells. Opening them sends nothing. What they
 * lead to is called on the loop.
 */
final class RealWays implements AutoCloseable {

    private static final String CLOUD = "aws";
    private static final int CLOUD_SLOTS = 16;
    private static final int DECODERS = 2;

    private final SystemLoop loop;
    private final Vertx vertx = VertxHttpServer.vertx();
    private final Entropy entropy = new SecureEntropy();
    private final CloudApi cloud;
    private final Optional<AnchorStore> anchors;
    private final HttpClient client;
    private final URI apiServer;
    private final KubeApi kube;
    private final CellKubelets kubelets;
    private final Function<InstallationKeys, CellApi> cells;

    private RealWays(ResolvedConfig resolved, Optional<Path> kubeconfig, SystemLoop loop) {
        this.loop = loop;
        CloudProvider provider = provider();
        ThreadOffload offload = new ThreadOffload(loop, "cloud", CLOUD_SLOTS);
        cloud = opened(() -> provider.open(resolved.cloud(), offload));
        anchors = resolved.anchor()
                .map(place -> opened(
                        () -> provider.openAnchors(resolved.cloud(), place.location(), place.endpoint(), offload)));
        Config server = kubernetes(kubeconfig);
        client = KubeClients.open(server, vertx);
        apiServer = KubeClients.base(server);
        kube = new HttpKubeApi(
                client,
                apiServer,
                loop,
                decoders(),
                resolved.controller().timing().kubeTimeout());
        AddressMap addresses = resolved.addressMap()
                .<AddressMap>map(file -> new AddressMapFile(Path.of(file), loop))
                .orElseGet(AddressMap::none);
        kubelets = new CellKubelets(addresses);
        VertxForwarder.Settings streams = new VertxForwarder.Settings(
                resolved.kubelet().idle(), VertxForwarder.Settings.DEFAULTS.connectTimeout());
        cells = new CellsOverHttps(
                new Vertx5HttpClientFactory(vertx),
                loop,
                entropy,
                addresses,
                (open, trust, keys) -> kubelets.observing(open, link(trust, keys, streams)));
    }

    private CellKubelets.Link link(CellTrust trust, InstallationKeys keys, VertxForwarder.Settings streams) {
        Forwarder forwarder = new VertxForwarder(vertx, loop, CellTrust.key(keys), trust.pinned(), streams);
        return (host, agentPort, kubeletPort) ->
                trust.expectAlsoAt(host, agentPort, kubeletPort) ? Optional.of(forwarder) : Optional.empty();
    }

    /** Where the pods' kubelets are, as far as cells have told the leader. On the loop. */
    CellKubelets kubelets() {
        return kubelets;
    }

    /**
     * Opens them all.
     *
     * @param kubeconfig the usual places if empty
     * @param name of the loop, for thread dumps
     * @throws CliFailure if something that the configuration names is unusable
     */
    static RealWays open(ResolvedConfig resolved, Optional<Path> kubeconfig, String name) {
        return new RealWays(resolved, kubeconfig, SystemLoop.start(name));
    }

    SystemLoop loop() {
        return loop;
    }

    Vertx vertx() {
        return vertx;
    }

    Entropy entropy() {
        return entropy;
    }

    CloudApi cloud() {
        return cloud;
    }

    /** Empty if none is configured. */
    Optional<AnchorStore> anchors() {
        return anchors;
    }

    KubeApi kube() {
        return kube;
    }

    /** As {@code kube()}, below the port. */
    HttpClient client() {
        return client;
    }

    URI apiServer() {
        return apiServer;
    }

    /** Opens the way to cells, once the installation's keys are known. */
    Function<InstallationKeys, CellApi> cells() {
        return cells;
    }

    /** All that a controller runs on. */
    ControllerProcess.Seams seams() {
        return new ControllerProcess.Seams(loop, kube, apiServer.toString(), cloud, anchors, cells, entropy);
    }

    @Override
    public void close() {
        client.close();
        vertx.close();
        loop.close();
    }

    private static CloudProvider provider() {
        return ServiceLoader.load(CloudProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(found -> found.name().equals(CLOUD))
                .findFirst()
                .orElseThrow(() -> new CliFailure(
                        CliFailure.FAILED,
                        "no cloud named " + CLOUD + " is on the class path. Run the jar as it was built."));
    }

    private static <T> T opened(Supplier<T> port) {
        try {
            return port.get();
        } catch (IllegalArgumentException e) {
            throw new CliFailure(CliFailure.CONFIGURATION, String.valueOf(e.getMessage()));
        }
    }

    private static Config kubernetes(Optional<Path> kubeconfig) {
        try {
            return KubeClients.config(kubeconfig.map(Path::toFile));
        } catch (IllegalArgumentException e) {
            throw new CliFailure(CliFailure.CONFIGURATION, String.valueOf(e.getMessage()));
        }
    }

    private static ExecutorService decoders() {
        return Executors.newFixedThreadPool(DECODERS, task -> {
            Thread thread = new Thread(task, "decoder");
            thread.setDaemon(true);
            return thread;
        });
    }
}
