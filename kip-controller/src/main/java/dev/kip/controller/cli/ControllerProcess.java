package dev.kip.controller.cli;

import dev.kip.cell.CellApi;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.controller.Controller;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.gc.Gates;
import dev.kip.controller.telemetry.ControllerMetrics;
import dev.kip.controller.telemetry.Listeners;
import dev.kip.controller.telemetry.ReachableKubeApi;
import dev.kip.controller.telemetry.Readiness;
import dev.kip.controller.telemetry.TelemetryService;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpService;
import dev.kip.kube.KubeApi;
import dev.kip.loop.Loop;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A whole controller with its telemetry, on seams of the caller's choice: those of a real process, or of an embedded or
 * simulated world. Confined to the loop of its seams.
 */
public final class ControllerProcess {

    /**
     * The ways out.
     *
     * @param kube whose retries are off
     * @param apiServer where {@code kube} leads, for the log
     * @param anchors empty if none is configured
     * @param cells opens the way to cells, once the installation's keys are known
     */
    public record Seams(
            Loop loop,
            KubeApi kube,
            String apiServer,
            CloudApi cloud,
            Optional<AnchorStore> anchors,
            Function<InstallationKeys, CellApi> cells,
            Entropy entropy) {}

    private final Loop loop;
    private final Readiness readiness = new Readiness();
    private final ControllerMetrics metrics;
    private final Controller controller;

    public ControllerProcess(ControllerSettings settings, Seams seams) {
        loop = seams.loop();
        metrics = new ControllerMetrics(loop, settings.node().version());
        KubeApi kube = new ReachableKubeApi(seams.kube(), seams.apiServer(), loop, answers -> {
            readiness.apiServerReachable(answers);
            metrics.apiServerReachable(answers);
        });
        controller = new Controller(
                loop,
                kube,
                seams.cloud(),
                seams.anchors(),
                seams.cells(),
                seams.entropy(),
                settings,
                new Listeners(readiness, metrics),
                Gates.standard());
    }

    /** Begins to compete for leadership. Called once. */
    public void start() {
        metrics.watchLag(loop);
        controller.start();
    }

    /** Stops deciding and releases the lease; the stage completes on the loop when that is done. Pods run on. */
    public CompletionStage<Void> stop() {
        return controller.stop();
    }

    public Readiness readiness() {
        return readiness;
    }

    /** What {@code /metrics} shows; more may be added to its registry. */
    public ControllerMetrics metrics() {
        return metrics;
    }

    /**
     * {@code /healthz}, {@code /readyz} and {@code /metrics}.
     *
     * @param own the loop that serves them: another one, so that it can tell when this one hangs
     */
    public HttpService telemetry(Loop own) {
        return new TelemetryService(own, loop, readiness, metrics);
    }
}
