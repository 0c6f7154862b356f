package dev.kip.checkpointer.agent;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.agent.PodWatch.Sight;
import dev.kip.checkpointer.cri.Cri.Container;
import dev.kip.checkpointer.cri.Cri.Sandbox;
import dev.kip.checkpointer.cri.PodRuntime;
import dev.kip.checkpointer.cri.PodRuntime.Standing;
import dev.kip.loop.Loop;
import dev.kip.loop.Offload;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a pod. Kubelet does it, with hooks and grace, and shows how each container ended; where it does not, because
 * it was started anew meanwhile or does not answer, the runtime is told by us, within the grace that is left. It is over
 * when nothing of the pod runs. Confined to the loop.
 */
final class Departure {

    private static final Logger LOG = LoggerFactory.getLogger(Departure.class);

    private static final Duration CALL = Duration.ofSeconds(10);

    /** Kubelet is left alone for so long before its silence counts. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** After the grace, for kubelet's own kill. */
    private static final Duration BEYOND = Duration.ofSeconds(5);

    /** Nothing may run at so many looks in a row: a sandbox may just be in the making. */
    private static final int QUIET = 2;

    private final Loop loop;
    private final Offload offload;
    private final PodRuntime runtime;
    private final String uid;
    private final Consumer<ImmutableMap<String, Standing>> over;
    private final TreeSet<String> stopping = new TreeSet<>();
    private long deadline;
    private long silentSince = -1;
    private boolean handedOver;
    private boolean underway;
    private boolean done;
    private int quiet;

    /**
     * @param grace that is left
     * @param handedOver kubelet will do nothing: it is all ours
     * @param over nothing runs any more; told once, with how the containers ended as far as kubelet has not said
     */
    Departure(
            Loop loop,
            Offload offload,
            PodRuntime runtime,
            String uid,
            Duration grace,
            boolean handedOver,
            Consumer<ImmutableMap<String, Standing>> over) {
        this.loop = loop;
        this.offload = offload;
        this.runtime = runtime;
        this.uid = uid;
        this.handedOver = handedOver;
        this.over = over;
        this.deadline = loop.nanos() + grace.toNanos();
    }

    private Duration left() {
        return Duration.ofNanos(Math.max(0, deadline - loop.nanos()));
    }

    /** A shorter grace than the one under way: kubelet would not heed it, the runtime does. */
    void shorten(Duration grace) {
        long sooner = loop.nanos() + grace.toNanos();
        if (sooner < deadline) {
            deadline = sooner;
            stopping.clear();
            handedOver = true;
            askRuntime();
        }
    }

    /** The newest from kubelet. */
    void look(Sight sight) {
        if (done) {
            return;
        }
        boolean acts = sight instanceof Sight.Seen seen
                && CellStatus.anyRuns(seen.pod().path("status"));
        if (sight instanceof Sight.Seen seen && CellStatus.allEnded(seen.pod().path("status"))) {
            finish(ImmutableMap.of());
            return;
        }
        if (acts) {
            silentSince = -1;
        } else if (silentSince < 0) {
            silentSince = loop.nanos();
        }
        boolean silent = silentSince >= 0 && loop.nanos() - silentSince > PATIENCE.toNanos();
        boolean late = loop.nanos() - deadline > BEYOND.toNanos();
        if (!handedOver && (silent || late)) {
            LOG.warn("kubelet does not end the pod: the container runtime is told");
            handedOver = true;
        }
        if (!acts || handedOver) {
            askRuntime();
        }
    }

    /** What the runtime has of the pod. */
    private record Remains(ImmutableList<Sandbox> ready, ImmutableList<Container> all) {
        ImmutableList<Container> running() {
            return all.stream().filter(Container::running).collect(ImmutableList.toImmutableList());
        }
    }

    private void askRuntime() {
        if (underway || done) {
            return;
        }
        underway = true;
        offload.call("cri.ListPodSandbox", CALL, runtime::sandboxes)
                .thenAccept(outcome -> outcome.on(
                        sandboxes -> offload.call("cri.ListContainers", CALL, runtime::containers)
                                .thenAccept(listed -> {
                                    underway = false;
                                    listed.on(
                                            containers -> judge(remains(sandboxes, containers)),
                                            abandoned ->
                                                    LOG.warn("the container runtime does not answer: {}", abandoned));
                                }),
                        abandoned -> {
                            underway = false;
                            LOG.warn("the container runtime does not answer: {}", abandoned);
                        }));
    }

    private Remains remains(ImmutableList<Sandbox> sandboxes, ImmutableList<Container> containers) {
        TreeSet<String> own = new TreeSet<>();
        sandboxes.stream().filter(one -> one.uid().equals(uid)).forEach(one -> own.add(one.id()));
        return new Remains(
                sandboxes.stream()
                        .filter(one -> own.contains(one.id()) && one.ready())
                        .collect(ImmutableList.toImmutableList()),
                containers.stream()
                        .filter(one -> own.contains(one.sandbox()))
                        .collect(ImmutableList.toImmutableList()));
    }

    private void judge(Remains remains) {
        if (done) {
            return;
        }
        ImmutableList<Container> running = remains.running();
        if (!running.isEmpty()) {
            quiet = 0;
            if (handedOver) {
                running.forEach(this::stop);
                if (left().isZero()) {
                    remains.ready().forEach(this::stopSandbox);
                }
            }
        } else if (!remains.ready().isEmpty() && handedOver) {
            remains.ready().forEach(this::stopSandbox);
        } else if (remains.ready().isEmpty() && ++quiet >= QUIET) {
            gather(remains.all());
        }
    }

    private void stop(Container container) {
        if (stopping.add(container.id())) {
            Duration grace = left();
            offload.call("cri.StopContainer", grace.plus(CALL), () -> {
                        runtime.stopContainer(container.id(), grace);
                        return true;
                    })
                    .thenAccept(outcome -> {
                        if (outcome.error().isPresent()) {
                            stopping.remove(container.id());
                        }
                        askRuntime();
                    });
        }
    }

    private void stopSandbox(Sandbox sandbox) {
        if (stopping.add(sandbox.id())) {
            offload.call("cri.StopPodSandbox", CALL, () -> {
                        runtime.stopSandbox(sandbox.id());
                        return true;
                    })
                    .thenAccept(outcome -> {
                        stopping.remove(sandbox.id());
                        askRuntime();
                    });
        }
    }

    /** How the last run of each container ended. */
    private void gather(ImmutableList<Container> containers) {
        Map<String, Container> newest = new LinkedHashMap<>();
        for (Container container : containers) {
            newest.merge(container.name(), container, (one, other) -> one.attempt() >= other.attempt() ? one : other);
        }
        gather(ImmutableList.copyOf(newest.values()), 0, ImmutableMap.builder());
    }

    private void gather(ImmutableList<Container> containers, int at, ImmutableMap.Builder<String, Standing> exits) {
        if (at == containers.size()) {
            finish(exits.buildOrThrow());
            return;
        }
        Container container = containers.get(at);
        offload.call("cri.ContainerStatus", CALL, () -> runtime.standing(container.id()))
                .thenAccept(outcome -> {
                    outcome.value().ifPresent(exit -> exits.put(container.name(), exit));
                    gather(containers, at + 1, exits);
                });
    }

    private void finish(ImmutableMap<String, Standing> exits) {
        if (!done) {
            done = true;
            over.accept(exits);
        }
    }
}
