package dev.kip.sim.kubelet;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.kube.KubeApi;
import dev.kip.sim.disk.Fate;
import dev.kip.sim.disk.SimDisk;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A machine with a disk, a container runtime and a kubelet, that can lose its power. */
public final class SimNode {

    private static final Duration BOOT = Duration.ofSeconds(5);
    private static final Duration RESTARTED_BY_SYSTEMD = Duration.ofSeconds(10);

    private final Kernel kernel;
    private final NodeFacts facts;
    private final KubeletVersion version;
    private final Programs programs;
    private final Function<SimProcess, Optional<KubeApi>> api;
    private final SimDisk disk = new SimDisk();
    private final SimRuntime runtime;
    private final List<SimKubelet.Logged> log = new ArrayList<>();
    private Optional<SimKubelet> kubelet = Optional.empty();
    private SimProcess machine;
    private final List<SimProcess> running = new ArrayList<>();
    private Duration skew = Duration.ZERO;
    private int boots;
    private int processes;

    /**
     * A machine that is off.
     *
     * @param api opens kubelet's way to the API server; empty for a kubelet that has none
     */
    public SimNode(
            Kernel kernel,
            NodeFacts facts,
            KubeletVersion version,
            Programs programs,
            Function<SimProcess, Optional<KubeApi>> api) {
        this.kernel = kernel;
        this.facts = facts;
        this.version = version;
        this.programs = programs;
        this.api = api;
        this.runtime = new SimRuntime(this);
        this.machine = new SimProcess(kernel, facts.name());
        machine.kill();
    }

    public String name() {
        return facts.name();
    }

    public NodeFacts facts() {
        return facts;
    }

    public KubeletVersion version() {
        return version;
    }

    public SimDisk disk() {
        return disk;
    }

    public SimRuntime runtime() {
        return runtime;
    }

    /** Empty while it does not run. */
    public Optional<SimKubelet> kubelet() {
        return kubelet.filter(SimKubelet::alive);
    }

    /** What every kubelet of this machine logged. */
    public ImmutableList<SimKubelet.Logged> log() {
        return ImmutableList.copyOf(log);
    }

    public boolean on() {
        return machine.alive();
    }

    /** The machine's wall clock is wrong by this much from now on, whatever happens to its power. */
    public void skewClock(Duration by) {
        skew = by;
        running.removeIf(process -> !process.alive());
        running.forEach(process -> process.skewClock(by));
    }

    /** The machine is switched on; kubelet starts when it has booted. */
    public void powerOn() {
        if (machine.alive()) {
            throw new IllegalStateException(name() + " is on");
        }
        machine = clocked(new SimProcess(kernel, name() + "#" + ++boots));
        machine.after(BOOT, this::startKubelet);
    }

    /** The power fails: nothing runs any more, and the disk has what {@code fate} leaves of it. */
    public void powerOff(Fate fate) {
        kubelet.ifPresent(SimKubelet::kill);
        machine.kill();
        runtime.powerCut();
        disk.powerCycle(fate);
    }

    /** Kubelet is killed and started again; containers go on. */
    public void restartKubelet() {
        kubelet.ifPresent(SimKubelet::kill);
        machine.after(Duration.ofSeconds(1), this::startKubelet);
    }

    void kubeletCrashed() {
        kubelet.ifPresent(SimKubelet::kill);
        machine.after(RESTARTED_BY_SYSTEMD, this::startKubelet);
    }

    private void startKubelet() {
        SimProcess process = process("kubelet");
        SimKubelet started = new SimKubelet(this, process, api.apply(process), programs, log::add);
        kubelet = Optional.of(started);
        started.start();
    }

    /** How often it was switched on. */
    public int boots() {
        return boots;
    }

    SimProcess machine() {
        return machine;
    }

    /** A process of this machine. */
    SimProcess process(String program) {
        return clocked(new SimProcess(kernel, program + "@" + name() + "#" + ++processes));
    }

    private SimProcess clocked(SimProcess process) {
        process.skewClock(skew);
        running.removeIf(one -> !one.alive());
        running.add(process);
        return process;
    }
}
