package dev.kip.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.ScenarioReader;
import dev.kip.sim.scenario.Sweep;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The stories that ship, at every call boundary, and what they may cost (goals B1, B4, B5, B8). */
class StoriesTest {

    private final Runner runner = new Runner(Worlds::make);

    static ImmutableList<String> names() {
        return Library.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void every_story_that_ships_ends_well(String name) throws Exception {
        Scenario scenario = Library.find(name);
        // Of machines there is little to be drawn: the next seed tells nearly the same.
        int seeds = scenario.given().nodes().isPresent() ? 1 : 3;
        for (long seed = 1; seed <= seeds; seed++) {
            Outcomes outcomes = runner.run(scenario, seed, false);
            assertThat(outcomes.problems()).as("%s, seed %d", name, seed).isEmpty();
        }
    }

    @Test
    void the_main_job_survives_a_crash_at_every_boundary() throws Exception {
        Sweep.Result result = new Sweep(SimWorld::make).run(Library.find("pod-to-gone"), 1, swept -> {});

        assertThat(result.requests()).as("boundaries").isGreaterThan(30);
        assertThat(result.failed()).extracting(Sweep.Case::name).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 1_000})
    void a_burst_of_like_pods_keeps_within_its_budget_of_calls_and_writes(int pods) throws Exception {
        Scenario scenario = burst(pods);
        SimWorld world = SimWorld.make(scenario, 1, false);
        Outcomes outcomes = runner.run(scenario, 1, world);

        assertThat(outcomes.problems()).isEmpty();
        long launches =
                world.calls("kip*", "ec2", "RunInstances") + world.calls("kip*", "ec2", "CreateLaunchTemplate*");
        long batches = world.calls("kip*", "kubernetes", "POST launchbatches");
        long writes = world.calls("kip*", "kubernetes", "* cells")
                + world.calls("kip*", "kubernetes", "PATCH pods/status")
                + world.calls("kip*", "kubernetes", "DELETE pods")
                - world.calls("kip*", "kubernetes", "GET cells");
        assertThat(launches).as("B1: calls to launch").isLessThanOrEqualTo(12);
        assertThat(world.calls("kip*", "ec2", "*")).as("B1: cloud calls in all").isLessThanOrEqualTo(50);
        assertThat(writes).as("B5: writes for %d pods", pods).isLessThanOrEqualTo(5L * pods);
        assertThat(world.calls("kip*", "kubernetes", "DELETE launchbatches"))
                .as("B5: two writes for a batch")
                .isEqualTo(batches);
        assertThat(world.calls("kip*", "kubernetes", "POST events"))
                .as("B5: events")
                .isLessThanOrEqualTo(3L * pods);
    }

    @Test
    void the_controller_adds_little_between_binding_and_launch() throws Exception {
        Scenario scenario = ScenarioReader.read("latency.yaml", """
                scenario: one pod, once the controller knows the cloud
                steps:
                  - until: {controller: kip-*, is: leading, within: 60s}
                  - apply: {pod: first}
                  - until: {pod: first, is: Ready, within: 5m}
                  - wait: 60s
                  - apply: {pod: second}
                  - until: {pod: second, is: Ready, within: 5m}
                """);
        SimWorld world = SimWorld.make(scenario, 1, true);
        world.network().latency(Duration.ofNanos(20));
        Outcomes outcomes = runner.run(scenario, 1, world);

        assertThat(outcomes.problems()).isEmpty();
        Duration applied = timeOf(outcomes, "apply pod second");
        Duration journaled = last(outcomes, "POST launchbatches");
        assertThat(journaled.minus(applied))
                .as("B4: from binding to the first call of the launch; the scheduler's own time is in it too")
                .isLessThanOrEqualTo(Duration.ofMillis(150));
    }

    @Test
    void a_tainted_node_takes_pods_that_tolerate_it_and_no_others() throws Exception {
        Scenario scenario = ScenarioReader.read("taint.yaml", """
                scenario: the taint keeps others away
                given: {taint: on}
                steps:
                  - until: {controller: kip-*, is: leading, within: 60s}
                  - apply: {pod: shy}
                  - apply: {pod: bold, tolerate: on}
                  - until: {pod: bold, is: Ready, within: 5m}
                  - wait: 2m
                  - until: {pod: shy, is: Pending, within: 1s}
                expect:
                  - cells: 1
                  - instances: 1
                """);
        assertThat(runner.run(scenario, 1, false).problems()).isEmpty();
    }

    @Test
    void a_pod_that_no_offering_fits_stays_pending_with_a_reason_and_costs_nothing() throws Exception {
        Scenario scenario = ScenarioReader.read("giant.yaml", """
                scenario: a pod that asks for more than there is
                steps:
                  - until: {controller: kip-*, is: leading, within: 60s}
                  - apply: {pod: giant, cpu: "5000"}
                  - wait: 10m
                expect:
                  - cells: none
                  - instances: none
                  - launchBatches: none
                  - calls: {to: ec2, action: RunInstances, atMost: 0}
                  - calls: {to: kubernetes, action: PATCH pods/status, atMost: 1}
                """);
        SimWorld world = SimWorld.make(scenario, 1, false);
        assertThat(runner.run(scenario, 1, world).problems()).isEmpty();
        assertThat(world.objects("pod").get(0).at("/status/reason").asString(""))
                .isEqualTo("NoFittingInstanceType");
    }

    @Test
    void a_cloud_with_no_room_for_the_cheapest_type_gives_the_next_one() throws Exception {
        Scenario scenario = ScenarioReader.read("no-room.yaml", """
                scenario: no room for the cheapest type
                given: {capacityErrors: [m7a.medium, c6a.large]}
                steps:
                  - until: {controller: kip-*, is: leading, within: 60s}
                  - apply: {pod: small, cpu: 100m, memory: 64Mi}
                  - until: {pod: small, is: Ready, within: 5m}
                expect:
                  - cells: 1
                  - instances: 1
                """);
        assertThat(runner.run(scenario, 1, false).problems()).isEmpty();
    }

    private static Scenario burst(int pods) throws YamlProblem {
        return ScenarioReader.read("burst.yaml", """
                scenario: a burst of like pods
                steps:
                  - until: {controller: kip-*, is: leading, within: 60s}
                  - wait: 10s
                  - apply: {deployment: web, replicas: %1$d}
                  - until: {pod: web-*, is: Ready, count: %1$d, within: 10m}
                  - delete: {deployment: web}
                  - until: {pod: web-*, is: gone, within: 10m}
                  - until: {cells: none, within: 2m}
                  - until: {instances: none, within: 5m}
                expect:
                  - launchBatches: none
                """.formatted(pods));
    }

    private static Duration timeOf(Outcomes outcomes, String text) {
        return outcomes.timeline().stream()
                .filter(line -> line.text().startsWith(text))
                .map(Trace.Line::at)
                .findFirst()
                .orElseThrow();
    }

    private static Duration last(Outcomes outcomes, String text) {
        return outcomes.timeline().stream()
                .filter(line -> line.text().startsWith(text))
                .map(Trace.Line::at)
                .reduce((first, second) -> second)
                .orElseThrow();
    }
}
