package dev.kip.real;

import com.google.common.collect.ImmutableList;
import dev.kip.real.CallCounter.Call;
import dev.kip.real.CallCounter.Death;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.wall.AdminApi;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * What a story on real parts needs: our objects in the cluster, cells that play moto's machines, one controller, and
 * proxies between it and both servers. Reused from story to story; each begins with nothing of the last.
 */
final class Stage implements AutoCloseable {
    private static final int NEVER = 0;
    private static final int REPLICAS = 2;

    private final Consumer<String> told;
    private final AdminApi api;
    private final CallCounter counter = new CallCounter();
    private final Proxies proxies;
    private final ImmutableList<ControllerProcess> replicas;
    private final CellMachines machines;
    private final RealWorld world;

    /** @param told hears what happens, line by line */
    Stage(RealCluster cluster, Consumer<String> told) throws IOException {
        this.told = told;
        cluster.applyCustomResources();
        cluster.applyRights();
        this.api = cluster.admin();
        this.proxies = new Proxies(cluster, counter);
        String token = cluster.controllerToken();
        this.replicas = IntStream.range(0, REPLICAS)
                .mapToObj(i -> new ControllerProcess(cluster, "kip-" + i, proxies.kubernetes(), proxies.ec2(), token))
                .collect(ImmutableList.toImmutableList());
        this.machines = CellMachines.start(cluster);
        this.world = new RealWorld(cluster, api, replicas, counter);
    }

    RealWorld world() {
        return world;
    }

    /** The first replica. */
    ControllerProcess controller() {
        return replicas.get(0);
    }

    CellMachines machines() {
        return machines;
    }

    /** Tells the story to its end; the calls that it took, from the controllers' start to their last. */
    ImmutableList<Call> tell(Scenario story) {
        world.clear();
        proxies.arm(NEVER, Death.BEFORE, controller());
        replicas.subList(0, story.given().controllers()).forEach(ControllerProcess::start);
        toItsEnd(story, () -> {});
        return counter.seen();
    }

    /**
     * Tells it with one controller, killed at its k-th mutating call and started again at once.
     *
     * @return whether it came to its k-th call
     */
    boolean tellKilling(Scenario story, int k, Death death) {
        world.clear();
        proxies.arm(k, death, controller());
        controller().start();
        AtomicBoolean restarted = new AtomicBoolean();
        toItsEnd(story, () -> {
            if (controller().isAlive()) {
                return;
            }
            if (!counter.hasKilled() || !restarted.compareAndSet(false, true)) {
                throw new AssertionError("the controller ended by itself");
            }
            // It is dead for certain: its lease need not be waited out.
            api.delete("lease", "kip", "kip-virtual-kubelet", Optional.empty());
            controller().start();
        });
        return counter.hasKilled();
    }

    private void toItsEnd(Scenario story, Runnable meanwhile) {
        int violationsBefore = machines.violations().size();
        try {
            new RealStory(world, meanwhile, told).tell(story);
            ImmutableList<String> violations = machines.violations();
            if (violations.size() > violationsBefore) {
                throw new AssertionError(
                        "on the cells: " + String.join("; ", violations.subList(violationsBefore, violations.size())));
            }
        } catch (AssertionError failure) {
            throw new AssertionError(
                    failure.getMessage() + "\ncalls so far: " + counter.seen() + "\n"
                            + controller().lastWords(),
                    failure);
        } finally {
            replicas.forEach(ControllerProcess::kill9);
        }
    }

    @Override
    public void close() throws IOException {
        replicas.forEach(ControllerProcess::close);
        machines.close();
        world.close();
        proxies.close();
    }
}
