package dev.kip.controller.telemetry;

import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * {@code /healthz}, {@code /readyz} and {@code /metrics}. Serves from a loop of its own, so that it can say when the
 * controller's does not answer. Called on its own loop.
 */
public final class TelemetryService implements HttpService {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final ImmutableMap<String, String> PLAIN =
            ImmutableMap.of("content-type", "text/plain; charset=utf-8");
    private static final ImmutableMap<String, String> PROMETHEUS =
            ImmutableMap.of("content-type", "text/plain; version=0.0.4; charset=utf-8");

    private final Loop own;
    private final Loop controller;
    private final Readiness readiness;
    private final ControllerMetrics metrics;

    /** @param controller the loop that is watched, and that {@code readiness} is confined to */
    public TelemetryService(Loop own, Loop controller, Readiness readiness, ControllerMetrics metrics) {
        this.own = own;
        this.controller = controller;
        this.readiness = readiness;
        this.metrics = metrics;
    }

    @Override
    public void handle(HttpCall call) {
        if (!call.method().equals("GET") && !call.method().equals("HEAD")) {
            answer(call, 405, PLAIN, "only GET is answered here\n");
            return;
        }
        switch (call.rawPath()) {
            case "/healthz", "/livez" -> ask(call, () -> new Answer(200, "ok\n"));
            case "/readyz" ->
                ask(
                        call,
                        () -> readiness.ready()
                                ? new Answer(200, "ok: " + readiness.explanation() + "\n")
                                : new Answer(503, "not ready: " + readiness.explanation() + "\n"));
            case "/metrics" -> answer(call, 200, PROMETHEUS, metrics.text());
            default -> answer(call, 404, PLAIN, "there are /healthz, /readyz and /metrics\n");
        }
    }

    private void ask(HttpCall call, Supplier<Answer> question) {
        Pending pending = new Pending(call);
        pending.timer = own.after(
                PATIENCE,
                () -> pending.settle(new Answer(
                        500, "the controller's loop has not answered within " + PATIENCE.toSeconds() + " s\n")));
        controller.post(() -> {
            Answer answer = question.get();
            own.post(() -> pending.settle(answer));
        });
    }

    private static void answer(HttpCall call, int status, ImmutableMap<String, String> headers, String text) {
        call.respond(status, headers, text.getBytes(StandardCharsets.UTF_8));
    }

    private record Answer(int status, String text) {}

    /** A call that is answered once, by whichever comes first. */
    private static final class Pending {
        private final HttpCall call;
        private boolean settled;
        private Loop.Timer timer = () -> {};

        Pending(HttpCall call) {
            this.call = call;
        }

        void settle(Answer answer) {
            if (!settled) {
                settled = true;
                timer.cancel();
                TelemetryService.answer(call, answer.status(), PLAIN, answer.text());
            }
        }
    }
}
