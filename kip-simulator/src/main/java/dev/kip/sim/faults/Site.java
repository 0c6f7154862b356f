package dev.kip.sim.faults;

import dev.kip.sim.cell.SimCells;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.scenario.World;

/** The world that faults strike. */
public interface Site {

    Kernel kernel();

    SimNetwork network();

    SimEc2 ec2();

    SimCells cells();

    /** The cluster that words mean when they name none, its pods and its controllers. */
    World world();

    Watches watches();

    Fates fates();
}
