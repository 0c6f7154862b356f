package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.crd.CrdManifests;
import dev.kip.entropy.SecureEntropy;
import dev.kip.sim.cell.MappedAddresses;
import dev.kip.sim.cell.PlayedCells;
import dev.kip.sim.embedded.LoopbackCertificate;
import dev.kip.sim.scenario.Fault;
import dev.kip.sim.scenario.Globs;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.Templates;
import dev.kip.sim.scenario.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** A story's world in wall time: servers that answer over the network, controllers as processes, cells behind sockets. */
final class WallWorld implements World, AutoCloseable {

    private static final String NAMESPACE = "kube-system";
    private static final String KUBERNETES = "kubernetes";

    private final long began = System.nanoTime();
    private final Scenario scenario;
    private final Path folder;
    private final TrustedTls tls;
    private final Cloud cloud;
    private final CellWays cellWays;
    private final PlayedCells cells;
    private final Plane plane;
    private final AdminApi admin;
    private final Traffic traffic;
    private final CloudGate gate;
    private final Path addresses;
    private final Map<String, Replica> replicas = new TreeMap<>();
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "later");
        thread.setDaemon(true);
        return thread;
    });
    private final Consumer<String> told;
    private Optional<String> installation = Optional.empty();

    /** @param told what happens to the world, line by line */
    private WallWorld(WorldKind kind, WallParts parts, Path folder, Scenario scenario, Consumer<String> told)
            throws IOException {
        this.gate = new CloudGate(parts.constants());
        this.scenario = scenario;
        this.folder = folder;
        this.told = told;
        SecureEntropy entropy = new SecureEntropy();
        this.tls = TrustedTls.of(LoopbackCertificate.create(Instant.now()));
        this.traffic = new Traffic(scenario.faults());
        this.addresses = folder.resolve("addresses.json");
        Files.createDirectories(folder);
        this.cloud = Cloud.open(
                parts,
                folder,
                Long.toString(entropy.below(1L << 40), 36),
                scenario.given().anchor());
        CellWays[] ways = new CellWays[1];
        this.cells = PlayedCells.start(cloud.ec2(), loop -> {
            try {
                ways[0] = new CellWays(new MappedAddresses(addresses, loop));
                return ways[0];
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        this.cellWays = ways[0];
        this.plane = open(kind, parts, entropy);
        this.admin = plane.admin();
    }

    private Plane open(WorldKind kind, WallParts parts, SecureEntropy entropy) throws IOException {
        try {
            return switch (kind) {
                case REAL -> RealPlane.start(parts, folder, tls, entropy);
                case MOCK -> MockPlane.start(tls);
                case SIMULATED -> throw new IllegalArgumentException("the world " + kind + " has virtual time");
            };
        } catch (IOException | RuntimeException e) {
            cells.close();
            cloud.close();
            throw e;
        }
    }

    /** The world in which the story begins: everything answers, and the controllers have been started. */
    static WallWorld begin(WorldKind kind, WallParts parts, Path folder, Scenario scenario, Consumer<String> told)
            throws IOException {
        WallWorld world = new WallWorld(kind, parts, folder, scenario, told);
        try {
            scenario.given().daemonSets().forEach(name -> world.create(FIRST_CLUSTER, Templates.daemonSet(name)));
            for (int i = 0; i < scenario.given().controllers(); i++) {
                world.startController("kip-" + i, ImmutableMap.of());
            }
            return world;
        } catch (RuntimeException e) {
            world.close();
            throw e;
        }
    }

    @Override
    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Override
    public void create(String cluster, ObjectNode object) {
        admin.create(object);
    }

    @Override
    public void delete(String cluster, String kind, String namespace, String name, Optional<Long> graceSeconds) {
        admin.delete(kind, namespace, name, graceSeconds);
    }

    @Override
    public void scale(String cluster, String kind, String namespace, String name, int count) {
        admin.scale(kind, namespace, name, count);
    }

    @Override
    public void update(String cluster, String kind, ObjectNode object) {
        admin.update(kind, object);
    }

    @Override
    public ImmutableList<ObjectNode> objects(String cluster, String kind) {
        ImmutableList<ObjectNode> found = admin.list(kind);
        if (kind.equals("installation")) {
            remember(found);
        }
        return found;
    }

    private void remember(ImmutableList<ObjectNode> installations) {
        installations.stream()
                .map(one -> one.at("/spec/installationID").asString(""))
                .findFirst()
                .ifPresent(id -> installation = Optional.of(id));
    }

    @Override
    public void installDefinitions(String cluster) {
        CrdManifests.all().forEach(admin::createOnce);
    }

    @Override
    public void backup(String cluster, String name) {
        told.accept("back up as " + name);
        doing(() -> plane.backup(name));
    }

    @Override
    public void restore(String cluster, String name) {
        told.accept("restore from " + name);
        doing(() -> plane.restore(name));
        cells.historyRewritten();
    }

    @Override
    public void recreate(String cluster) {
        told.accept("re-create the cluster");
        killController("*");
        installation = Optional.empty();
        doing(plane::recreate);
    }

    private interface Doing {
        void run() throws IOException;
    }

    private static void doing(Doing what) {
        try {
            what.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void startController(String replica, ImmutableMap<String, String> config) {
        told.accept("start " + replica);
        Replica one = replica(replica);
        one.start(WallConfig.yaml(
                scenario.given(), node(replica), one.cloudAddress(), cloud.anchor(), addresses, config));
    }

    private synchronized Replica replica(String name) {
        Replica known = replicas.get(name);
        if (known != null) {
            return known;
        }
        try {
            Replica made = new Replica(
                    name,
                    folder.resolve("controllers").resolve(name.replace('@', '.')),
                    plane,
                    tls,
                    cloud.url(),
                    traffic,
                    gate,
                    () -> died(name));
            replicas.put(name, made);
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String node(String replica) {
        int at = replica.indexOf('@');
        return at < 0 ? scenario.given().node() : replica.substring(at + 1);
    }

    /** Of a request of its own, as a fault of the story has it. */
    private void died(String replica) {
        told.accept(replica + " died of its request");
        scenario.faults().stream()
                .filter(fault -> Globs.matches(fault.from(), replica))
                .flatMap(fault -> fault.restartAfter().stream())
                .findFirst()
                .ifPresent(delay -> later.schedule(
                        () -> startController(replica, ImmutableMap.of()), delay.toMillis(), TimeUnit.MILLISECONDS));
    }

    private synchronized ImmutableMap<String, Replica> living(String glob) {
        return replicas.entrySet().stream()
                .filter(entry -> Globs.matches(glob, entry.getKey()))
                .filter(entry -> entry.getValue().isAlive())
                .collect(ImmutableMap.toImmutableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private void each(String glob, String what, Consumer<Replica> action) {
        living(glob).forEach((name, one) -> {
            told.accept(what + " " + name);
            action.accept(one);
        });
    }

    @Override
    public void killController(String replica) {
        each(replica, "kill", Replica::kill9);
    }

    @Override
    public void stopController(String replica) {
        each(replica, "stop", Replica::stop);
    }

    @Override
    public void pauseController(String replica, Duration length) {
        each(replica, "pause for " + length.toMillis() + " ms", one -> one.pause(length));
    }

    @Override
    public void cut(String from, String to) {
        told.accept("cut " + from + " off " + to);
        if (Globs.matches(to, "cell/*")) {
            cellWays.cut();
            return;
        }
        ImmutableList.copyOf(replicas.entrySet()).stream()
                .filter(entry -> Globs.matches(from, entry.getKey()))
                .map(Map.Entry::getValue)
                .forEach(one -> (to.equals(KUBERNETES) ? one.kubernetes() : one.cloud()).cut());
    }

    @Override
    public void heal() {
        told.accept("all ways are whole again");
        gate.heal();
        cellWays.heal();
        replicas.values().forEach(one -> {
            one.kubernetes().heal();
            one.cloud().heal();
        });
    }

    /** Who lives, holds the lease of its node, and has renewed it within its duration. */
    @Override
    public ImmutableList<String> leaders() {
        return living("*").keySet().stream()
                .filter(name -> admin.get("lease", NAMESPACE, "kip-" + node(name))
                        .filter(WallWorld::isFresh)
                        .map(lease -> lease.at("/spec/holderIdentity").asString(""))
                        .filter(holder -> holder.startsWith(Replica.identity(name) + "_"))
                        .isPresent())
                .collect(ImmutableList.toImmutableList());
    }

    private static boolean isFresh(ObjectNode lease) {
        String renewed = lease.at("/spec/renewTime").asString("");
        long seconds = lease.at("/spec/leaseDurationSeconds").asLong(0);
        return !renewed.isEmpty() && Instant.parse(renewed).plusSeconds(seconds).isAfter(Instant.now());
    }

    @Override
    public ImmutableList<Machine> machines() {
        return cloud.machines();
    }

    @Override
    public Optional<String> installationOf(String cluster) {
        remember(admin.list("installation"));
        return installation;
    }

    @Override
    public void terminate(String instanceId) {
        told.accept("end " + instanceId + " from outside");
        cloud.terminate(instanceId);
    }

    @Override
    public void stop(String instanceId) {
        told.accept("stop " + instanceId + " from outside");
        cloud.stop(instanceId);
    }

    @Override
    public void deny(String action) {
        told.accept("nobody may call " + action + " any more");
        gate.deny(action);
    }

    @Override
    public void noRoom(String type, String zone, String market) {
        told.accept("no room for " + type + " in " + zone + ", " + market);
        gate.noRoom();
    }

    @Override
    public void tag(String instanceId, Map<String, String> set, ImmutableList<String> remove) {
        told.accept("edit the tags of " + instanceId);
        cloud.tag(instanceId, set, remove);
    }

    @Override
    public void launchStrangers(int count, ImmutableMap<String, String> tags) {
        told.accept("launch " + count + " instances of nobody's");
        cloud.launchStrangers(count, tags);
    }

    @Override
    public int templates() {
        return cloud.templates();
    }

    @Override
    public int securityGroups() {
        return cloud.securityGroups();
    }

    @Override
    public ImmutableList<String> anchorObjects() {
        return cloud.anchorObjects();
    }

    @Override
    public void loseAnchor() {
        told.accept("delete all of the anchor");
        cloud.loseAnchor();
    }

    @Override
    public void mark(String name) {
        traffic.mark(name);
    }

    @Override
    public long calls(String from, String to, String action, Optional<String> since) {
        return traffic.count(from, to, action, since);
    }

    /** What really ran and must never be. */
    ImmutableList<String> violations() {
        return cells.violations();
    }

    ImmutableList<Fault> missedFaults() {
        return traffic.missed();
    }

    /** The last words of every controller. */
    ImmutableList<String> lastWords() {
        return replicas.values().stream().map(Replica::lastWords).collect(ImmutableList.toImmutableList());
    }

    @Override
    public void close() {
        later.shutdownNow();
        replicas.values().forEach(Replica::close);
        plane.close();
        cells.close();
        cellWays.close();
        cloud.close();
    }
}
