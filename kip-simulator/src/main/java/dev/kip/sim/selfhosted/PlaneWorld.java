package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiFailure;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.scenario.Fault;
import dev.kip.sim.scenario.FaultPlan;
import dev.kip.sim.scenario.GivenNodes;
import dev.kip.sim.scenario.Nodes;
import dev.kip.sim.scenario.Outcomes.Problem;
import dev.kip.sim.scenario.Runner.SimulatedWorld;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.world.Counts;
import dev.kip.sim.world.Cuts;
import dev.kip.sim.world.Parts;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The world of stories about machines: a control plane that hosts itself, in virtual time. */
public final class PlaneWorld implements SimulatedWorld {

    private static final Instant BEGINNING = Instant.parse("2030-01-01T00:00:00Z");

    private final Kernel kernel;
    private final Plane plane;
    private final PlaneNodes nodes;
    private final NodeRules rules;
    private final Counts counts;
    private final Cuts cuts;
    private final FaultPlan faults;

    private PlaneWorld(Scenario scenario, GivenNodes given, long seed, boolean keepTimeline, Parts parts) {
        this.kernel = new Kernel(seed, BEGINNING, new Trace(keepTimeline));
        this.plane = new Plane(kernel, given.kubelet(), given.checkpointer(), given.count(), parts);
        this.nodes = new PlaneNodes(plane);
        this.counts = new Counts(plane.network());
        this.cuts = new Cuts(plane.network());
        this.faults = new FaultPlan(scenario.faults(), (fault, sender) -> {});
        this.rules = new NodeRules(plane, given.checkpointer() == Maker.OURS);
        plane.bringUp();
        plane.network().faults(faults);
        rules.look();
        kernel.afterEach(rules::look);
    }

    /**
     * The plane has been brought up, and has run for some minutes.
     *
     * @param parts what its checkpointers are made of
     * @throws IllegalArgumentException if the scenario gives no nodes
     */
    public static PlaneWorld make(Scenario scenario, long seed, boolean keepTimeline, Parts parts) {
        GivenNodes given = scenario.given()
                .nodes()
                .orElseThrow(() -> new IllegalArgumentException(scenario.name() + " gives no nodes"));
        return new PlaneWorld(scenario, given, seed, keepTimeline, parts);
    }

    @Override
    public Kernel kernel() {
        return kernel;
    }

    /** What must hold on its machines. */
    public ImmutableList<NodeRule> invariants() {
        return rules.all();
    }

    @Override
    public Nodes nodes() {
        return nodes;
    }

    @Override
    public Duration elapsed() {
        return kernel.elapsed();
    }

    /** Nearly everything that happens here can be seen. */
    @Override
    public long version() {
        return kernel.executed();
    }

    @Override
    public long requests() {
        return plane.network().requests();
    }

    @Override
    public ImmutableList<Problem> violations() {
        return rules.violations();
    }

    @Override
    public ImmutableList<Fault> missedFaults() {
        return faults.missed();
    }

    @Override
    public void finish() {
        rules.look();
    }

    @Override
    public ImmutableList<ObjectNode> objects(String cluster, String kind) {
        ApiClient api = plane.server().client();
        return api.list(api.resource("", kind + "s"), "");
    }

    @Override
    public void delete(String cluster, String kind, String namespace, String name, Optional<Long> graceSeconds) {
        ApiClient api = plane.server().client();
        ObjectNode options = JsonNodeFactory.instance.objectNode();
        graceSeconds.ifPresent(grace -> options.put("gracePeriodSeconds", grace));
        try {
            api.delete(api.resource("", kind + "s"), namespace, name, options);
        } catch (ApiFailure failure) {
            if (!failure.reason().equals("NotFound")) { // it may have gone by itself
                throw failure;
            }
        }
    }

    @Override
    public void cut(String from, String to) {
        cuts.add(from, to);
    }

    @Override
    public void heal() {
        cuts.heal();
    }

    @Override
    public void mark(String name) {
        counts.mark(name);
    }

    @Override
    public long calls(String from, String to, String action, Optional<String> since) {
        return counts.calls(from, to, action, since);
    }

    @Override
    public void create(String cluster, ObjectNode object) {
        throw noControllers("create");
    }

    @Override
    public void scale(String cluster, String kind, String namespace, String name, int replicas) {
        throw noControllers("scale");
    }

    @Override
    public void startController(String replica, ImmutableMap<String, String> config) {
        throw noControllers("start");
    }

    @Override
    public void killController(String replica) {
        throw noControllers("kill");
    }

    @Override
    public void pauseController(String replica, Duration length) {
        throw noControllers("pause");
    }

    @Override
    public ImmutableList<String> leaders() {
        throw noControllers("leaders");
    }

    @Override
    public ImmutableList<Machine> machines() {
        throw noControllers("instances");
    }

    @Override
    public Optional<String> installationOf(String cluster) {
        throw noControllers("installation");
    }

    @Override
    public void terminate(String instanceId) {
        throw noControllers("terminate");
    }

    private static UnsupportedOperationException noControllers(String word) {
        return new UnsupportedOperationException("a plane of nodes has no controllers of Kip's and no cloud: " + word);
    }
}
