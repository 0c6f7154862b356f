package dev.kip.sim.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.cell.GroundTruth.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** Machines that a file kept go on where they stood, unlike machines that lost their power. */
class FrozenCellsTest {

    private static final String NGINX = "{'containers':[{'name':'a','image':'nginx'}]}";

    private CellWorld world = new CellWorld();

    private void freeze() {
        String file = world.cells.snapshot().toString();
        world.cells.close();
        world.cells.restore((ArrayNode) CellWorld.JSON.readTree(file));
        world.kernel.runFor(Duration.ofMillis(1));
    }

    @Test
    void a_running_pod_is_not_restarted_and_says_the_very_same() {
        world.grant(NGINX);
        JsonNode before = world.until(status -> CellWorld.condition(status, "Ready"));
        long sequence = world.cells.cell("i-1").orElseThrow().report().sequence();
        freeze();
        world.kernel.runFor(Duration.ofMinutes(5));
        freeze();

        assertThat(world.status()).isEqualTo(before);
        assertThat(world.cells.cell("i-1").orElseThrow().report().sequence())
                .as("a controller that saw the earlier one is told")
                .isGreaterThan(sequence);
        world.end(1);
        assertThat(world.untilEnded().status()).contains("\"exitCode\":0", "\"restartCount\":0");
    }

    @Test
    void frozen_at_any_moment_a_pod_comes_to_the_same_end() {
        for (long millis = 0; millis <= 3_000; millis += 20) {
            world = new CellWorld();
            world.grant(
                    "{'restartPolicy':'Never','initContainers':[{'name':'i1','image':'i'},"
                            + "{'name':'side','image':'i','restartPolicy':'Always'},{'name':'i2','image':'i'}],"
                            + "'containers':[{'name':'a','image':'i'}]}",
                    "exit-code.a",
                    "0");
            world.kernel.runFor(Duration.ofMillis(millis));
            freeze();

            JsonNode status = CellWorld.JSON.readTree(world.untilEnded().status());

            assertThat(status.path("phase").asString())
                    .as("frozen at %s ms", millis)
                    .isEqualTo("Succeeded");
            assertThat(status.findValues("restartCount"))
                    .allSatisfy(count -> assertThat(count.asInt()).isZero());
            assertThat(world.truth.violations()).isEmpty();
        }
    }

    @Test
    void the_end_of_a_pod_is_not_put_off() {
        world.grant(NGINX, "ignore-term.a", "true");
        world.until(status -> CellWorld.condition(status, "Ready"));
        Instant killed = world.kernel.now().plusSeconds(30);
        world.end(30);
        world.kernel.runFor(Duration.ofSeconds(20));
        freeze();

        world.untilEnded();

        List<Run> runs = world.truth.runs();
        assertThat(runs.get(runs.size() - 1).ended().orElseThrow())
                .isBetween(killed.minusSeconds(1), killed.plusSeconds(1));
    }

    @Test
    void a_crash_loop_goes_on_and_counts_on() {
        world.grant("{'containers':[{'name':'a','image':'i'}]}", "exit-code.a", "1", "exit-after.a", "1");
        world.until(status -> restarts(status) == 3);
        freeze();

        JsonNode status = world.until(now -> restarts(now) >= 4);

        assertThat(restarts(status)).isEqualTo(4);
        assertThat(CellWorld.container(status, "a")
                        .at("/lastState/terminated/exitCode")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void an_ended_pod_stays_ended_and_an_inert_cell_stays_inert() {
        world.boot("i-2", "10.0.0.2");
        world.grant(NGINX);
        world.end(0);
        String tombstone = world.untilEnded().status();
        freeze();

        assertThat(world.now().ended()).isTrue();
        assertThat(world.now().status()).isEqualTo(tombstone);
        assertThat(world.cells.cell("i-2").orElseThrow().report().pod()).isEmpty();
    }

    @Test
    void a_machine_frozen_while_it_boots_boots_anew() {
        world.cells.started("i-3", "10.0.0.3", world.userData());
        freeze();
        assertThat(world.cells.cell("i-3")).isEmpty();

        world.kernel.runFor(Duration.ofSeconds(2));

        assertThat(world.cells.cell("i-3")).isPresent();
    }

    private static int restarts(JsonNode status) {
        return CellWorld.container(status, "a").path("restartCount").asInt();
    }
}
