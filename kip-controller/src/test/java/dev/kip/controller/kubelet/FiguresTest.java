package dev.kip.controller.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.world.FakeProcess;
import dev.kip.controller.world.VirtualTime;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FiguresTest {

    private static final Instant START = Instant.parse("2026-11-30T11:00:00Z");

    private final VirtualTime time = new VirtualTime();
    private final FakeProcess loop = new FakeProcess(time);
    private final ScriptedKube kube = new ScriptedKube();
    private final PaperCells cells = new PaperCells();
    private final Figures figures = new Figures(
            loop, cells.kubelets, "kip", found -> found.accept(Outcome.ok(ImmutableList.copyOf(kube.pods.values()))));

    private void pod(int number) {
        kube.pod("ns", "web-" + number, "u" + number, "kip", "Running");
        cells.runs("u" + number, "web-" + number, "i-" + number);
    }

    /** As a kubelet puts it, much shortened. */
    private void tells(int number, Instant at, double cpuSeconds, String memory) {
        cells.tells("i-" + number, """
                {"node": {"memory": {"availableBytes": 900}},
                 "pods": [{"podRef": {"name": "web-%1$d-i-%1$d", "namespace": "ns", "uid": "of-the-cell"},
                   "startTime": "%5$s",
                   "cpu": {"time": "%2$s", "usageNanoCores": 5000000, "usageCoreNanoSeconds": %3$d},
                   "memory": {"time": "%2$s", "workingSetBytes": 100%4$s},
                   "containers": [{"name": "c", "startTime": "%5$s",
                     "cpu": {"time": "%2$s", "usageCoreNanoSeconds": %3$d},
                     "memory": {"time": "%2$s", "workingSetBytes": 90%4$s}}]}]}""".formatted(number, at, (long) (cpuSeconds * 1e9), memory, START));
    }

    private JsonNode summary() {
        List<Outcome<String, String>> made = new ArrayList<>();
        figures.summary(made::add);
        assertThat(made).hasSize(1);
        return JsonMapper.shared().readTree(made.get(0).value().orElseThrow());
    }

    private String metrics() {
        List<Outcome<String, String>> made = new ArrayList<>();
        figures.metrics(made::add);
        assertThat(made).hasSize(1);
        return made.get(0).value().orElseThrow();
    }

    private void later() {
        time.advance(Duration.ofSeconds(11));
    }

    @Test
    void each_cell_is_asked_once_however_many_scrape() {
        for (int number = 0; number < 200; number++) {
            pod(number);
            tells(number, loop.now(), 1, "");
        }
        for (int scrape = 0; scrape < 10; scrape++) {
            assertThat(summary().path("pods")).hasSize(200);
            assertThat(metrics()).contains("pod=\"web-199\"");
        }
        assertThat(cells.asked).hasSize(200);

        later();
        summary();
        metrics();
        assertThat(cells.asked).hasSize(400);
    }

    @Test
    void at_most_32_cells_are_asked_at_a_time_and_those_who_come_meanwhile_wait_for_the_same_answers() {
        cells.hold();
        for (int number = 0; number < 100; number++) {
            pod(number);
            tells(number, loop.now(), 1, "");
        }
        List<Outcome<String, String>> made = new ArrayList<>();
        figures.summary(made::add);
        figures.metrics(made::add);
        while (cells.release()) {
            assertThat(cells.asked.size()).isLessThanOrEqualTo(100);
        }

        assertThat(made).hasSize(2);
        assertThat(cells.asked).hasSize(100);
        assertThat(cells.mostAtOnce).isEqualTo(32);
    }

    @Test
    void cells_that_do_not_answer_in_time_are_left_out_and_asked_last_time_first_the_next() {
        cells.hold();
        for (int number = 0; number < 40; number++) {
            pod(number);
            tells(number, loop.now(), 1, "");
        }
        List<Outcome<String, String>> made = new ArrayList<>();
        figures.summary(made::add);
        cells.release();
        time.advance(Duration.ofSeconds(8));
        assertThat(made).hasSize(1);
        assertThat(JsonMapper.shared()
                        .readTree(made.get(0).value().orElseThrow())
                        .path("pods"))
                .hasSize(1);

        time.advance(Duration.ofSeconds(11));
        int before = cells.asked.size();
        figures.summary(made::add);
        // Not web-0, which was heard: it comes last.
        assertThat(cells.asked.subList(before, cells.asked.size()))
                .extracting(onward -> onward.host())
                .doesNotContain("i-0.example");
    }

    @Test
    void the_pods_names_are_the_users_again() {
        pod(1);
        tells(1, loop.now(), 2.5, "");

        JsonNode pod = summary().path("pods").path(0);
        assertThat(pod.path("podRef").toString()).isEqualTo("{\"name\":\"web-1\",\"namespace\":\"ns\",\"uid\":\"u1\"}");
        assertThat(metrics())
                .contains("# TYPE container_cpu_usage_seconds_total counter\n")
                .contains("container_cpu_usage_seconds_total{container=\"c\",pod=\"web-1\",namespace=\"ns\"} 2.5 "
                        + loop.now().toEpochMilli() + "\n")
                .contains("pod_memory_working_set_bytes{namespace=\"ns\",pod=\"web-1\"} 100 ")
                .contains("container_start_time_seconds{container=\"c\",pod=\"web-1\",namespace=\"ns\"} "
                        + START.getEpochSecond() + "\n")
                .doesNotContain("swap");
    }

    @Test
    void the_node_is_the_sum_of_its_pods_and_its_time_does_not_fall_when_one_goes() {
        pod(1);
        pod(2);
        tells(1, loop.now(), 100, "");
        tells(2, loop.now(), 10, "");
        summary();
        later();
        tells(1, loop.now(), 103, "");
        tells(2, loop.now(), 14, "");
        JsonNode node = summary().path("node");
        assertThat(node.at("/cpu/usageCoreNanoSeconds").asLong()).isEqualTo(7_000_000_000L);
        assertThat(node.at("/cpu/usageNanoCores").asLong()).isEqualTo(10_000_000L);
        assertThat(node.at("/memory/workingSetBytes").asLong()).isEqualTo(200);

        kube.pods.remove("ns/web-1");
        later();
        assertThat(metrics())
                .contains("node_cpu_usage_seconds_total 7 ")
                .contains("node_memory_working_set_bytes 100 ");
    }

    @Test
    void MET_02_the_start_stays_what_it_was() {
        pod(1);
        tells(1, loop.now(), 1, "");
        assertThat(summary().at("/pods/0/startTime").asString("")).isEqualTo(START.toString());
        time.advance(Duration.ofHours(2));
        tells(1, loop.now(), 2, "");

        assertThat(summary().at("/pods/0/startTime").asString("")).isEqualTo(START.toString());
        assertThat(summary().at("/pods/0/containers/0/startTime").asString("")).isEqualTo(START.toString());
    }

    @Test
    void MET_03_samples_never_go_back_in_time_and_a_reset_is_not_negative() {
        pod(1);
        tells(1, loop.now(), 10, "");
        summary();
        later();
        tells(1, loop.now().minusSeconds(60), 3, ""); // one that was late
        assertThat(summary().at("/pods/0/cpu/usageCoreNanoSeconds").asLong()).isEqualTo(10_000_000_000L);

        later();
        tells(1, loop.now(), 0.5, ""); // began anew
        JsonNode after = summary();
        assertThat(after.at("/pods/0/cpu/usageCoreNanoSeconds").asLong()).isEqualTo(500_000_000L);
        assertThat(after.at("/node/cpu/usageCoreNanoSeconds").asLong()).isZero();
    }

    @Test
    void MET_04_a_pod_that_ended_or_is_elsewhere_is_not_told_of() {
        pod(1);
        pod(2);
        tells(1, loop.now(), 1, "");
        tells(2, loop.now(), 1, "");
        assertThat(summary().path("pods")).hasSize(2);
        kube.pod("ns", "web-1", "u1", "kip", "Succeeded");
        kube.pods.remove("ns/web-2"); // one of the same name, with another uid, is no reason either
        kube.pod("ns", "web-2", "u9", "kip", "Running");

        later();
        assertThat(summary().path("pods")).isEmpty();
        assertThat(metrics()).doesNotContain("web-");
    }

    @Test
    void MET_05_without_a_limit_what_the_cell_has_left_is_available() {
        pod(1);
        tells(1, loop.now(), 1, "");
        assertThat(summary().at("/pods/0/memory/availableBytes").asLong()).isEqualTo(900);
        assertThat(summary().at("/pods/0/containers/0/memory/availableBytes").asLong())
                .isEqualTo(900);
        later();
        tells(1, loop.now(), 1, ", \"availableBytes\": 12");
        assertThat(summary().at("/pods/0/containers/0/memory/availableBytes").asLong())
                .isEqualTo(12);
    }

    @Test
    void what_a_silent_cell_told_last_is_told_for_a_minute() {
        pod(1);
        tells(1, loop.now(), 1, "");
        summary();
        cells.tells("i-1", null);
        time.advance(Duration.ofSeconds(50));
        assertThat(summary().path("pods")).hasSize(1);
        time.advance(Duration.ofSeconds(11));

        assertThat(summary().path("pods")).isEmpty();
    }

    @Test
    void an_API_server_that_lists_no_pods_is_told_and_asked_again() {
        List<String> answers = new ArrayList<>();
        List<String> asked = new ArrayList<>();
        Figures broken = new Figures(loop, cells.kubelets, "kip", found -> {
            asked.add("list");
            found.accept(Outcome.failed("no route"));
        });
        broken.summary(made -> answers.add(made.error().orElse("")));
        broken.metrics(made -> answers.add(made.error().orElse("")));

        assertThat(answers).containsExactly("no route", "no route");
        assertThat(asked).hasSize(2);
    }
}
