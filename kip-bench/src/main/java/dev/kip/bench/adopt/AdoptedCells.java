package dev.kip.bench.adopt;

import com.google.common.collect.ImmutableList;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.kip.bench.Patience;
import dev.kip.bench.adopt.CallCounts.Counts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Restarts of a controller beside many cells that run, measured from outside its process. */
public final class AdoptedCells {

    private static final String FIRST_POD = "the-first-pod";
    private static final Duration AFTERWARDS = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private AdoptedCells() {}

    /**
     * One start of a controller.
     *
     * @param adopted until it knows of every cell that it is its own: from the birth of its process in the first round, from
     *     the start of the controller in a process that lives in the others
     * @param cpu of the controller's process until then, its compiler and its garbage collector included
     * @param heard until every agent has been asked for the first time what it runs; empty if that was not waited for
     * @param longestTask for which one task kept the controller's loop, until the controller was stopped
     * @param busy what all tasks kept the loop until then
     * @param calls until then
     * @param cloudCalls until all was adopted
     */
    public record Round(
            boolean fresh,
            Duration adopted,
            Duration cpu,
            Optional<Duration> heard,
            Duration longestTaskToAdopted,
            Duration longestTask,
            Duration busy,
            Counts calls,
            long cloudCalls) {}

    /**
     * All rounds.
     *
     * @param containersStarted while the controllers came and went
     * @param instances that run at the end
     */
    public record Figures(int cells, ImmutableList<Round> rounds, int containersStarted, int instances) {}

    /**
     * Makes a world with so many cells and starts a controller in it again and again, the first time in a new process.
     *
     * @param agents whether each start lasts until every agent was heard, or a few seconds longer than the adoption
     * @param progress told what is being done
     * @throws IllegalStateException if a cell was not adopted
     */
    public static Figures measure(int cells, int rounds, boolean agents, Consumer<String> progress) throws IOException {
        Path folder = Files.createTempDirectory("kip-bench");
        try {
            progress.accept("one pod comes to run, with the production controller");
            ObjectNode world = oneRunningPod(Files.createDirectory(folder.resolve("one")));
            progress.accept("one becomes " + cells);
            Multiplied.inPlace(world, cells);
            return measure(Files.createDirectory(folder.resolve("many")), world, cells, rounds, agents, progress);
        } finally {
            MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }

    private static ObjectNode oneRunningPod(Path folder) throws IOException {
        try (ServedWorld world = new ServedWorld(folder, Optional.empty());
                ChildController controller = new ChildController(world.providerYaml(), world.kubeconfig())) {
            controller.say("start");
            Patience.until("the virtual node is there", PATIENCE, world::hasNode);
            world.createPod(FIRST_POD);
            Patience.until("the agent serves", PATIENCE, () -> world.serving() == 1);
            world.writeAddresses();
            Patience.until("the pod is ready", PATIENCE, () -> world.isReady(FIRST_POD));
            controller.say("stop");
            return world.save();
        }
    }

    private static Figures measure(
            Path folder, ObjectNode kept, int cells, int rounds, boolean agents, Consumer<String> progress)
            throws IOException {
        try (ServedWorld world = new ServedWorld(folder, Optional.of(kept))) {
            Patience.until("all agents serve", PATIENCE, () -> world.serving() == cells);
            world.writeAddresses();
            ImmutableList.Builder<Round> measured = ImmutableList.builder();
            int startsBefore = world.starts();
            long born = System.nanoTime();
            try (ChildController controller = new ChildController(world.providerYaml(), world.kubeconfig())) {
                for (int i = 0; i < rounds; i++) {
                    progress.accept("start " + (i + 1) + " of " + rounds);
                    measured.add(round(world, controller, cells, agents, i == 0, i == 0 ? born : System.nanoTime()));
                }
            }
            return new Figures(cells, measured.build(), world.starts() - startsBefore, world.instances());
        }
    }

    private static Round round(
            ServedWorld world, ChildController controller, int cells, boolean agents, boolean fresh, long began)
            throws IOException {
        world.forgetHeard();
        Counts before = world.counts();
        Duration cpuBefore = fresh ? Duration.ZERO : controller.used();
        JsonNode adopted = controller.say("start");
        Duration toAdopted = Duration.ofNanos(System.nanoTime() - began);
        if (adopted.path("cells").asInt() != cells || adopted.path("pods").asInt() != cells) {
            throw new IllegalStateException("of " + cells + " cells it counts as its own only " + adopted);
        }
        Counts atAdopted = world.counts().since(before);
        Optional<Duration> toHeard = Optional.empty();
        if (agents) {
            Patience.until("all agents are heard", PATIENCE, () -> world.heard() == cells);
            toHeard = Optional.of(Duration.ofNanos(System.nanoTime() - began));
        } else {
            long end = System.nanoTime() + AFTERWARDS.toNanos();
            Patience.until("the time is over", PATIENCE, () -> System.nanoTime() - end > 0);
        }
        Counts calls = world.counts().since(before);
        JsonNode last = controller.say("stop");
        return new Round(
                fresh,
                toAdopted,
                millis(adopted, "cpuMillis").minus(cpuBefore),
                toHeard,
                millis(adopted, "longestTaskMillis"),
                millis(last, "longestTaskMillis"),
                millis(last, "busyMillis"),
                calls,
                atAdopted.cloud());
    }

    private static Duration millis(JsonNode said, String name) {
        return Duration.ofNanos((long) (said.path(name).asDouble() * 1e6));
    }
}
