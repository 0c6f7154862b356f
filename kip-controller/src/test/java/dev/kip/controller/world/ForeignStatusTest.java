package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Others write the status of our pods too: the node controller when the node was silent for a while. */
class ForeignStatusTest {

    private static final Duration SOON = Duration.ofSeconds(5);

    private final World world = new World().start();

    @BeforeEach
    void a_pod_runs() {
        world.createPod("web");
        world.until("web is ready", Duration.ofMinutes(1), () -> world.ready("web"));
        world.pass(Duration.ofSeconds(20));
    }

    private void overwrite(Consumer<ObjectNode> change) {
        ObjectNode pod = world.kube.pod("web").orElseThrow();
        change.accept(pod.withObject("/status"));
        world.kube.put("pods", pod);
    }

    private static void unready(ObjectNode status) {
        condition(status, "Ready").ifPresent(ready -> ready.put("status", "False"));
    }

    private static Optional<ObjectNode> condition(ObjectNode status, String type) {
        for (JsonNode condition : status.path("conditions")) {
            if (condition.path("type").asString("").equals(type)) {
                return Optional.of((ObjectNode) condition);
            }
        }
        return Optional.empty();
    }

    private JsonNode status() {
        return world.kube.pod("web").orElseThrow().path("status");
    }

    private long statusWrites() {
        return world.kube.writes().stream()
                .filter(write -> write.startsWith("patch pods"))
                .count();
    }

    static Stream<Named<Consumer<ObjectNode>>> whatOthersWrite() {
        return Stream.of(
                Named.of("Ready is False", ForeignStatusTest::unready),
                Named.of(
                        "Ready has another reason",
                        status -> condition(status, "Ready").orElseThrow().put("reason", "NodeStatusUnknown")),
                Named.of("no condition at all", status -> status.remove("conditions")),
                Named.of("the phase is Unknown", status -> status.put("phase", "Unknown")),
                Named.of("a reason", status -> status.put("reason", "NodeLost")),
                Named.of("no address", status -> status.remove("podIP")),
                Named.of("no containers", status -> status.remove("containerStatuses")));
    }

    @ParameterizedTest
    @MethodSource("whatOthersWrite")
    void what_another_writer_changed_becomes_again_what_the_cell_reports_by_one_write(Consumer<ObjectNode> change) {
        JsonNode before = status().deepCopy();
        long writes = statusWrites();

        overwrite(change);
        if (!status().has("conditions")) {
            ((ObjectNode) before)
                    .withArray("conditions")
                    .removeIf(each -> each.path("type")
                            .asString("")
                            .equals("PodScheduled")); // the scheduler's, not ours to bring back
        }
        assertThat(status()).isNotEqualTo(before);
        world.pass(SOON);

        assertThat(status()).isEqualTo(before);
        world.pass(Duration.ofMinutes(30));
        assertThat(statusWrites() - writes).isEqualTo(1);
        assertThat(world.cells.starts(world.uid("web"))).isOne();
    }

    @Test
    void a_condition_of_somebody_else_stays_when_ours_is_put_right() {
        overwrite(status -> {
            unready(status);
            status.withArray("conditions")
                    .addObject()
                    .put("type", "example.com/gate")
                    .put("status", "True");
        });
        world.pass(SOON);

        assertThat(world.ready("web")).isTrue();
        assertThat(status().path("conditions").toString()).contains("example.com/gate", "PodScheduled");
    }

    @Test
    void MET_07_the_time_of_scheduling_outlives_every_write_of_status() {
        String scheduled = "2026-11-30T11:59:58Z";
        overwrite(status -> {
            unready(status);
            condition(status, "PodScheduled").orElseThrow().put("lastTransitionTime", scheduled);
        });
        world.pass(SOON);

        assertThat(world.ready("web")).isTrue();
        assertThat(condition((ObjectNode) status(), "PodScheduled")
                        .orElseThrow()
                        .path("lastTransitionTime")
                        .asString(""))
                .isEqualTo(scheduled);
    }

    @Test
    void what_others_write_that_we_never_do_costs_no_write() {
        long writes = statusWrites();

        overwrite(status -> status.withArray("conditions")
                .addObject()
                .put("type", "DisruptionTarget")
                .put("status", "True"));
        world.pass(Duration.ofMinutes(10));

        assertThat(statusWrites()).isEqualTo(writes);
    }

    @Test
    void a_pod_made_unready_while_no_controller_ran_is_ready_once_one_runs_again() {
        world.process().kill();
        overwrite(ForeignStatusTest::unready);

        world.start();

        world.until("web is ready", Duration.ofMinutes(1), () -> world.ready("web"));
    }

    @Test
    void a_writer_that_does_not_give_in_is_answered_less_and_less_often_and_never_given_up() {
        long writes = statusWrites();
        for (int second = 0; second < 600; second++) {
            overwrite(ForeignStatusTest::unready);
            world.pass(Duration.ofSeconds(1));
        }
        assertThat(statusWrites() - writes).as("writes in ten minutes").isBetween(8L, 20L);

        world.until("web is ready", Duration.ofMinutes(2), () -> world.ready("web"));

        long settled = statusWrites();
        world.pass(Duration.ofMinutes(30));
        overwrite(ForeignStatusTest::unready);
        world.pass(SOON);
        assertThat(world.ready("web")).as("after a quiet time at once again").isTrue();
        assertThat(statusWrites() - settled).isEqualTo(1);
    }
}
