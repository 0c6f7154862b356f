package dev.kip.sim.cell;

import dev.kip.cell.wire.Wire;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpService;
import dev.kip.loop.Loop;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimProcess;
import java.util.HexFormat;
import java.util.Optional;

/** Cells on the simulated network: each a process of its own, at its private address and the agent's port. */
public final class SimulatedHost implements CellHost {

    private static final int FINGERPRINT_BYTES = 32;

    private final Kernel kernel;
    private final SimNetwork network;
    private final Entropy entropy;

    public SimulatedHost(Kernel kernel, SimNetwork network) {
        this.kernel = kernel;
        this.network = network;
        this.entropy = kernel.entropy("cell certificates");
    }

    /** The name of a cell's process, as the network and its faults see it. */
    public static String processName(String instanceId) {
        return "cell/" + instanceId;
    }

    @Override
    public Machine power(CellInstance instance, CellDisk disk) {
        String fingerprint = disk.fingerprint.orElseGet(() ->
                HexFormat.of().formatHex(entropy.fork(instance.instanceId()).bytes(FINGERPRINT_BYTES)));
        disk.fingerprint = Optional.of(fingerprint);
        SimProcess process = new SimProcess(kernel, processName(instance.instanceId()));
        return new Machine() {
            @Override
            public Loop loop() {
                return process;
            }

            @Override
            public String fingerprint() {
                return fingerprint;
            }

            @Override
            public void serve(HttpService agent) {
                network.listen(instance.privateIp(), Wire.PORT, process.name(), process, agent, fingerprint);
                network.listen(instance.privateIp(), Wire.KUBELET_PORT, process.name(), process, agent, fingerprint);
            }

            @Override
            public void off() {
                network.unlisten(instance.privateIp(), Wire.PORT);
                network.unlisten(instance.privateIp(), Wire.KUBELET_PORT);
                process.kill();
            }
        };
    }
}
