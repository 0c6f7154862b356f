package dev.kip.sim.cell;

import dev.kip.sim.cell.ContainerState.Ended;
import dev.kip.sim.cell.ContainerState.Waiting;
import java.util.Optional;

/** What the container runtime remembers of a container on its disk. Confined to the cell's loop. */
final class ContainerMemory {

    ContainerState state = new Waiting("ContainerCreating", "");
    Optional<Ended> last = Optional.empty();
    int restarts;

    boolean running() {
        return state instanceof ContainerState.Running;
    }

    Optional<Ended> ended() {
        return state instanceof Ended ended ? Optional.of(ended) : Optional.empty();
    }
}
