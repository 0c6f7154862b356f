package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class PodToGoneTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void a_pod_becomes_a_cell_and_is_gone_again() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        world.createPod("web");

        world.until("web is ready", MINUTE, () -> world.ready("web"));

        assertThat(world.cloud.live()).hasSize(1);
        assertThat(world.kube.all("cells")).hasSize(1);
        assertThat(world.kube.pod("web").orElseThrow().path("status").toString())
                .contains("PodScheduled")
                .contains("\"podIP\":\"10.9.9.9\"")
                .contains("\"hostIP\":\"192.0.2.1\"");
        assertThat(world.events()).containsExactlyInAnyOrder("CellBound", "Started");

        world.kube.deletePod("web", 30);
        world.until("web is gone", MINUTE, () -> world.phase("web").equals("gone"));
        world.pass(Duration.ofSeconds(5));

        assertThat(world.cloud.live()).isEmpty();
        assertThat(world.kube.all("cells")).isEmpty();
        assertThat(world.kube.all("launchbatches")).isEmpty();
        assertThat(world.anomalies).isEmpty();
        assertThat(writesOf(world)).as("B5: at most 5, and 2 a batch").hasSizeLessThanOrEqualTo(6);
    }

    private static List<String> writesOf(World world) {
        return world.kube.writes().stream()
                .filter(write -> write.contains(" pods ") || write.contains(" cells ") || write.contains(" launchb"))
                .toList();
    }

    @Test
    void one_pod_waits_no_longer_than_150_ms_for_its_launch_call() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        long bound = world.time.nanos();
        world.createPod("web");

        world.until("launched", MINUTE, () -> !world.cloud.launches().isEmpty());

        assertThat(Duration.ofNanos(world.time.nanos() - bound)).isLessThan(Duration.ofMillis(150));
    }

    @Test
    void a_hundred_like_pods_take_at_most_twelve_calls_over_their_whole_lives() {
        World world = new World().start();
        world.cells.bootIn(Duration.ofSeconds(60));
        world.pass(Duration.ofSeconds(5));
        long before = world.faults.count("cloud");
        for (int i = 0; i < 100; i++) {
            world.createPod("web-" + i);
        }
        world.until(
                "all are ready",
                Duration.ofMinutes(2),
                () -> world.kube.all("pods").stream()
                        .allMatch(pod ->
                                world.ready(pod.path("metadata").path("name").asString(""))));
        ImmutableList.copyOf(world.kube.all("pods"))
                .forEach(pod ->
                        world.kube.deletePod(pod.path("metadata").path("name").asString(""), 30));
        world.until(
                "all is gone",
                Duration.ofMinutes(2),
                () -> world.kube.all("cells").isEmpty());

        assertThat(world.cloud.live()).isEmpty();
        assertThat(world.faults.count("cloud") - before).as("B1").isLessThanOrEqualTo(12);
    }

    @Test
    void a_thousand_like_pods_take_ten_launch_calls_and_few_others() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        for (int i = 0; i < 1000; i++) {
            world.createPod("web-" + i);
        }

        world.until(
                "all are ready",
                Duration.ofMinutes(2),
                () -> world.kube.all("pods").stream()
                        .allMatch(pod ->
                                world.ready(pod.path("metadata").path("name").asString(""))));
        ImmutableList.copyOf(world.kube.all("pods"))
                .forEach(pod ->
                        world.kube.deletePod(pod.path("metadata").path("name").asString(""), 30));
        world.until(
                "all are gone",
                Duration.ofMinutes(2),
                () -> world.kube.all("pods").isEmpty());
        world.pass(Duration.ofSeconds(5));

        assertThat(world.cloud.live()).isEmpty();
        assertThat(world.kube.all("cells")).isEmpty();
        assertThat(world.faults.count("cloud launch")).isLessThanOrEqualTo(12);
        assertThat(world.faults.count("cloud")).isLessThanOrEqualTo(50);
        assertThat(writesOf(world)).hasSizeLessThanOrEqualTo(5 * 1000 + 2 * 12);
        assertThat(world.events()).hasSizeLessThanOrEqualTo(3000);
        assertThat(world.anomalies).isEmpty();
    }

    @Test
    void a_pod_that_finishes_stays_and_its_instance_ends() {
        World world = new World().start();
        world.createPod("job");
        world.until("job runs", MINUTE, () -> world.ready("job"));

        world.cells.finish(world.uid("job"), true);
        world.pass(Duration.ofSeconds(10));

        assertThat(world.phase("job")).isEqualTo("Succeeded");
        assertThat(world.cloud.live()).isEmpty();
        assertThat(world.kube.all("cells")).isEmpty();
        world.pass(Duration.ofMinutes(5));
        assertThat(world.cloud.launches()).as("it never runs again").hasSize(1);
    }

    @Test
    void a_new_controller_takes_over_without_restarting_or_rewriting_anything() {
        World world = new World().start();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));
        world.process().kill();
        int writes = writesOf(world).size();

        world.start().pass(Duration.ofMinutes(2));

        assertThat(writesOf(world)).as("B9: no write for an adopted pod").hasSize(writes);
        assertThat(world.cells.starts(world.uid("web"))).isOne();
        assertThat(world.cloud.launches()).hasSize(1);
        assertThat(world.ready("web")).isTrue();
        assertThat(world.anomalies).isEmpty();
    }

    @Test
    void an_instance_ended_from_outside_fails_its_pod() {
        World world = new World().start();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));

        world.cloud.end(world.cloud.live().get(0).id());
        world.until(
                "web failed", Duration.ofSeconds(90), () -> world.phase("web").equals("Failed"));
        world.pass(Duration.ofSeconds(10));

        assertThat(world.kube
                        .pod("web")
                        .orElseThrow()
                        .path("status")
                        .path("reason")
                        .asString(""))
                .isEqualTo("CellLost");
        JsonNode container = world.kube.pod("web").orElseThrow().at("/status/containerStatuses/0");
        assertThat(container.path("ready").asBoolean(true))
                .as("nothing of it is ready any more")
                .isFalse();
        assertThat(container.at("/state/terminated/exitCode").asInt(0)).isEqualTo(137);
        assertThat(world.kube.all("cells")).isEmpty();
        assertThat(world.cloud.launches()).hasSize(1);
    }

    @Test
    void an_instance_that_ends_before_the_pod_started_is_replaced() {
        World world = new World().start();
        world.createPod("web");
        world.until("bound", MINUTE, () -> !world.kube.all("cells").isEmpty());
        world.pass(Duration.ofSeconds(3));
        world.cloud.end(world.cloud.live().get(0).id());

        world.until("web is ready", Duration.ofMinutes(3), () -> world.ready("web"));

        assertThat(world.kube.all("cells").get(0).path("metadata").path("name").asString(""))
                .isEqualTo(world.uid("web") + "-1");
        assertThat(world.cloud.live()).hasSize(1);
    }

    @Test
    void a_pod_deleted_while_it_is_launched_leaves_nothing() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        world.createPod("flash");
        world.pass(Duration.ofMillis(70));
        world.kube.remove("pods", "default/flash");

        world.pass(MINUTE);

        assertThat(world.cloud.live()).isEmpty();
        assertThat(world.kube.all("cells")).isEmpty();
        assertThat(world.kube.all("launchbatches")).isEmpty();
    }

    @Test
    void a_pod_removed_by_force_while_it_runs_takes_its_instance_with_it() {
        World world = new World().start();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));

        world.kube.remove("pods", "default/web");
        world.pass(Duration.ofSeconds(5));

        assertThat(world.cloud.live()).isEmpty();
        assertThat(world.kube.all("cells")).isEmpty();
    }
}
