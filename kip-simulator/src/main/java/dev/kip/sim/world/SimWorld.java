package dev.kip.sim.world;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.config.ProviderConfig;
import dev.kip.controller.config.ProviderKeys;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.config.Surroundings;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.cell.CellTimes;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.cell.SimCells;
import dev.kip.sim.cell.SimulatedHost;
import dev.kip.sim.ec2.Ec2Settings;
import dev.kip.sim.ec2.InstanceListener;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.scenario.Fault;
import dev.kip.sim.scenario.FaultPlan;
import dev.kip.sim.scenario.Globs;
import dev.kip.sim.scenario.Outcomes.Problem;
import dev.kip.sim.scenario.Runner.SimulatedWorld;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.Templates;
import dev.kip.sim.workloads.Workloads;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The whole world of a story in virtual time. */
public final class SimWorld implements SimulatedWorld {

    private static final Instant BEGINNING = Instant.parse("2030-01-01T00:00:00Z");
    private static final URI KUBERNETES = URI.create("https://kubernetes.sim:443");
    private static final String EC2_HOST = "ec2.sim";
    private static final int EC2_PORT = 4566;

    private static final ImmutableMap<String, String> ROOMY =
            ImmutableMap.of("cpu", "100000", "memory", "1000Ti", "pods", "100000");

    private final Kernel kernel;
    private final SimNetwork network;
    private final ApiClient api;
    private final SimEc2 ec2;
    private final SimCells cells;
    private final GroundTruth truth = new GroundTruth();
    private final Mirror mirror;
    private final Invariants invariants;
    private final FaultPlan faults;
    private final Scenario scenario;
    private final Map<String, Replica> replicas = new TreeMap<>();
    private final Map<String, Integer> incarnations = new TreeMap<>();
    private long changes;

    private SimWorld(Scenario scenario, long seed, boolean keepTimeline) {
        this.scenario = scenario;
        this.kernel = new Kernel(seed, BEGINNING, new Trace(keepTimeline));
        this.network = new SimNetwork(kernel, Requests::describe);
        this.faults = new FaultPlan(scenario.faults(), this::restartAfterDeath);
        network.faults(faults);

        SimProcess kubeProcess = new SimProcess(kernel, "kubernetes");
        ApiServer server = new ApiServer(kubeProcess, kernel.entropy("kubernetes"), ApiServerSettings.DEFAULT);
        network.listen(KUBERNETES.getHost(), KUBERNETES.getPort(), "kubernetes", kubeProcess, server);
        this.api = server.client();
        Definitions.install(api);
        new Workloads(api, kubeProcess, kernel.entropy("workloads")).start();

        SimProcess ec2Process = new SimProcess(kernel, "ec2");
        this.ec2 = new SimEc2(ec2Process, kernel.entropy("ec2"), Ec2Settings.realistic());
        network.listen(EC2_HOST, EC2_PORT, "ec2", ec2Process, ec2);
        this.cells = new SimCells(
                new SimulatedHost(kernel, network), ec2Process, kernel.entropy("cells"), CellTimes.realistic(), truth);
        ec2.listen(new InstanceListener() {
            @Override
            public void started(String instanceId, String privateIp, String userData) {
                changed("ec2", instanceId + " runs at " + privateIp);
                cells.started(instanceId, privateIp, userData);
            }

            @Override
            public void ended(String instanceId) {
                changed("ec2", instanceId + " is off");
                cells.ended(instanceId);
            }
        });

        this.invariants = new Invariants(kernel, truth);
        this.mirror = new Mirror(api, this::objectChanged);
        ImmutableMap.of("pod", "", "node", "", "deployment", "apps", "replicaset", "apps", "daemonset", "apps")
                .forEach((word, group) -> mirror.follow(word, group, word + "s"));
        mirror.follow("cell", "kip.elotl.co", "cells");
        mirror.follow("launchbatch", "kip.elotl.co", "launchbatches");
        mirror.follow("installation", "kip.elotl.co", "installations");
        kernel.afterEach(invariants::look);
    }

    /** The world in which {@code scenario} begins: everything is there, and the controllers start. */
    public static SimWorld make(Scenario scenario, long seed, boolean keepTimeline) {
        SimWorld world = new SimWorld(scenario, seed, keepTimeline);
        scenario.given().daemonSets().forEach(name -> world.create(Templates.daemonSet(name)));
        scenario.given().capacityErrors().forEach(type -> world.ec2.capacity().leave(type, "*", "*", 0));
        for (int i = 0; i < scenario.given().controllers(); i++) {
            world.startController("kip-" + i);
        }
        return world;
    }

    private void changed(String actor, String text) {
        changes++;
        kernel.trace().line(kernel.elapsed(), actor, text);
    }

    private void objectChanged(String event, ObjectNode object) {
        String name = object.at("/metadata/name").asString("");
        if (event.equals("MODIFIED pod")) {
            invariants.podChanged(object);
            Story.podLine(object).ifPresent(line -> kernel.trace().line(kernel.elapsed(), "kubernetes", line));
        } else if (event.endsWith(" pod") || event.endsWith(" cell") || event.endsWith(" node")) {
            kernel.trace().line(kernel.elapsed(), "kubernetes", event + " " + name);
        }
    }

    private void restartAfterDeath(Fault fault, String sender) {
        fault.restartAfter().ifPresent(delay -> kernel.schedule(delay, () -> startController(sender)));
    }

    @Override
    public Duration elapsed() {
        return kernel.elapsed();
    }

    @Override
    public Kernel kernel() {
        return kernel;
    }

    @Override
    public long version() {
        return changes + mirror.version();
    }

    @Override
    public void create(ObjectNode object) {
        String kind = object.path("kind").asString("").toLowerCase(java.util.Locale.ROOT);
        String namespace = object.at("/metadata/namespace").asString("");
        api.create(mirror.type(kind), namespace, object);
    }

    @Override
    public void delete(String kind, String namespace, String name, Optional<Long> graceSeconds) {
        ObjectNode options = JsonNodeFactory.instance.objectNode();
        options.put("propagationPolicy", "Background");
        graceSeconds.ifPresent(grace -> options.put("gracePeriodSeconds", grace));
        api.delete(mirror.type(kind), namespace, name, options);
    }

    @Override
    public void scale(String kind, String namespace, String name, int replicas) {
        ObjectNode object = api.get(mirror.type(kind), namespace, name)
                .orElseThrow(() -> new IllegalStateException("there is no " + kind + " " + namespace + "/" + name));
        ((ObjectNode) object.path("spec")).put("replicas", replicas);
        api.update(mirror.type(kind), "", object);
    }

    @Override
    public ImmutableList<ObjectNode> objects(String kind) {
        return mirror.objects(kind);
    }

    @Override
    public void startController(String replica) {
        Replica before = replicas.get(replica);
        if (before != null && before.process().alive()) {
            return; // the story and a fault may both want it to run again
        }
        int incarnation = incarnations.merge(replica, 1, Integer::sum);
        changed("world", "start " + replica);
        SimProcess process = new SimProcess(kernel, replica);
        replicas.put(
                replica,
                new Replica(
                        kernel,
                        network,
                        process,
                        kernel.entropy(replica).fork("incarnation " + incarnation),
                        KUBERNETES,
                        config(replica),
                        () -> changes++));
    }

    private ResolvedConfig config(String replica) {
        ProviderConfig config = ProviderConfig.defaults()
                .with(ProviderKeys.NODE_NAME, scenario.given().node())
                .with(ProviderKeys.NODE_TAINT, scenario.given().taint())
                .with(ProviderKeys.CAPACITY, ROOMY)
                .with(ProviderKeys.REGION, Optional.of("us-east-1"))
                .with(ProviderKeys.ENDPOINT_URL, Optional.of("http://" + EC2_HOST + ":" + EC2_PORT))
                .with(ProviderKeys.IMAGE_OWNERS, Optional.of("amazon"))
                .with(ProviderKeys.IMAGE_FILTERS, Optional.of("name=al2023-ami-*"))
                .with(ProviderKeys.CONSISTENCY_WINDOW, Duration.ofMinutes(2));
        return ResolvedConfig.of(
                        config, new Surroundings(ImmutableMap.of(), replica, "0.1.0"), "the world's configuration")
                .value()
                .orElseThrow(() -> new IllegalStateException("the world's own configuration is wrong"));
    }

    @Override
    public void killController(String replica) {
        changed("world", "kill " + replica);
        replica(replica).process().kill();
    }

    @Override
    public void pauseController(String replica, Duration length) {
        changed("world", "pause " + replica + " for " + length.toMillis() + " ms");
        replica(replica).process().pause(length);
    }

    private Replica replica(String name) {
        Replica replica = replicas.get(name);
        if (replica == null) {
            throw new IllegalStateException("there is no controller " + name + ", only " + replicas.keySet());
        }
        return replica;
    }

    @Override
    public Optional<String> leader() {
        return replicas.entrySet().stream()
                .filter(entry -> entry.getValue().leading())
                .map(Map.Entry::getKey)
                .findFirst();
    }

    @Override
    public ImmutableList<Machine> machines() {
        return ec2.instances().stream()
                .map(i -> new Machine(i.id(), i.state(), i.tags().getOrDefault("KipControllerID", "")))
                .collect(ImmutableList.toImmutableList());
    }

    @Override
    public void terminate(String instanceId) {
        changed("world", "end " + instanceId + " from outside");
        ec2.endFromOutside(instanceId);
    }

    @Override
    public long calls(String from, String to, String action) {
        return sum(counted -> Globs.matches(from, counted.from())
                && Globs.matches(to, counted.to())
                && Globs.matches(action, counted.action()));
    }

    @Override
    public long mutatingCalls(String from) {
        return sum(counted -> counted.mutating() && Globs.matches(from, counted.from()));
    }

    private long sum(Predicate<SimNetwork.Counted> wanted) {
        return network.counts().entrySet().stream()
                .filter(entry -> wanted.test(entry.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    @Override
    public ImmutableList<Problem> violations() {
        return invariants.violations();
    }

    @Override
    public ImmutableList<Fault> missedFaults() {
        return faults.missed();
    }

    @Override
    public void finish() {
        invariants.look();
    }

    public SimEc2 ec2() {
        return ec2;
    }

    public ApiClient api() {
        return api;
    }

    public SimNetwork network() {
        return network;
    }

    public GroundTruth truth() {
        return truth;
    }
}
