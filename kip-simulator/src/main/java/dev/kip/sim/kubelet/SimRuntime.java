package dev.kip.sim.kubelet;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.cri.Cri;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A container runtime: sandboxes and containers, whose records outlive a power cut though nothing of them runs any more.
 * What runs goes on while kubelet or the runtime itself is restarted. Confined to the kernel's thread.
 */
public final class SimRuntime {

    /** A program takes this long to obey. */
    private static final Duration OBEYS = Duration.ofMillis(500);

    private static final int CRASHED = 1;
    private static final int KILLED = 137;
    private static final int POWER_CUT = 255;

    private final SimNode node;
    private final Map<String, Sandbox> sandboxes = new LinkedHashMap<>();
    private Listener listener = (uid, container) -> {};
    private boolean answers = true;
    private long ids;

    SimRuntime(SimNode node) {
        this.node = node;
    }

    /** Hears that a container has ended. */
    interface Listener {
        void ended(String podUid, String container);
    }

    /** A pod's sandbox. */
    static final class Sandbox {
        final String id;
        final ObjectNode pod;
        final int attempt;
        final Map<String, Container> containers = new LinkedHashMap<>();
        boolean ready = true;

        Sandbox(String id, ObjectNode pod, int attempt) {
            this.id = id;
            this.pod = pod;
            this.attempt = attempt;
        }

        String uid() {
            return metadata("uid");
        }

        String metadata(String field) {
            return pod.path("metadata").path(field).asString("");
        }
    }

    /** The last run of a container. */
    static final class Container {
        final String id;
        final String name;
        final int attempt;
        final long startedNanos;
        final SimProcess process;
        boolean running = true;
        int exitCode;

        Container(String id, String name, int attempt, long startedNanos, SimProcess process) {
            this.id = id;
            this.name = name;
            this.attempt = attempt;
            this.startedNanos = startedNanos;
            this.process = process;
        }
    }

    /** Its requests fail from now on, or are answered again; what runs goes on. */
    public void answers(boolean value) {
        answers = value;
    }

    public boolean answers() {
        return answers;
    }

    /** The pods of which every container that was started runs, by their names. */
    public ImmutableList<String> running() {
        return sandboxes.values().stream()
                .filter(sandbox -> sandbox.ready && !sandbox.containers.isEmpty())
                .filter(sandbox -> sandbox.containers.values().stream().allMatch(one -> one.running))
                .map(sandbox -> sandbox.metadata("name"))
                .sorted()
                .collect(ImmutableList.toImmutableList());
    }

    /** The programs of the pods whose names match end by themselves, not well. */
    public void crash(Predicate<String> pods) {
        for (Sandbox sandbox : ImmutableList.copyOf(sandboxes.values())) {
            if (sandbox.ready && pods.test(sandbox.metadata("name"))) {
                ImmutableList.copyOf(sandbox.containers.values()).forEach(one -> ended(sandbox, one, CRASHED));
            }
        }
    }

    void listen(Listener listener) {
        this.listener = listener;
    }

    /** As a client sees it. */
    public Cri cri() {
        return new Cri() {
            @Override
            public ImmutableList<Cri.Sandbox> sandboxes() throws IOException {
                mustAnswer();
                return sandboxes.values().stream()
                        .map(one -> new Cri.Sandbox(
                                one.id, one.metadata("namespace"), one.metadata("name"), one.uid(), one.ready))
                        .collect(ImmutableList.toImmutableList());
            }

            @Override
            public ImmutableList<Cri.Container> containers() throws IOException {
                mustAnswer();
                return sandboxes.values().stream()
                        .flatMap(sandbox -> sandbox.containers.values().stream()
                                .map(one -> new Cri.Container(one.id, sandbox.id, one.name, one.attempt, one.running)))
                        .collect(ImmutableList.toImmutableList());
            }
        };
    }

    private void mustAnswer() throws IOException {
        if (!answers) {
            throw new IOException("connection refused: /run/containerd/containerd.sock");
        }
    }

    /** The sandbox of a pod that is ready. */
    Optional<Sandbox> sandbox(String uid) {
        return sandboxes.values().stream()
                .filter(sandbox -> sandbox.ready && sandbox.uid().equals(uid))
                .findFirst();
    }

    /** All that are ready. */
    ImmutableList<Sandbox> ready() {
        return sandboxes.values().stream().filter(sandbox -> sandbox.ready).collect(ImmutableList.toImmutableList());
    }

    Sandbox run(ObjectNode pod) {
        String uid = pod.path("metadata").path("uid").asString("");
        int attempt = (int) sandboxes.values().stream()
                .filter(sandbox -> sandbox.uid().equals(uid))
                .count();
        Sandbox sandbox = new Sandbox("s" + ++ids, pod, attempt);
        sandboxes.put(sandbox.id, sandbox);
        return sandbox;
    }

    Container start(Sandbox sandbox, JsonNode spec, boolean init, Programs programs) {
        String name = spec.path("name").asString("");
        int attempt = Optional.ofNullable(sandbox.containers.get(name))
                .map(before -> before.attempt + 1)
                .orElse(0);
        SimProcess process = node.process(sandbox.metadata("name") + "/" + name);
        Container container = new Container("c" + ++ids, name, attempt, process.nanos(), process);
        sandbox.containers.put(name, container);
        tell(sandbox, name + " starts");
        process.post(() -> programs.start(
                new Programs.Run(sandbox.pod, spec, init, process, node, code -> ended(sandbox, container, code))));
        return container;
    }

    private void tell(Sandbox sandbox, String what) {
        Kernel kernel = node.machine().kernel();
        kernel.trace().line(kernel.elapsed(), "runtime@" + node.name(), sandbox.metadata("name") + ": " + what);
    }

    private void ended(Sandbox sandbox, Container container, int code) {
        if (container.running) {
            container.running = false;
            container.exitCode = code;
            container.process.kill();
            tell(sandbox, container.name + " has ended with " + code);
            listener.ended(sandbox.uid(), container.name);
        }
    }

    /** TERM, then KILL when the grace is over. */
    void stop(Sandbox sandbox, Duration grace) {
        Duration obeys = grace.compareTo(OBEYS) < 0 ? grace : OBEYS;
        node.machine().after(obeys, () -> {
            for (Container container : ImmutableList.copyOf(sandbox.containers.values())) {
                ended(sandbox, container, KILLED);
            }
            sandbox.ready = false;
        });
    }

    /** Kubelet's garbage collection: nothing is remembered of a pod that is gone. */
    void forget(String uid) {
        sandboxes.values().removeIf(sandbox -> !sandbox.ready && sandbox.uid().equals(uid));
    }

    /** What the machine finds when it is on again. */
    void powerCut() {
        for (Sandbox sandbox : sandboxes.values()) {
            sandbox.ready = false;
            for (Container container : sandbox.containers.values()) {
                if (container.running) {
                    container.running = false;
                    container.exitCode = POWER_CUT;
                    container.process.kill();
                }
            }
        }
        answers = true;
    }
}
