package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.kubelet.KubeletService;
import dev.kip.controller.kubelet.ServingCertificates;
import dev.kip.http.HttpService;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A controller on the seams of a real process: threads, sockets, the system's clocks and randomness. */
public final class RealProcess implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RealProcess.class);
    private static final int STOP_SECONDS = 8;
    private static final int CHECK_SECONDS = 60;

    /**
     * Where the process finds and serves what.
     *
     * @param kubeconfig the usual places if empty
     * @param healthPort 0 for a free one
     * @param metricsPort 0 for a free one
     */
    public record Places(Optional<Path> kubeconfig, String bind, int healthPort, int metricsPort) {}

    private final RealWays ways;
    private final SystemLoop loop;
    private final SystemLoop telemetryLoop = SystemLoop.start("telemetry");
    private final ControllerProcess controller;
    private final Optional<KubeletServer> kubelet;
    private final CompletableFuture<HttpService> served = new CompletableFuture<>();
    private final int healthPort;
    private final int metricsPort;

    private RealProcess(ResolvedConfig resolved, Places places) {
        ways = RealWays.open(resolved, places.kubeconfig(), "controller");
        loop = ways.loop();
        kubelet = serveKubelet(resolved, places.bind());
        ControllerSettings settings = resolved.controller().withKubeletPort(kubeletPort());
        controller = new ControllerProcess(settings, ways.seams());
        loop.observe(controller.metrics()::taskTook);
        new JvmMemoryMetrics().bindTo(controller.metrics().registry());
        new JvmThreadMetrics().bindTo(controller.metrics().registry());
        new ProcessorMetrics().bindTo(controller.metrics().registry());
        new UptimeMetrics().bindTo(controller.metrics().registry());
        HttpService telemetry = controller.telemetry(telemetryLoop);
        served.complete(telemetry);
        healthPort = listen(ways.vertx(), places.bind(), places.healthPort(), "--health-port", telemetry);
        metricsPort = places.metricsPort() == places.healthPort() && places.healthPort() != 0
                ? healthPort
                : listen(ways.vertx(), places.bind(), places.metricsPort(), "--metrics-port", telemetry);
        LOG.info("health on port {}, metrics on port {}", healthPort, metricsPort);
        check(new StartupCheck(ways.cloud(), resolved.controller().launch()));
        LOG.info(
                "kip {} starts: node {}, API server {}, EC2 {}",
                KipVersion.current(),
                resolved.controller().node().name(),
                ways.apiServer(),
                resolved.cloud().endpoint().orElse(resolved.cloud().region()));
        loop.post(controller::start);
    }

    /**
     * Starts a controller in this Java process.
     *
     * @throws CliFailure saying why it could not start
     */
    public static RealProcess start(ResolvedConfig resolved, Places places) {
        return new RealProcess(resolved, places);
    }

    /** Where the node's kubelet API answers; 0 if it could not be served. */
    public int kubeletPort() {
        return kubelet.map(KubeletServer::port).orElse(0);
    }

    public int healthPort() {
        return healthPort;
    }

    public int metricsPort() {
        return metricsPort;
    }

    /** What {@code /metrics} shows. */
    public MeterRegistry metrics() {
        return controller.metrics().registry();
    }

    /** Waits until the process has been told to stop and has released its lease. Then ends the process, with 0. */
    void untilStopped() {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            stop();
                            // A shutdown begun by a signal would end with 128 + its number, though all went as it
                            // should.
                            Runtime.getRuntime().halt(0);
                        },
                        "stop"));
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Releases the lease and decides nothing any more; pods run on. Blocks for some seconds at most. Not on the loop. */
    public void stop() {
        LOG.info("told to stop: releasing the lease; pods run on");
        CountDownLatch released = new CountDownLatch(1);
        loop.post(() -> controller.stop().thenRun(released::countDown));
        try {
            if (!released.await(STOP_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn(
                        "the lease could not be released in {} s; another replica takes over when it ends",
                        STOP_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LOG.info("stopped");
    }

    /** As {@link #stop}, and ends its threads and sockets, where the Java process is to live on. */
    @Override
    public void close() {
        stop();
        kubelet.ifPresent(KubeletServer::close);
        ways.close();
        telemetryLoop.close();
    }

    /** Pods must run even where nobody can look into them: what is wrong is said, and the controller goes on. */
    private Optional<KubeletServer> serveKubelet(ResolvedConfig resolved, String host) {
        String node = resolved.controller().node().name();
        HttpService service = new KubeletService(
                loop,
                ways.kube(),
                ways.kubelets(),
                call -> served.thenAccept(telemetry -> telemetryLoop.post(() -> telemetry.handle(call))),
                node,
                resolved.kubelet().maxStreams());
        try {
            KubeletServer server =
                    KubeletServer.start(ways.vertx(), loop, ways.entropy(), host, resolved.kubelet(), node, service);
            if (resolved.kubelet().requested()) {
                ServingCertificates certificates = new ServingCertificates(
                        loop, ways.kube(), ways.entropy(), node, names(resolved.controller()), server::show);
                loop.post(certificates::start);
            }
            return Optional.of(server);
        } catch (IOException | RuntimeException e) {
            LOG.error(
                    "the node has no kubelet API, so kubectl logs, exec and the like fail; pods run on. Mend this and"
                            + " restart: {} (kubelet.port, kubelet.tlsCertFile, kubelet.clientCAFile)",
                    e.getMessage());
            return Optional.empty();
        }
    }

    /** By which the API server may call the node. */
    private static ImmutableList<String> names(ControllerSettings settings) {
        ImmutableList.Builder<String> names = ImmutableList.builder();
        settings.node().internalIp().ifPresent(names::add);
        return names.add(settings.node().name()).build();
    }

    private int listen(Vertx vertx, String host, int port, String flag, HttpService service) {
        try {
            return VertxHttpServer.start(vertx, ServerBinding.plain(host, port), telemetryLoop, service)
                    .port();
        } catch (IOException e) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    e.getMessage() + ". Choose another port with " + flag + ", or 0 for a free one.");
        }
    }

    private void check(StartupCheck check) {
        CompletableFuture<ImmutableList<String>> problems = new CompletableFuture<>();
        loop.post(() -> check.run().thenAccept(problems::complete));
        try {
            ImmutableList<String> found = problems.get(CHECK_SECONDS, TimeUnit.SECONDS);
            if (!found.isEmpty()) {
                throw new CliFailure(CliFailure.FAILED, String.join("\n", found));
            }
        } catch (TimeoutException e) {
            LOG.warn("EC2 has not answered within {} s; the controller will try again by itself", CHECK_SECONDS);
        } catch (InterruptedException | ExecutionException e) {
            throw new CliFailure(CliFailure.FAILED, "interrupted while it was starting");
        }
    }
}
