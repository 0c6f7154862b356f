package dev.kip.sim.cell;

import com.google.common.collect.ImmutableMap;
import dev.kip.entropy.Entropy;
import dev.kip.loop.Loop;
import dev.kip.sim.ec2.InstanceListener;
import java.io.IOException;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * Plays the machines of an EC2: every instance that runs boots with its user data and becomes a cell, until it ends. Told
 * of instances by whoever plays EC2, or by whoever watches it. Confined to the loop of the world.
 */
public final class SimCells implements InstanceListener {

    private static final Logger LOG = LoggerFactory.getLogger(SimCells.class);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final CellHost host;
    private final Loop world;
    private final Entropy entropy;
    private final CellTimes times;
    private final GroundTruth truth;
    private final TreeMap<String, Powered> powered = new TreeMap<>();
    private Consumer<String> guestShutdown = instanceId -> {};

    /** @param world the time by which ends are recorded */
    public SimCells(CellHost host, Loop world, Entropy entropy, CellTimes times, GroundTruth truth) {
        this.host = host;
        this.world = world;
        this.entropy = entropy;
        this.times = times;
        this.truth = truth;
    }

    /** @param ec2 told of instances that shut themselves down; what becomes of them is EC2's to say */
    public void onShutdown(Consumer<String> ec2) {
        guestShutdown = ec2;
    }

    private void shutDown(Powered one) {
        String instanceId = one.instance.instanceId();
        LOG.info("{} shuts itself down: no controller has reached it", instanceId);
        world.post(() -> {
            ended(instanceId);
            guestShutdown.accept(instanceId);
        });
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
        Powered one = power(instance, disk);
        Entropy own = entropyOf(one);
        one.machine.loop().after(times.boot().draw(own), () -> up(one, own, Optional.empty()));
    }

    private Powered power(CellInstance instance, CellDisk disk) {
        Powered one = new Powered(instance, disk, host.power(instance, disk));
        powered.put(instance.instanceId(), one);
        return one;
    }

    private Entropy entropyOf(Powered one) {
        return entropy.fork(one.instance.instanceId() + "/" + one.disk.boots);
    }

    /** All machines as they stand, for a file. */
    public ArrayNode snapshot() {
        ArrayNode saved = JSON.createArrayNode();
        powered.values()
                .forEach(one -> saved.add(JSON.<JsonNode>valueToTree(one.cell
                        .map(SimCell::save)
                        .orElseGet(() -> new SavedCell(one.instance, SavedCell.save(one.disk), Optional.empty())))));
        return saved;
    }

    /**
     * Takes machines up again where they stood, before any is started: pods run on, and what was booting boots anew.
     *
     * @param saved from {@link #snapshot}
     */
    public void restore(ArrayNode saved) {
        for (JsonNode entry : saved) {
            SavedCell cell = JSON.treeToValue(entry, SavedCell.class);
            if (cell.running().isEmpty()) {
                boot(cell.instance(), cell.toDisk());
            } else {
                Powered one = power(cell.instance(), cell.toDisk());
                one.machine.loop().post(() -> up(one, entropyOf(one), cell.running()));
            }
        }
    }

    private void up(Powered one, Entropy own, Optional<SavedCell.Memory> frozen) {
        try {
            SimCell cell = new SimCell(
                    one.machine.loop(),
                    own,
                    times,
                    one.disk,
                    one.instance,
                    one.machine.fingerprint(),
                    truth,
                    one.machine::kubeletPort,
                    frozen,
                    () -> shutDown(one));
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
