package dev.kip.sim.machine;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import dev.kip.loop.Loop;
import dev.kip.loop.Offload;
import dev.kip.sim.ec2.InstanceListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the machines of an EC2 that runs none: each instance boots with containerd, kubelet and the agent in namespaces of
 * its own, loses its power when the instance ends, and its disk with it. What ends this process, however it does, is a
 * power cut for all of them: they boot from their disks when they are started again. Confined to the loop.
 */
public final class Machines implements InstanceListener {

    private static final Logger LOG = LoggerFactory.getLogger(Machines.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SECONDS_TO_DIE = 10;

    private final Loop loop;
    private final Offload offload;
    private final Path folder;
    private final MachineFiles files;
    private final MachineNetwork network;
    private final Cgroups cgroups;
    private final TreeMap<String, Machine> machines = new TreeMap<>();
    private Consumer<String> guestShutdown = instanceId -> {};

    /** An instance that runs. */
    private static final class Machine {
        private final MachineInstance instance;
        private final Path directory;
        private final Cgroups cgroups;
        private Optional<Process> process = Optional.empty();
        private boolean off;

        Machine(MachineInstance instance, Path directory, Cgroups cgroups) {
            this.instance = instance;
            this.directory = directory;
            this.cgroups = cgroups;
        }
    }

    /**
     * Takes away what an earlier world in the folder left running, and makes the network. Blocks; not on the loop.
     *
     * @param folder of this world alone; the machines' disks are kept in it
     * @param archives images that every machine has, as {@code docker save} writes them
     * @param plainRegistries host:port of registries that machines speak plain HTTP with
     */
    public static Machines create(
            Loop loop,
            Offload offload,
            MachineParts parts,
            Path folder,
            ImmutableList<Path> archives,
            ImmutableList<String> plainRegistries)
            throws IOException {
        Path own = Files.createDirectories(folder.toAbsolutePath().normalize());
        String world = Hashing.sha256()
                .hashString(own.toString(), StandardCharsets.UTF_8)
                .toString()
                .substring(0, 8);
        Cgroups cgroups = Cgroups.of("/kip-" + world);
        cgroups.remove();
        MachineNetwork network = new MachineNetwork("kip" + world);
        network.create();
        Path images = Files.createDirectories(own.resolve("images"));
        Images.write(images.resolve("0.tar"));
        for (int i = 0; i < archives.size(); i++) {
            Files.copy(archives.get(i), images.resolve(i + 1 + ".tar"), StandardCopyOption.REPLACE_EXISTING);
        }
        return new Machines(
                loop, offload, own, new MachineFiles(parts, images, "kip" + world, plainRegistries), network, cgroups);
    }

    private Machines(
            Loop loop, Offload offload, Path folder, MachineFiles files, MachineNetwork network, Cgroups cgroups) {
        this.loop = loop;
        this.offload = offload;
        this.folder = folder;
        this.files = files;
        this.network = network;
        this.cgroups = cgroups;
    }

    /** @param ec2 told of instances that shut themselves down; what becomes of them is EC2's to say */
    public void onShutdown(Consumer<String> ec2) {
        guestShutdown = ec2;
    }

    @Override
    public void started(String instanceId, String privateIp, String userData) {
        if (!machines.containsKey(instanceId)) {
            MachineInstance instance = new MachineInstance(instanceId, privateIp, userData);
            Machine machine = new Machine(instance, folder.resolve(instanceId), cgroups.child(instanceId));
            machines.put(instanceId, machine);
            power(machine);
        }
    }

    private void power(Machine machine) {
        offload.call("machine.boot", PATIENCE, () -> boot(machine)).thenAccept(outcome -> {
            Optional<Process> booted = outcome.value();
            booted.ifPresentOrElse(
                    process -> {
                        machine.process = booted;
                        if (machine.off) {
                            takeAway(machine); // it ended while it booted
                        } else {
                            process.onExit().thenAccept(ended -> loop.post(() -> died(machine)));
                        }
                    },
                    () -> LOG.error(
                            "{} does not boot: {}",
                            machine.instance.instanceId(),
                            outcome.error().orElseThrow()));
        });
    }

    private Process boot(Machine machine) throws IOException {
        network.route(machine.instance.privateIp());
        files.write(machine.directory, machine.instance, machine.cgroups);
        return new ProcessBuilder("sh", machine.directory.resolve("boot").toString(), machine.directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        machine.directory.resolve("console").toFile()))
                .start(); // its input stays open for as long as this process lives
    }

    private void died(Machine machine) {
        if (!machine.off) {
            LOG.warn(
                    "{} has shut itself down, see {}",
                    machine.instance.instanceId(),
                    machine.directory.resolve("console"));
            String instanceId = machine.instance.instanceId();
            ended(instanceId);
            guestShutdown.accept(instanceId);
        }
    }

    /** Its disk goes with it. */
    @Override
    public void ended(String instanceId) {
        Optional.ofNullable(machines.remove(instanceId)).ifPresent(machine -> {
            machine.off = true;
            takeAway(machine);
        });
    }

    private void takeAway(Machine machine) {
        offload.call("machine.end", PATIENCE, () -> {
                    cut(machine);
                    network.unroute(machine.instance.privateIp());
                    Shell.run("rm", "-rf", "--one-file-system", machine.directory.toString());
                    return true;
                })
                .thenAccept(outcome -> outcome.error()
                        .ifPresent(error -> LOG.error("what is left of {}: {}", machine.directory, error)));
    }

    /** The machine loses its power, and boots again from its disk. */
    public void reboot(String instanceId) {
        Optional.ofNullable(machines.get(instanceId)).ifPresent(before -> {
            before.off = true;
            Machine again = new Machine(before.instance, before.directory, before.cgroups);
            machines.put(instanceId, again);
            offload.call("machine.cut", PATIENCE, () -> {
                        cut(before);
                        return true;
                    })
                    .thenAccept(outcome -> power(again));
        });
    }

    /** Process 1 of the machine is killed, and with it all that runs in it. */
    private static void cut(Machine machine) throws IOException {
        if (machine.process.isPresent()) {
            Process process = machine.process.get();
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            try {
                if (!process.waitFor(SECONDS_TO_DIE, TimeUnit.SECONDS)) {
                    throw new IOException("process " + process.pid() + " does not end");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        machine.cgroups.remove();
    }

    /** Disks of machines that do not run are taken away. Blocks; not on the loop, before instances come and go. */
    public void sweep() throws IOException {
        ImmutableList<String> known = ImmutableList.copyOf(machines.keySet());
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, "i-*")) {
            for (Path entry : entries) {
                if (!known.contains(entry.getFileName().toString())) {
                    Shell.run("rm", "-rf", "--one-file-system", entry.toString());
                }
            }
        }
    }

    /** Every machine loses its power; the disks stay. Blocks. */
    public void close() {
        for (Machine machine : machines.values()) {
            machine.off = true;
            try {
                cut(machine);
            } catch (IOException e) {
                LOG.error("what is left of {}: {}", machine.instance.instanceId(), e.getMessage());
            }
        }
        machines.clear();
        try {
            cgroups.remove();
            network.remove();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
