package dev.kip.real;

import com.google.common.collect.ImmutableList;
import dev.kip.real.CallCounter.Call;
import dev.kip.real.CallCounter.Death;
import dev.kip.sim.scenario.Scenario;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What a story on real parts needs: our objects in the cluster, cells that play moto's machines, one controller, and
 * proxies between it and both servers. Reused from story to story; each begins with nothing of the last.
 */
final class Stage implements AutoCloseable {
    private static final int NEVER = 0;

    private final Consumer<String> told;
    private final AdminApi api;
    private final CallCounter counter = new CallCounter();
    private final Proxies proxies;
    private final ControllerProcess controller;
    private final CellMachines machines;
    private final RealWorld world;

    /** @param told hears what happens, line by line */
    Stage(RealCluster cluster, Consumer<String> told) throws IOException {
        this.told = told;
        cluster.applyCustomResources();
        cluster.applyRights();
        this.api = new AdminApi(cluster);
        this.proxies = new Proxies(cluster, counter);
        this.controller =
                new ControllerProcess(cluster, "kip-0", proxies.kubernetes(), proxies.ec2(), cluster.controllerToken());
        this.machines = CellMachines.start(cluster);
        this.world = new RealWorld(cluster, api, ImmutableList.of(controller), counter);
    }

    RealWorld world() {
        return world;
    }

    ControllerProcess controller() {
        return controller;
    }

    CellMachines machines() {
        return machines;
    }

    /** Tells the story to its end; the calls that it took, from the controller's start to its last. */
    ImmutableList<Call> tell(Scenario story) {
        tellKilling(story, NEVER, Death.BEFORE);
        return counter.seen();
    }

    /** Tells it with the controller killed at its k-th mutating call and started again at once. */
    void tellKilling(Scenario story, int k, Death death) {
        world.clear();
        proxies.arm(k, death, controller);
        controller.start();
        boolean[] restarted = {false};
        RealStory telling = new RealStory(
                world,
                () -> {
                    if (!controller.isAlive()) {
                        if (restarted[0] || !counter.hasKilled()) {
                            throw new AssertionError("the controller ended by itself\n" + controller.lastWords());
                        }
                        restarted[0] = true;
                        // It is dead for certain: its lease need not be waited out.
                        api.delete("lease", "kip", "kip-virtual-kubelet", Optional.empty());
                        controller.start();
                    }
                },
                told);
        try {
            telling.tell(story);
            ImmutableList<String> wrong = machines.violations();
            if (!wrong.isEmpty()) {
                throw new AssertionError("on the cells: " + String.join("; ", wrong));
            }
        } catch (AssertionError failure) {
            throw new AssertionError(
                    failure.getMessage() + "\ncalls so far: " + counter.seen() + "\n" + controller.lastWords(),
                    failure);
        } finally {
            controller.kill9();
        }
    }

    @Override
    public void close() throws IOException {
        controller.close();
        machines.close();
        world.close();
        proxies.close();
    }
}
