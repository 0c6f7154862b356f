package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.NodeStatus;
import dev.kip.checkpointer.NodeStatus.PodLine;
import dev.kip.checkpointer.generation.Flaw;
import dev.kip.disk.Disk;
import dev.kip.sim.disk.Fate;
import dev.kip.sim.kubelet.SimKubelet;
import dev.kip.sim.kubelet.SimNode;
import dev.kip.sim.scenario.Globs;
import dev.kip.sim.scenario.Nodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The machines of a plane, as words of stories have them. */
final class PlaneNodes implements Nodes {

    private static final Path STORED = Path.of("/var/lib/kip-checkpointer/pods");

    private final Plane plane;
    private int rolls;

    PlaneNodes(Plane plane) {
        this.plane = plane;
    }

    private SimNode node(String name) {
        return plane.nodes.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no node " + name));
    }

    private void tell(String node, String text) {
        plane.kernel().trace().line(plane.kernel().elapsed(), node, text);
    }

    @Override
    public ImmutableList<String> names() {
        return plane.nodes.stream().map(SimNode::name).collect(ImmutableList.toImmutableList());
    }

    @Override
    public void powerOff(String node, Fate unsynced) {
        if (node(node).on()) {
            tell(node, "the power fails");
            node(node).powerOff(unsynced);
        }
    }

    @Override
    public void powerOn(String node) {
        if (!node(node).on()) {
            tell(node, "is switched on");
            node(node).powerOn();
        }
    }

    @Override
    public void after(Duration time, Runnable task) {
        plane.kernel().schedule(time, task);
    }

    @Override
    public void restartKubelet(String node) {
        tell(node, "kubelet is restarted");
        node(node).restartKubelet();
    }

    @Override
    public void runtimeAnswers(String node, boolean answers) {
        tell(node, "the container runtime " + (answers ? "answers" : "does not answer"));
        node(node).runtime().answers(answers);
    }

    @Override
    public void crash(String node, String podGlob) {
        node(node).runtime().crash(name -> Globs.matches(podGlob, name));
    }

    @Override
    public void rollCheckpointer(String node) {
        tell(node, "a new checkpointer is rolled out");
        plane.rollCheckpointer(node(node), Plane.CHECKPOINTER_PROGRAM + "-roll" + ++rolls);
    }

    @Override
    public void apiServerElsewhere(boolean runs) {
        plane.another(runs);
    }

    @Override
    public void clock(String node, Optional<Instant> shows) {
        tell(node, "the clock is " + shows.map(Instant::toString).orElse("right"));
        node(node)
                .skewClock(shows.map(at -> Duration.between(plane.kernel().now(), at))
                        .orElse(Duration.ZERO));
    }

    @Override
    public void certificate(Holder of, String node, boolean good) {
        String whose = switch (of) {
            case KUBELET -> Plane.kubelet(node);
            case CHECKPOINTER -> Plane.checkpointer(node);
            case API_SERVER -> Plane.SERVING;
        };
        tell(node, "the certificate of " + whose + " is " + (good ? "renewed" : "expired"));
        if (good) {
            plane.credentials().issue(whose, plane.kernel().now());
        } else {
            plane.credentials().expire(whose, plane.kernel().now());
        }
    }

    @Override
    public void removeManifests(String node, String fileGlob) {
        Disk disk = node(node).disk().as("somebody");
        int removed = 0;
        try {
            for (Disk.Entry entry : disk.list(SimKubelet.MANIFESTS)) {
                if (!entry.name().startsWith(".") && Globs.matches(fileGlob, entry.name())) { // as a shell does
                    disk.remove(SimKubelet.MANIFESTS.resolve(entry.name()));
                    tell(node, "somebody removes " + entry.name());
                    removed++;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (removed == 0) {
            throw new IllegalStateException(node + " has no manifest " + fileGlob);
        }
    }

    @Override
    public void removeCheckpoints(String node) {
        tell(node, "somebody removes all checkpoints");
        plane.empties(node(node));
        try {
            removeAll(node(node).disk().as("somebody"), STORED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void removeAll(Disk disk, Path directory) throws IOException {
        for (Disk.Entry entry : disk.list(directory)) {
            Path path = directory.resolve(entry.name());
            if (entry.kind() == Disk.Kind.DIRECTORY) {
                removeAll(disk, path);
            } else {
                disk.remove(path);
            }
        }
        disk.remove(directory);
    }

    @Override
    public void disk(String node, DiskState state) {
        tell(node, "the disk is " + state);
        node(node).disk().room(state == DiskState.FULL ? 0 : Long.MAX_VALUE);
        node(node).disk().readOnly(state == DiskState.READ_ONLY);
    }

    @Override
    public boolean serves(String node) {
        return plane.serves(node(node));
    }

    @Override
    public ImmutableList<String> running(String node) {
        return node(node).runtime().running();
    }

    @Override
    public ImmutableList<String> log(String node) {
        return node(node).log().stream().map(SimKubelet.Logged::line).collect(ImmutableList.toImmutableList());
    }

    @Override
    public ImmutableMap<String, String> checkpoints(String node) {
        return plane.status(node(node)).pods().stream()
                .collect(ImmutableMap.toImmutableMap(
                        pod -> pod.key().toString(), pod -> String.join("; ", pod.objections())));
    }

    @Override
    public ImmutableList<String> remarks(String node) {
        NodeStatus status = plane.status(node(node));
        ImmutableList.Builder<String> remarks = ImmutableList.builder();
        for (PodLine pod : status.pods()) {
            pod.remarks().forEach(text -> remarks.add(pod.key() + ": " + text));
        }
        for (Flaw flaw : status.flaws()) {
            remarks.add(flaw.path() + " " + flaw.message());
        }
        return remarks.addAll(status.problems()).build();
    }
}
