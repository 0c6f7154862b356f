package dev.kip.sim.cell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableListMultimap;
import dev.kip.cell.CellReport;
import dev.kip.cell.wire.Wire;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The kubelet API of a simulated cell: logs of what the containers did, and no programs. */
class KubeletFaceTest {

    private static final String LOGS = "/containerLogs/shop/web-i-1/a";
    private static final String RUNS = "{'containers':[{'name':'a','image':'nginx'}]}";

    private final CellWorld world = new CellWorld();

    @Test
    void the_report_says_where_the_kubelet_answers_and_what_it_calls_the_pod() {
        run(RUNS);
        CellReport report = world.report(world.api.watch(CellWorld.CELL, 0, Duration.ZERO));
        assertThat(report.kubelet()).contains(new CellReport.Kubelet(Wire.KUBELET_PORT, "web-i-1"));
        assertThat(get("/healthz").text()).isEqualTo("ok");
    }

    @Test
    void logs_tell_what_the_container_did() {
        run(RUNS);
        world.kernel.runFor(Duration.ofMinutes(3));

        assertThat(get(LOGS).status()).isEqualTo(200);
        assertThat(get(LOGS).text()).isEqualTo("""
                        simulated container a started, image nginx
                        has run for 1m
                        has run for 2m
                        has run for 3m
                        """);
        assertThat(get(LOGS, "tailLines", "2").text()).isEqualTo("has run for 2m\nhas run for 3m\n");
        assertThat(get(LOGS, "tailLines", "0").text()).isEmpty();
        assertThat(get(LOGS, "sinceSeconds", "70").text()).isEqualTo("has run for 2m\nhas run for 3m\n");
        assertThat(get(LOGS, "sinceTime", "2031-01-01T00:00:00Z").text()).isEmpty();
        assertThat(get(LOGS, "limitBytes", "9").text()).isEqualTo("simulated");
        assertThat(get(LOGS, "timestamps", "true", "tailLines", "1").text())
                .matches("2030-01-01T00:03:\\d\\d\\.\\d{9}Z has run for 3m\n");
    }

    @Test
    void options_that_cannot_be_meant_are_refused() {
        run(RUNS);
        assertThat(get(LOGS, "tailLines", "-1").status()).isEqualTo(422);
        assertThat(get(LOGS, "sinceTime", "today").status()).isEqualTo(422);
        assertThat(get(LOGS, "sinceSeconds", "5", "sinceTime", "2030-01-01T00:00:00Z")
                        .text())
                .contains("at most one of");
    }

    @Test
    void a_follower_is_told_until_the_container_ends() {
        run(RUNS, "exit-after.a", "90", "exit-code.a", "3", "exits.a", "1");
        RecordedCall follower = get(LOGS, "follow", "true");
        assertThat(follower.ended()).isFalse();
        assertThat(follower.text().lines()).hasSize(1);
        world.kernel.runFor(Duration.ofSeconds(70));
        assertThat(follower.text().lines()).hasSize(2).last().isEqualTo("has run for 1m");
        assertThat(follower.ended()).isFalse();
        world.kernel.runFor(Duration.ofSeconds(40));
        assertThat(follower.ended()).isTrue();
        assertThat(follower.text().lines()).hasSize(3).last().isEqualTo("ended: Error, exit code 3");

        assertThat(get(LOGS).text().lines()).containsExactly("simulated container a started, image nginx");
        assertThat(get(LOGS, "previous", "true").text().lines()).hasSize(3);
    }

    @Test
    void a_follower_that_leaves_is_told_no_more() {
        run(RUNS);
        RecordedCall follower = get(LOGS, "follow", "true");
        follower.leave();
        world.kernel.runFor(Duration.ofMinutes(5));
        assertThat(follower.text().lines()).hasSize(1);
    }

    @Test
    void what_is_not_there_is_refused_in_a_kubelets_words() {
        assertThat(get(LOGS).text()).isEqualTo("pod \"web-i-1\" not found\n");
        world.grant(RUNS);
        RecordedCall early = get(LOGS);
        assertThat(early.status()).isEqualTo(400);
        assertThat(early.text())
                .isEqualTo("container \"a\" in pod \"web-i-1\" is waiting to start: ContainerCreating\n");
        assertThat(get("/exec/shop/web-i-1/a").text()).isEqualTo("container not found (\"a\")\n");
        assertThat(get("/containerLogs/shop/web-i-1/b").text())
                .isEqualTo("container \"b\" not found in pod \"web-i-1\"\n");
        assertThat(get("/containerLogs/other/web-i-1/a").status()).isEqualTo(404);
        world.until(status -> CellWorld.condition(status, "Ready"));
        assertThat(get(LOGS, "previous", "true").text())
                .isEqualTo("previous terminated container \"a\" in pod \"web-i-1\" not found\n");
        assertThat(get("/portForward/shop/web-i-1").status()).isEqualTo(501);
        assertThat(get("/nothing").status()).isEqualTo(404);
    }

    @Test
    void exec_says_that_nothing_can_be_run_and_ends_with_an_exit_code() {
        run(RUNS);
        RecordedCall call = upgrade(
                "/exec/shop/web-i-1/a", "other, v5.channel.k8s.io, v4.channel.k8s.io", "command", "ls", "error", "1");
        assertThat(call.status()).isEqualTo(101);
        assertThat(call.subprotocol()).contains("v5.channel.k8s.io");
        assertThat(call.frames()).hasSize(2);
        assertThat(call.frames().get(0))
                .isEqualTo("2container \"a\" is simulated: it runs no programs, so there is nothing to execute\n");
        JsonNode end = CellWorld.JSON.readTree(call.frames().get(1).substring(1));
        assertThat(end.path("reason").asString()).isEqualTo("NonZeroExitCode");
        assertThat(end.at("/details/causes/0/message").asString()).isEqualTo("126");
        assertThat(call.ended()).isTrue();

        assertThat(upgrade("/attach/shop/web-i-1/a", "v4.channel.k8s.io", "tty", "1", "output", "1")
                        .frames()
                        .get(0))
                .startsWith("1")
                .contains("attach to");
        assertThat(upgrade("/exec/shop/web-i-1/a", "v9.channel.k8s.io", "output", "1")
                        .status())
                .isEqualTo(400);
        assertThat(get("/exec/shop/web-i-1/a", "output", "1").text()).contains("no SPDY");
    }

    @Test
    void KAPI_06_streams_that_cannot_be_had_together_are_told_apart() {
        run(RUNS);
        RecordedCall none = upgrade("/exec/shop/web-i-1/a", "v5.channel.k8s.io", "tty", "1");
        assertThat(none.status()).isEqualTo(400);
        assertThat(none.text()).isEqualTo("you must specify at least 1 of stdin, stdout, stderr\n");

        // As a kubelet does: with a terminal there is no error stream, asked for or not; the exit code comes all the
        // same.
        RecordedCall both = upgrade(
                "/exec/shop/web-i-1/a", "v5.channel.k8s.io", "tty", "1", "error", "1", "output", "1", "input", "1");
        assertThat(both.frames()).noneMatch(frame -> frame.startsWith("2"));
        assertThat(both.frames()).anyMatch(frame -> frame.startsWith("3") && frame.contains("126"));
    }

    private void run(String spec, String... annotations) {
        world.grant(spec, annotations);
        world.until(status -> CellWorld.condition(status, "Ready"));
    }

    private RecordedCall get(String path, String... query) {
        return call(path, ImmutableListMultimap.of(), query);
    }

    private RecordedCall upgrade(String path, String protocols, String... query) {
        return call(path, ImmutableListMultimap.of("upgrade", "websocket", "sec-websocket-protocol", protocols), query);
    }

    private RecordedCall call(String path, ImmutableListMultimap<String, String> headers, String... query) {
        ImmutableListMultimap.Builder<String, String> parameters = ImmutableListMultimap.builder();
        for (int i = 0; i < query.length; i += 2) {
            parameters.put(query[i], query[i + 1]);
        }
        RecordedCall call = new RecordedCall(path, parameters.build(), headers);
        world.cells.cell("i-1").orElseThrow().handle(call);
        return call;
    }
}
