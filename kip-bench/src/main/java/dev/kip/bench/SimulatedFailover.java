package dev.kip.bench;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.ScenarioReader;
import dev.kip.sim.world.SimWorld;
import dev.kip.yaml.YamlProblem;
import java.time.Duration;
import java.util.stream.LongStream;

/**
 * A leader dies at any moment between two renewals of its lease, while it launches, and its standby takes over; in virtual
 * time, so the figures are those of the protocol, not of this machine.
 */
final class SimulatedFailover {

    /** The lease of the stories: the default. */
    static final Duration LEASE = Duration.ofSeconds(20);

    private static final long STEP_MILLIS = 37;
    private static final long RENEWAL_MILLIS = 3_600;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final String BEFORE = """
            scenario: two replicas, one leads
            given: {controllers: 2, anchor: %s}
            steps:
              - until: {controller: kip-*, is: leading, within: 60s}
              - apply: {deployment: web, replicas: 2}
              - until: {pod: default/web-*, is: Ready, count: 2, within: 10m}
              - wait: 30s
              - apply: {deployment: more, replicas: 2}
              - wait: %dms
            faults: none
            """;

    private static final String AFTER = """
            scenario: everything comes to run, once
            steps:
              - until: {pod: default/*, is: Ready, count: 4, within: 30m}
              - wait: 5m
            faults: none
            """;

    private SimulatedFailover() {}

    /**
     * What one seed brought.
     *
     * @param took from the leader's death until the standby held lease and epoch and could act
     * @param doubleGrants pods or attempts that ran on two instances
     * @param problems other than these; empty in a right world
     */
    record Run(long seed, Duration took, int doubleGrants, ImmutableList<String> problems) {}

    /**
     * One run for each seed from 1 on.
     *
     * @param anchor of the world, as a scenario names it; its calls take 60 to 600 ms
     */
    static ImmutableList<Run> run(long seeds, String anchor) {
        return LongStream.rangeClosed(1, seeds)
                .mapToObj(seed -> one(seed, anchor))
                .collect(ImmutableList.toImmutableList());
    }

    private static Run one(long seed, String anchor) {
        Scenario before = scenario(BEFORE.formatted(anchor, 1 + seed * STEP_MILLIS % RENEWAL_MILLIS));
        SimWorld world = SimWorld.make(before, seed, false);
        Runner runner = new Runner(SimWorld::make);
        Outcomes began = runner.run(before, seed, world);
        if (!began.passed()) {
            throw new IllegalStateException("seed " + seed + ": it did not begin as it should: " + began.problems());
        }
        String leader = world.leaders().get(0);
        Duration died = world.elapsed();
        world.killController(leader);
        if (!world.kernel().runUntil(() -> !world.leaders().isEmpty(), PATIENCE)) {
            throw new IllegalStateException("seed " + seed + ": nobody leads after " + PATIENCE);
        }
        Duration took = world.elapsed().minus(died);
        Outcomes ended = runner.run(scenario(AFTER), seed, world);
        return new Run(
                seed,
                took,
                world.truth().violationCount(),
                ended.problems().stream().map(Object::toString).collect(ImmutableList.toImmutableList()));
    }

    private static Scenario scenario(String text) {
        try {
            return ScenarioReader.read("failover.yaml", text);
        } catch (YamlProblem e) {
            throw new IllegalStateException("the benchmark's own story is wrong", e);
        }
    }
}
