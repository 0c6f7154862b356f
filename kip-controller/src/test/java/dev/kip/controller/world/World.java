package dev.kip.controller.world;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.Controller;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.ControllerSettings.CellSettings;
import dev.kip.controller.ControllerSettings.DaemonSets;
import dev.kip.controller.ControllerSettings.LaunchSettings;
import dev.kip.controller.ControllerSettings.NodeSettings;
import dev.kip.controller.ControllerSettings.OwnershipSettings;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.gc.Gates;
import dev.kip.controller.gc.GcSettings;
import dev.kip.entropy.Entropy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** An API server, a cloud, cells and, as a rule, one controller. */
final class World {

    static final String NODE = "kip";
    static final JsonMapper JSON = JsonMapper.builder().build();

    final VirtualTime time;
    final Faults faults;
    final FakeKube kube;
    final FakeCloud cloud;
    final FakeCells cells;
    final FakeAnchors anchors;
    final List<String> anomalies = new ArrayList<>();

    /** Why the controller may not act although it leads; empty if it may. */
    Optional<String> blocked = Optional.empty();

    private boolean anchored;
    private String node = NODE;
    private OwnershipSettings ownership = OwnershipSettings.DEFAULTS;
    private FakeProcess process;
    private Optional<Controller> controller = Optional.empty();
    private int processes;
    private DaemonSets daemonSets = DaemonSets.SKIP;
    private Gates gates = Gates.standard();
    private GcSettings gc = GcSettings.DEFAULTS;

    World() {
        time = new VirtualTime();
        faults = new Faults(time);
        kube = new FakeKube(time, faults);
        cloud = new FakeCloud(time, faults);
        cells = new FakeCells(time, faults, cloud);
        anchors = new FakeAnchors(time, faults);
        process = new FakeProcess(time);
        kube.put("namespaces", kubeSystem("cluster-1"));
    }

    private World(World beside, FakeKube kube) {
        time = beside.time;
        faults = beside.faults;
        this.kube = kube;
        cloud = beside.cloud;
        cells = beside.cells;
        anchors = beside.anchors;
        anchored = beside.anchored;
        process = new FakeProcess(time);
        processes = beside.processes + 100;
        ownership = beside.ownership;
    }

    private static ObjectNode kubeSystem(String uid) {
        return JSON.readValue("{\"metadata\":{\"name\":\"kube-system\",\"uid\":\"" + uid + "\"}}", ObjectNode.class);
    }

    /** One whose pods {@code web-0} to {@code web-(pods-1)} are ready. */
    static World running(int pods) {
        World world = new World().start();
        for (int i = 0; i < pods; i++) {
            world.createPod("web-" + i);
        }
        return world.until("all are ready", Duration.ofMinutes(2), () -> world.allReady(pods));
    }

    /** Another cluster against the same cloud, with a copy of everything that this one's API server holds. */
    World copy() {
        FakeKube other = new FakeKube(time, faults);
        other.restore(kube.backup());
        return new World(this, other);
    }

    /** Another cluster against the same cloud, with nothing in it. */
    World recreated() {
        FakeKube other = new FakeKube(time, faults);
        other.put("namespaces", kubeSystem("cluster-2"));
        return new World(this, other);
    }

    /** Another virtual node of the same installation: a controller of its own in the same cluster. */
    World shard(String name) {
        World other = new World(this, kube);
        other.node = name;
        return other;
    }

    /** With a store outside the cluster. */
    World anchored() {
        anchored = true;
        return this;
    }

    World owning(OwnershipSettings settings) {
        ownership = settings;
        return this;
    }

    World runDaemonSets() {
        daemonSets = DaemonSets.RUN;
        return this;
    }

    World behind(Gates planted) {
        gates = planted;
        return this;
    }

    World collecting(GcSettings settings) {
        gc = settings;
        return this;
    }

    ControllerSettings settings(String identity) {
        return ControllerSettings.of(
                        identity,
                        new NodeSettings(
                                node,
                                true,
                                ImmutableMap.of("cpu", "1000", "memory", "1000Gi", "pods", "1000"),
                                ImmutableMap.of(),
                                Optional.of("192.0.2.1"),
                                10250,
                                "0.1.0"),
                        new LaunchSettings(
                                "us-east-1",
                                Optional.empty(),
                                Optional.empty(),
                                ImmutableMap.of(),
                                "t3.nano",
                                true,
                                5,
                                false,
                                ImmutableList.of(),
                                ImmutableList.of(),
                                Optional.empty(),
                                Optional.empty()),
                        CellSettings.of(daemonSets),
                        Timing.DEFAULTS.withCloudConsistency(Duration.ofSeconds(30)))
                .with(gc)
                .with(ownership);
    }

    /** Starts a controller process; if it was dead, it is another one. */
    World start() {
        process = new FakeProcess(time);
        controller = Optional.of(build(process));
        guarded(() -> controller.orElseThrow().start());
        return this;
    }

    /** A replica beside the one that {@link #start} started. */
    FakeProcess startAnother() {
        FakeProcess other = new FakeProcess(time);
        build(other).start();
        return other;
    }

    private Controller build(FakeProcess in) {
        String identity = "controller-" + ++processes;
        return new Controller(
                in,
                kube.open(in),
                cloud.open(in),
                anchored ? Optional.of(anchors.open(in)) : Optional.empty(),
                keys -> cells.open(in),
                new Seeded(processes),
                settings(identity),
                new ControllerListener() {
                    @Override
                    public void blocked(Optional<String> why) {
                        blocked = why;
                    }

                    @Override
                    public void anomaly(String what, String detail) {
                        anomalies.add(what + ": " + detail);
                    }
                },
                gates);
    }

    FakeProcess process() {
        return process;
    }

    void stop() {
        controller.orElseThrow().stop();
    }

    World pass(Duration span) {
        long end = time.nanos() + span.toNanos();
        while (time.nanos() < end) {
            long left = Math.min(end - time.nanos(), Duration.ofSeconds(1).toNanos());
            guarded(() -> time.advance(Duration.ofNanos(left)));
        }
        return this;
    }

    /** A process that dies unwinds its stack; the world goes on. */
    private static void guarded(Runnable body) {
        try {
            body.run();
        } catch (Faults.Crash crash) {
            // the process is dead, which is what was asked for
        }
    }

    World until(String what, Duration most, BooleanSupplier holds) {
        long end = time.nanos() + most.toNanos();
        while (!holds.getAsBoolean()) {
            if (time.nanos() >= end) {
                throw new AssertionError("not within " + most + ": " + what);
            }
            guarded(() -> time.advance(Duration.ofMillis(10)));
        }
        return this;
    }

    ObjectNode createPod(String name) {
        return createPod(name, pod -> pod);
    }

    ObjectNode createPod(String name, UnaryOperator<ObjectNode> change) {
        ObjectNode pod = JSON.readValue("""
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"namespace": "default", "labels": {"app": "web"}},
                 "spec": {"terminationGracePeriodSeconds": 30,
                          "containers": [{"name": "main", "image": "nginx"}]},
                 "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True"}]}}
                """, ObjectNode.class);
        pod.withObject("/metadata").put("name", name);
        pod.withObject("/spec").put("nodeName", node);
        return kube.put("pods", change.apply(pod));
    }

    String phase(String name) {
        return kube.pod(name)
                .map(pod -> pod.path("status").path("phase").asString(""))
                .orElse("gone");
    }

    boolean ready(String name) {
        return kube.pod(name)
                .map(pod -> pod.path("status").path("conditions").toString().contains("\"Ready\",\"status\":\"True\""))
                .orElse(false);
    }

    /** Whether {@code web-0} to {@code web-(pods-1)} are. */
    boolean allReady(int pods) {
        for (int i = 0; i < pods; i++) {
            if (!ready("web-" + i)) {
                return false;
            }
        }
        return true;
    }

    String uid(String name) {
        return kube.pod(name).orElseThrow().path("metadata").path("uid").asString("");
    }

    /** Reasons of the events on pods. */
    List<String> events() {
        return eventsOn("Pod");
    }

    List<String> eventsOn(String kind) {
        return kube.all("events").stream()
                .filter(event ->
                        event.path("involvedObject").path("kind").asString("").equals(kind))
                .map(event -> event.path("reason").asString(""))
                .toList();
    }

    /** The same for the same seed. */
    static final class Seeded implements Entropy {
        private final long seed;
        private final Random random;

        Seeded(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        @Override
        public byte[] bytes(int count) {
            byte[] bytes = new byte[count];
            random.nextBytes(bytes);
            return bytes;
        }

        @Override
        public long below(long bound) {
            return Math.floorMod(random.nextLong(), bound);
        }

        @Override
        public Entropy fork(String name) {
            return new Seeded(seed * 31 + name.hashCode());
        }
    }
}
