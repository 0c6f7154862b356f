package dev.kip.sim.cell;

import com.google.common.collect.ImmutableMap;
import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import dev.kip.sim.ec2.InstanceListener;
import java.io.IOException;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plays the machines of an EC2: every instance that runs boots with its user data and becomes a cell, until it ends. Told
 * of instances by whoever plays EC2, or by whoever watches it. Confined to the loop of the world.
 */
public final class SimCells implements InstanceListener {

    private static final Logger LOG = LoggerFactory.getLogger(SimCells.class);

    private final CellHost host;
    private final Loop world;
    private final Entropy entropy;
    private final CellTimes times;
    private final GroundTruth truth;
    private final TreeMap<String, Powered> powered = new TreeMap<>();

    /** @param world the time by which ends are recorded */
    public SimCells(CellHost host, Loop world, Entropy entropy, CellTimes times, GroundTruth truth) {
        this.host = host;
        this.world = world;
        this.entropy = entropy;
        this.times = times;
        this.truth = truth;
    }

    /** An instance that runs; its cell is there once it has booted. */
    private static final class Powered {
        private final CellInstance instance;
        private final CellDisk disk;
        private final CellHost.Machine machine;
        private Optional<SimCell> cell = Optional.empty();

        Powered(CellInstance instance, CellDisk disk, CellHost.Machine machine) {
            this.instance = instance;
            this.disk = disk;
            this.machine = machine;
        }
    }

    /** Nothing if it has booted, or does so already. */
    @Override
    public void started(String instanceId, String privateIp, String userData) {
        if (!powered.containsKey(instanceId)) {
            boot(new CellInstance(instanceId, privateIp, userData), new CellDisk());
        }
    }

    /** Its disk goes with it. */
    @Override
    public void ended(String instanceId) {
        Optional.ofNullable(powered.remove(instanceId)).ifPresent(this::cut);
    }

    /** The instance loses its power and boots again from its disk. */
    public void reboot(String instanceId) {
        Optional.ofNullable(powered.remove(instanceId)).ifPresent(before -> {
            cut(before);
            boot(before.instance, before.disk);
        });
    }

    private void cut(Powered one) {
        one.machine.off();
        truth.silenced(one.instance.instanceId(), world.now());
    }

    private void boot(CellInstance instance, CellDisk disk) {
        CellHost.Machine machine = host.power(instance, disk);
        Powered one = new Powered(instance, disk, machine);
        powered.put(instance.instanceId(), one);
        Entropy own = entropy.fork(instance.instanceId() + "/" + disk.boots);
        machine.loop().after(times.boot().draw(own), () -> up(one, own));
    }

    private void up(Powered one, Entropy own) {
        try {
            SimCell cell = new SimCell(
                    one.machine.loop(), own, times, one.disk, one.instance, one.machine.fingerprint(), truth);
            one.machine.serve(cell);
            one.cell = Optional.of(cell);
        } catch (IllegalArgumentException e) {
            LOG.info("{} is no cell: {}", one.instance.instanceId(), e.getMessage());
        } catch (IOException e) {
            LOG.error("cell {} cannot be served", one.instance.instanceId(), e);
        }
    }

    /** The cell on this instance, once it has booted. */
    public Optional<SimCell> cell(String instanceId) {
        return Optional.ofNullable(powered.get(instanceId)).flatMap(one -> one.cell);
    }

    /** Cells that have booted, by instance id. */
    public ImmutableMap<String, SimCell> cells() {
        ImmutableMap.Builder<String, SimCell> cells = ImmutableMap.builder();
        powered.forEach((id, one) -> one.cell.ifPresent(cell -> cells.put(id, cell)));
        return cells.buildOrThrow();
    }

    /** Every instance loses its power for good. */
    public void close() {
        powered.values().forEach(this::cut);
        powered.clear();
    }
}
