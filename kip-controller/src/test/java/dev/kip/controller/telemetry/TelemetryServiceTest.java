package dev.kip.controller.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TelemetryServiceTest {

    private final HandLoop own = new HandLoop();
    private final HandLoop controller = new HandLoop();
    private final Readiness readiness = new Readiness();
    private final ControllerMetrics metrics = new ControllerMetrics(controller, "1.2.3");
    private final TelemetryService service = new TelemetryService(own, controller, readiness, metrics);

    @Test
    void healthz_is_ok_while_the_controllers_loop_answers() {
        assertThat(get("/healthz")).isEqualTo("200 ok\n");
    }

    @Test
    void healthz_fails_when_the_controllers_loop_has_not_answered_for_ten_seconds() {
        Call call = new Call("GET", "/healthz");
        service.handle(call);

        own.pass(Duration.ofSeconds(9));
        assertThat(call.answer).isEmpty();
        own.pass(Duration.ofSeconds(1));

        assertThat(call.answer).isEqualTo("500 the controller's loop has not answered within 10 s\n");
        controller.drain();
        own.drain();
        assertThat(call.answer).startsWith("500");
    }

    @Test
    void a_process_is_ready_when_it_leads_and_is_synced_or_stands_by_and_hears_the_api_server() {
        assertThat(get("/readyz")).isEqualTo("503 not ready: the API server does not answer\n");

        readiness.apiServerReachable(true);
        assertThat(get("/readyz")).isEqualTo("200 ok: standing by: another replica leads\n");

        readiness.refused(Optional.of("may not get leases"));
        assertThat(get("/readyz")).isEqualTo("503 not ready: may not stand by: may not get leases\n");
        readiness.refused(Optional.empty());
        assertThat(get("/readyz")).startsWith("200");

        readiness.leading(true, 7);
        assertThat(get("/readyz")).isEqualTo("503 not ready: leading, but still reading what there is\n");

        readiness.synced();
        assertThat(get("/readyz")).isEqualTo("200 ok: leading, epoch 7\n");

        readiness.leading(false, 0);
        readiness.apiServerReachable(false);
        assertThat(get("/readyz")).startsWith("503");
    }

    @Test
    void every_metric_of_the_table_is_served_with_its_help() {
        metrics.leading(true, 3);
        metrics.synced();
        metrics.called("kube", "create cells", "ok", Duration.ofMillis(3));
        metrics.pace("RunInstances", 0.7);
        metrics.callsWaiting(3);
        metrics.cloudEvent("Rebalance");
        metrics.cloudTrouble("ClockWrong", true);
        metrics.launched(5, 4);
        metrics.reconciled(2, Duration.ofNanos(900));
        metrics.pods("Running", 2);
        metrics.pods("Running", -1);
        metrics.cells("Bound", 1);
        metrics.cost("default", "spot", OptionalLong.of(5200));
        metrics.podCost("default", "web", OptionalLong.of(5200));
        metrics.collected("ended");
        metrics.anomaly("unreadable object", "Cell x");
        metrics.watchLag(controller);

        String text = get("/metrics");

        for (Metric metric : Metric.values()) {
            String exposed = metric.exposed().replaceAll("_total$", "");
            assertThat(text).containsPattern("# HELP " + exposed + "(_total)? \\Q" + metric.help() + "\\E\n");
        }
        assertThat(text)
                .contains(
                        "kip_build{version=\"1.2.3\"} 1.0\n",
                        "kip_leader 1.0\n",
                        "kip_epoch 3.0\n",
                        "kip_call_duration_seconds_count{outcome=\"ok\",port=\"kube\",verb=\"create cells\"} 1\n",
                        "kip_launch_instances_got_total 4.0\n",
                        "kip_pods{phase=\"Running\"} 1.0\n",
                        "kip_cost_usd_per_hour{market=\"spot\",namespace=\"default\"} 0.0052\n",
                        "kip_anomalies_total{what=\"unreadable object\"} 1.0\n");
    }

    @Test
    void a_pod_that_is_gone_leaves_no_series_of_its_cost() {
        metrics.podCost("default", "web", OptionalLong.of(5200));
        assertThat(metrics.text()).contains("kip_pod_cost_usd_per_hour{namespace=\"default\",pod=\"web\"} 0.0052\n");

        metrics.podCost("default", "web", OptionalLong.empty());
        assertThat(metrics.text()).doesNotContain("pod=\"web\"");

        metrics.cost("default", "spot", OptionalLong.of(5200));
        metrics.leading(false, 0);
        assertThat(metrics.text()).doesNotContain("kip_cost_usd_per_hour{");
    }

    @Test
    void who_stops_leading_counts_no_pods_any_more() {
        metrics.leading(true, 3);
        metrics.pods("Running", 2);

        metrics.leading(false, 0);

        assertThat(metrics.text()).contains("kip_pods{phase=\"Running\"} 0.0\n");
    }

    @Test
    void a_late_pulse_shows_as_lag() {
        metrics.watchLag(controller);
        controller.post(() -> controller.pass(Duration.ofSeconds(3)));
        controller.pass(Duration.ofSeconds(1));

        assertThat(metrics.text()).contains("kip_loop_lag_seconds");
    }

    @Test
    void other_paths_and_methods_are_refused() {
        assertThat(get("/")).isEqualTo("404 there are /healthz, /readyz and /metrics\n");
        Call post = new Call("POST", "/metrics");
        service.handle(post);
        assertThat(post.answer).startsWith("405");
    }

    private String get(String path) {
        Call call = new Call("GET", path);
        service.handle(call);
        controller.drain();
        own.drain();
        return call.answer;
    }

    private static final class Call implements HttpCall {
        private final String method;
        private final String path;
        private String answer = "";

        Call(String method, String path) {
            this.method = method;
            this.path = path;
        }

        @Override
        public String method() {
            return method;
        }

        @Override
        public String rawPath() {
            return path;
        }

        @Override
        public ImmutableListMultimap<String, String> query() {
            return ImmutableListMultimap.of();
        }

        @Override
        public ImmutableListMultimap<String, String> headers() {
            return ImmutableListMultimap.of();
        }

        @Override
        public byte[] body() {
            return new byte[0];
        }

        @Override
        public Optional<String> peer() {
            return Optional.empty();
        }

        @Override
        public void respond(int status, ImmutableMap<String, String> headers, byte[] body) {
            assertThat(answer).as("answered once").isEmpty();
            answer = status + " " + new String(body, StandardCharsets.UTF_8);
        }

        @Override
        public ResponseStream stream(int status, ImmutableMap<String, String> headers) {
            throw new AssertionError("not asked for");
        }

        @Override
        public WebSocketPeer upgradeToWebSocket(Optional<String> subprotocol, WebSocketHandler handler) {
            throw new AssertionError("not asked for");
        }
    }
}
