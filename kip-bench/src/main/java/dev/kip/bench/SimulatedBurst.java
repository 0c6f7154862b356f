package dev.kip.bench;

import dev.kip.sim.kernel.SimNetwork.Counted;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.ScenarioReader;
import dev.kip.sim.world.SimWorld;
import dev.kip.yaml.YamlProblem;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;

/** A deployment comes and goes in the simulated world, with the production controller. */
final class SimulatedBurst {

    private static final String UP = """
            scenario: %1$d pods of one deployment come
            steps:
              - until: {controller: kip-*, is: leading, within: 60s}
              - apply: {deployment: web, replicas: %1$d}
              - until: {pod: default/web-*, is: Ready, count: %1$d, within: 60m}
            faults: none
            """;

    private static final String DOWN = """
            scenario: %1$d pods of one deployment go
            steps:
              - delete: {deployment: web}
              - until: {pod: default/web-*, is: gone, within: 60m}
              - until: {cells: none, within: 10m}
              - until: {instances: none, within: 60m}
            faults: none
            """;

    private SimulatedBurst() {}

    /**
     * What one half of the story took.
     *
     * @param cpu of the one thread that the world runs on: unlike the wall time, hardly touched by what else the machine does
     * @param collecting of the wall time, in the garbage collector
     * @param launchCalls, cloudCalls of the controller to EC2
     * @param kubernetesWrites of the controller, lease renewals and events apart
     */
    record Half(
            String name,
            Duration wall,
            Duration cpu,
            Duration collecting,
            Duration virtual,
            long events,
            long launchCalls,
            long cloudCalls,
            long kubernetesWrites,
            long kubernetesEvents) {

        double eventsPerSecond() {
            return events / Math.max(1e-9, wall.toNanos() / 1e9);
        }
    }

    /**
     * Both halves.
     *
     * @param worldBytes the heap, with everything in the world, while all pods were Ready
     */
    record Figures(int pods, long seed, Half up, Half down, long worldBytes, String hash) {

        Half whole() {
            return new Half(
                    "whole",
                    up.wall().plus(down.wall()),
                    up.cpu().plus(down.cpu()),
                    up.collecting().plus(down.collecting()),
                    up.virtual().plus(down.virtual()),
                    up.events() + down.events(),
                    up.launchCalls() + down.launchCalls(),
                    up.cloudCalls() + down.cloudCalls(),
                    up.kubernetesWrites() + down.kubernetesWrites(),
                    up.kubernetesEvents() + down.kubernetesEvents());
        }
    }

    /** @throws IllegalStateException if the story does not end as it should */
    static Figures run(int pods, long seed) {
        Scenario coming = scenario(UP, pods);
        Scenario going = scenario(DOWN, pods);
        long empty = usedHeap();
        Clocks beginning = Clocks.now();
        SimWorld world = SimWorld.make(coming, seed, false);
        Half up = half("up", coming, seed, world, Counts.NONE, beginning);
        long worldBytes = usedHeap() - empty;
        Half down = half("down", going, seed, world, Counts.of(world), Clocks.now());
        return new Figures(
                pods, seed, up, down, worldBytes, world.kernel().trace().hash());
    }

    private static Half half(String name, Scenario scenario, long seed, SimWorld world, Counts before, Clocks began) {
        Outcomes outcomes = new Runner(SimWorld::make).run(scenario, seed, world);
        if (!outcomes.passed()) {
            throw new IllegalStateException("the story did not end as it should: " + outcomes.problems());
        }
        Clocks ended = Clocks.now();
        Counts after = Counts.of(world);
        return new Half(
                name,
                ended.wall().minus(began.wall()),
                ended.cpu().minus(began.cpu()),
                ended.collecting().minus(began.collecting()),
                after.virtual().minus(before.virtual()),
                after.events() - before.events(),
                after.launchCalls() - before.launchCalls(),
                after.cloudCalls() - before.cloudCalls(),
                after.kubernetesWrites() - before.kubernetesWrites(),
                after.kubernetesEvents() - before.kubernetesEvents());
    }

    private record Counts(
            Duration virtual,
            long events,
            long launchCalls,
            long cloudCalls,
            long kubernetesWrites,
            long kubernetesEvents) {

        static final Counts NONE = new Counts(Duration.ZERO, 0, 0, 0, 0, 0);

        static Counts of(SimWorld world) {
            return new Counts(
                    world.elapsed(),
                    world.kernel().executed(),
                    sum(world, call -> call.to().equals("ec2") && call.action().equals("RunInstances")),
                    sum(world, call -> call.to().equals("ec2")),
                    sum(world, call -> call.to().equals("kubernetes") && call.mutating()),
                    sum(
                            world,
                            call -> call.to().equals("kubernetes")
                                    && call.action().endsWith(" events")
                                    && !call.action().startsWith("GET")));
        }

        private static long sum(SimWorld world, Predicate<Counted> wanted) {
            return world.network().counts().entrySet().stream()
                    .filter(entry -> entry.getKey().from().startsWith("kip") && wanted.test(entry.getKey()))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        }
    }

    private static Scenario scenario(String text, int pods) {
        try {
            return ScenarioReader.read("burst.yaml", text.formatted(pods));
        } catch (YamlProblem e) {
            throw new IllegalStateException("the benchmark's own story is wrong", e);
        }
    }

    private record Clocks(Duration wall, Duration cpu, Duration collecting) {

        static Clocks now() {
            return new Clocks(
                    Duration.ofNanos(System.nanoTime()),
                    Duration.ofNanos(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()),
                    Duration.ofMillis(ManagementFactory.getGarbageCollectorMXBeans().stream()
                            .mapToLong(collector -> Math.max(0, collector.getCollectionTime()))
                            .sum()));
        }
    }

    private static long usedHeap() {
        System.gc();
        System.gc(); // what was softly or finally reachable goes with the second
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
