package dev.kip.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.aws.CallLog.Call;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.ScenarioReader;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is launched as fast as EC2's token buckets allow, and no call more (goals B1, B2, B3, B7). */
class LimitsInTimeTest {

    private final Runner runner = new Runner(SimWorld::make);

    private SimWorld told(String story) throws Exception {
        Scenario scenario = ScenarioReader.read("story.yaml", story);
        SimWorld world = SimWorld.make(scenario, 1, false);
        Outcomes outcomes = runner.run(scenario, 1, world);
        assertThat(outcomes.problems()).isEmpty();
        return world;
    }

    private static ImmutableList<Call> launches(SimWorld world) {
        return world.ec2().log().last().stream()
                .filter(call -> call.action().equals("RunInstances"))
                .collect(ImmutableList.toImmutableList());
    }

    /** From the first launch call to the last. */
    private static Duration span(SimWorld world) {
        ImmutableList<Call> launches = launches(world);
        return Duration.between(
                launches.get(0).at(), launches.get(launches.size() - 1).at());
    }

    private static long refused(SimWorld world) {
        return world.ec2().log().errors().getOrDefault("RequestLimitExceeded", 0L);
    }

    @Test
    void more_than_the_bucket_of_instances_holds_are_launched_as_they_come_back() throws Exception {
        SimWorld world = told("""
                scenario: 1,100 like pods, where EC2 starts 1,000 at once and then two a second
                steps:
                  - until: {controller: kip-*, is: leading, within: 60s}
                  - wait: 10s
                  - apply: {deployment: web, replicas: 1100}
                  - until: {pod: web-*, is: Ready, count: 1100, within: 10m}
                """);

        Duration bound = Duration.ofSeconds((1100 - 1000) / 2);
        assertThat(span(world))
                .as("B3")
                .isBetween(bound.minusSeconds(1), bound.multipliedBy(105).dividedBy(100));
        assertThat(launches(world)).as("B1: one call for 100 pods or more").hasSizeLessThanOrEqualTo(11);
        assertThat(refused(world)).isZero();
    }

    @Test
    void unlike_pods_are_launched_within_a_second_of_what_the_bucket_of_requests_allows() throws Exception {
        StringBuilder apply = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            apply.append("  - apply: {pod: p%d, cpu: \"%d\", annotations: {pod.elotl.co/volume-size: %dGi}}%n"
                    .formatted(i, 1, 10 + i));
        }
        SimWorld world = told("""
                scenario: 20 pods of 20 launch keys
                steps:
                  - until: {controller: kip-*, is: leading, within: 60s}
                  - wait: 10s
                %s  - until: {pod: p*, is: Ready, count: 20, within: 10m}
                """.formatted(apply));

        assertThat(launches(world)).hasSize(20);
        Duration bound = Duration.ofMillis((20 - 5) * 500L);
        assertThat(span(world))
                .as("B3; the calls take up to 600 ms")
                .isBetween(bound.minusSeconds(1), bound.plusSeconds(1));
        assertThat(refused(world)).isZero();
    }

    @Test
    void a_neighbour_who_takes_most_of_the_bucket_is_learned_and_forgotten_again() throws Exception {
        StringBuilder story = new StringBuilder("""
                scenario: a neighbour launches as well
                steps:
                  - until: {controller: kip-*, is: leading, within: 60s}
                  - wait: 10s
                  - neighbour: {calls: RunInstances, perMinute: 90}
                """);
        for (int i = 0; i < 40; i++) {
            story.append("  - apply: {pod: p%d, cpu: \"%d\", annotations: {pod.elotl.co/volume-size: %dGi}}%n"
                    .formatted(i, 1, 10 + i));
        }
        story.append("""
                  - until: {pod: p*, is: Ready, count: 40, within: 10m}
                expect:
                  - cells: 40
                  - instances: 40
                """);
        SimWorld world = told(story.toString());

        assertThat(launches(world).stream().filter(call -> call.outcome().equals("ok")))
                .hasSize(40);
        assertThat(refused(world)).as("each refusal makes the next ones rarer").isBetween(1L, 15L);
        assertThat(span(world)).as("half a call a second is left").isLessThan(Duration.ofMinutes(2));
    }
}
