package dev.kip.sim.world;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.gc.GcSettings;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.cell.GroundTruth;
import dev.kip.sim.cell.SimCells;
import dev.kip.sim.cell.SimulatedHost;
import dev.kip.sim.ec2.Ec2Events;
import dev.kip.sim.ec2.Ec2Settings;
import dev.kip.sim.ec2.InstanceListener;
import dev.kip.sim.ec2.SimEc2;
import dev.kip.sim.faults.Fates;
import dev.kip.sim.faults.Site;
import dev.kip.sim.faults.Strike;
import dev.kip.sim.faults.Strikes;
import dev.kip.sim.faults.Watches;
import dev.kip.sim.invariants.Catalogue;
import dev.kip.sim.invariants.Eyes;
import dev.kip.sim.invariants.Invariant;
import dev.kip.sim.kernel.CallFaults;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.scenario.Fault;
import dev.kip.sim.scenario.FaultPlan;
import dev.kip.sim.scenario.Knobs;
import dev.kip.sim.scenario.Outcomes.Problem;
import dev.kip.sim.scenario.Runner.SimulatedWorld;
import dev.kip.sim.scenario.Scenario;
import dev.kip.sim.scenario.Templates;
import dev.kip.sim.scenario.World;
import dev.kip.sim.sqs.SimSqs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** The whole world of a story in virtual time. */
public final class SimWorld implements SimulatedWorld {

    private static final Instant BEGINNING = Instant.parse("2030-01-01T00:00:00Z");

    private final Kernel kernel;
    private final SimNetwork network;
    private final Ec2Settings settings;
    private final SimEc2 ec2;
    private final SimSqs queue;
    private final Outsider outsider;
    private final GroundTruth truth = new GroundTruth();
    private final Clusters clusters;
    private final Replicas replicas;
    private final Cuts cuts;
    private final Anchors anchors;
    private final Catalogue invariants;
    private final FaultPlan faults;
    private final Fates fates = new Fates();
    private final SimCells cells;
    private final Strikes strikes;
    private final List<Problem> violations = new ArrayList<>();
    private final Counts counts;

    /** Actions that EC2 allows nobody. */
    private final Set<String> denied = new LinkedHashSet<>();

    private long changes;

    private SimWorld(Scenario scenario, long seed, boolean keepTimeline, Parts parts) {
        this.kernel = new Kernel(seed, BEGINNING, new Trace(keepTimeline));
        this.network = new SimNetwork(kernel, Requests::describe);
        this.faults = new FaultPlan(scenario.faults(), this::struck);
        network.faults(call -> {
            CallFaults.Fate fate = faults.fateOf(call);
            return fate == CallFaults.Fate.ARRIVES ? fates.fateOf(call) : fate;
        });
        Knobs knobs = scenario.given().knobs();
        Settings.apply(knobs, kernel, network);
        if (parts != Parts.RIGHT) {
            network.filter(parts.wire());
        }
        this.cuts = new Cuts(network);
        this.counts = new Counts(network);
        this.clusters = new Clusters(kernel, network, Settings.kubernetes(knobs), this::objectChanged);
        clusters.add(SimCluster.FIRST, Optional.empty());

        SimProcess ec2Process = new SimProcess(kernel, "ec2");
        this.settings = Settings.ec2(knobs);
        this.ec2 = new SimEc2(ec2Process, kernel.entropy("ec2"), settings);
        ec2.intercept(action -> denied.contains(action) ? Optional.of(SimEc2.forbidden(action)) : Optional.empty());
        this.outsider = new Outsider(ec2);
        network.listen(Places.EC2_HOST, Places.EC2_PORT, "ec2", ec2Process, ec2);
        SimProcess queueProcess = new SimProcess(kernel, "queue");
        this.queue = new SimSqs(queueProcess, kernel.entropy("queue"));
        queue.createQueue(Places.QUEUE);
        network.listen(Places.QUEUE_HOST, Places.QUEUE_PORT, "queue", queueProcess, queue);
        this.cells = new SimCells(
                new SimulatedHost(kernel, network), ec2Process, kernel.entropy("cells"), Settings.cells(knobs), truth);
        cells.onShutdown(ec2::guestShutdown);
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

            @Override
            public void became(String instanceId, String state) {
                queue.send(Places.QUEUE, Ec2Events.stateChange(instanceId, state, ec2Process.now()));
            }
        });
        this.anchors = Anchors.in(kernel, network, scenario.given().anchor());
        this.replicas = new Replicas(
                kernel, network, scenario.given(), parts, anchors.location(), this::replicaChanged, this::collected);
        this.invariants = new Catalogue(new Everything(), collectionBudget(scenario), this::violated);
        network.observe(invariants);
        kernel.afterEach(invariants::look);
        this.strikes = new Strikes(new Struck());
    }

    /** The world in which {@code scenario} begins: everything is there, and the controllers start. */
    public static SimWorld make(Scenario scenario, long seed, boolean keepTimeline) {
        return make(scenario, seed, keepTimeline, Parts.RIGHT);
    }

    /** As {@link #make(Scenario, long, boolean)}, with controllers that are made of these parts. */
    public static SimWorld make(Scenario scenario, long seed, boolean keepTimeline, Parts parts) {
        SimWorld world = new SimWorld(scenario, seed, keepTimeline, parts);
        for (int i = 1; i < scenario.given().clusters(); i++) {
            world.clusters.add(String.valueOf((char) ('a' + i)), Optional.empty());
        }
        scenario.given().capacityErrors().forEach(type -> world.ec2.capacity().leave(type, "*", "*", 0));
        for (String cluster : world.clusters.names()) {
            scenario.given().daemonSets().forEach(name -> world.create(cluster, Templates.daemonSet(name)));
            for (int i = 0; i < scenario.given().controllers(); i++) {
                world.startController(Actor.in(cluster, "kip-" + i), ImmutableMap.of());
            }
        }
        return world;
    }

    private void changed(String actor, String text) {
        changes++;
        kernel.trace().line(kernel.elapsed(), actor, text);
    }

    private void objectChanged(String cluster, String event, String kind, ObjectNode object) {
        invariants.changed(cluster, event, kind, object);
        kernel.trace().witness().object(kernel.elapsed(), cluster, event, kind, object);
        String actor = SimCluster.service(cluster);
        if (kind.equals("pod") && event.equals("MODIFIED")) {
            kernel.trace().line(kernel.elapsed(), actor, Story.podLine(object));
        } else if (kind.equals("pod") || kind.equals("cell") || kind.equals("node")) {
            kernel.trace()
                    .line(
                            kernel.elapsed(),
                            actor,
                            event + " " + kind + " "
                                    + object.at("/metadata/name").asString(""));
        }
    }

    private void replicaChanged(Replica replica) {
        changes++;
        if (replica.leading()) {
            invariants.leads(sender(replica));
        }
    }

    private static int collectionBudget(Scenario scenario) {
        String said = scenario.given().config().get("gc.maxCount");
        return said == null ? GcSettings.DEFAULTS.maxCount() : Integer.parseInt(said);
    }

    private void collected(Replica replica, String instanceId) {
        invariants.collected(sender(replica), instanceId);
    }

    private Eyes.Sender sender(Replica replica) {
        Actor actor = replica.actor();
        return new Eyes.Sender(
                actor.text(),
                actor.cluster(),
                replica.node(),
                replica.epoch(),
                clusters.installationOf(actor.cluster()).orElse(""));
    }

    private void violated(String invariant, String text) {
        violations.add(new Problem(invariant, text));
        kernel.trace().line(kernel.elapsed(), "invariant", invariant + ": " + text);
    }

    private void struck(Fault fault, String sender) {
        fault.suspend().ifPresent(length -> suspendController(sender, length));
        fault.restartAfter()
                .ifPresent(delay -> kernel.schedule(delay, () -> startController(sender, ImmutableMap.of())));
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
        return changes + clusters.version() + queue.log().total();
    }

    @Override
    public long requests() {
        return network.requests();
    }

    @Override
    public void create(String cluster, ObjectNode object) {
        clusters.get(cluster).create(object);
    }

    @Override
    public void delete(String cluster, String kind, String namespace, String name, Optional<Long> graceSeconds) {
        clusters.get(cluster).delete(kind, namespace, name, graceSeconds);
        if (kind.equals("lease")) {
            invariants.leaseDeleted(cluster);
        }
    }

    @Override
    public void scale(String cluster, String kind, String namespace, String name, int replicas) {
        clusters.get(cluster).scale(kind, namespace, name, replicas);
    }

    @Override
    public void update(String cluster, String kind, ObjectNode object) {
        clusters.get(cluster).update(kind, object);
    }

    @Override
    public ImmutableList<ObjectNode> objects(String cluster, String kind) {
        return clusters.get(cluster).objects(kind);
    }

    @Override
    public void installDefinitions(String cluster) {
        clusters.get(cluster).installDefinitions();
    }

    @Override
    public void backup(String cluster, String name) {
        changed("world", "back up cluster " + cluster + " as " + name);
        clusters.backup(cluster, name);
    }

    @Override
    public void restore(String cluster, String name) {
        changed("world", "restore cluster " + cluster + " from " + name);
        clusters.restore(cluster, name);
        truth.historyRewritten();
        invariants.replaced(cluster);
    }

    @Override
    public void cloneCluster(String from, String to) {
        changed("world", "clone cluster " + from + " to " + to);
        clusters.add(to, Optional.of(clusters.get(from).backup()));
        truth.historyRewritten();
    }

    @Override
    public void recreate(String cluster) {
        changed("world", "re-create cluster " + cluster);
        replicas.killAll(cluster);
        clusters.recreate(cluster);
        invariants.replaced(cluster);
    }

    @Override
    public void destroy(String cluster) {
        changed("world", "destroy cluster " + cluster);
        replicas.killAll(cluster);
        clusters.destroy(cluster);
        invariants.destroyed(cluster);
    }

    @Override
    public void startController(String replica, ImmutableMap<String, String> config) {
        if (replicas.start(Actor.parse(replica), config)) {
            changed("world", "start " + replica);
        }
    }

    @Override
    public void killController(String replica) {
        each(replica, "kill", one -> one.process().kill());
    }

    @Override
    public void stopController(String replica) {
        each(replica, "stop", Replica::stop);
    }

    @Override
    public void pauseController(String replica, Duration length) {
        each(
                replica,
                "pause for " + length.toMillis() + " ms",
                one -> one.process().pause(length));
    }

    @Override
    public void suspendController(String replica, Duration length) {
        each(
                replica,
                "suspend for " + length.toMillis() + " ms",
                one -> one.process().suspend(length));
    }

    @Override
    public void skewClock(String replica, Duration by) {
        changed("world", "skew the clock of " + replica + " by " + by.toMillis() + " ms");
        replicas.skew(replica, by);
        for (Replica one : replicas.living(replica)) {
            one.process()
                    .wakes()
                    .ifPresent(wakes -> invariants.clockSetAsleep(one.process().name(), wakes));
        }
    }

    @Override
    public void holdWatches(String replica, Duration length) {
        each(
                replica,
                "hold the watches for " + length.toMillis() + " ms",
                one -> network.holdWatches(one.process().name(), length));
    }

    private void each(String replica, String what, Consumer<Replica> action) {
        for (Replica one : replicas.living(replica)) {
            changed("world", what + " " + one.actor().text());
            action.accept(one);
        }
    }

    @Override
    public void cut(String from, String to) {
        changed("world", "cut " + from + " off " + to);
        cuts.add(from, to);
    }

    @Override
    public void heal() {
        changed("world", "all ways are whole again");
        cuts.heal();
        denied.clear();
        ec2.neighboursLeave();
        ec2.capacity().restore();
        ec2.capacity().limitVcpus(settings.vcpuLimit());
        ec2.lag(settings.describeLag());
    }

    @Override
    public ImmutableList<String> leaders() {
        return replicas.leaders();
    }

    @Override
    public ImmutableList<Machine> machines() {
        return ec2.instances().stream()
                .map(i -> new Machine(i.id(), i.state(), i.tags(), !outsider.launched(i.clientToken())))
                .collect(ImmutableList.toImmutableList());
    }

    @Override
    public Optional<String> installationOf(String cluster) {
        return clusters.installationOf(cluster);
    }

    @Override
    public void terminate(String instanceId) {
        changed("world", "end " + instanceId + " from outside");
        ec2.endFromOutside(instanceId);
    }

    @Override
    public void stop(String instanceId) {
        changed("world", "stop " + instanceId + " from outside");
        ec2.stopFromOutside(instanceId);
    }

    @Override
    public void deny(String action) {
        changed("world", "nobody may call " + action + " any more");
        denied.add(action);
    }

    @Override
    public void neighbour(String action, int perMinute) {
        changed("world", "a neighbour calls " + action + " " + perMinute + " times a minute");
        ec2.neighbour(action, perMinute * 1000 / 60);
    }

    @Override
    public void noRoom(String type, String zone, String market) {
        changed("world", "no room for " + type + " in " + zone + ", " + market);
        ec2.capacity().leave(type, zone, market, 0);
    }

    @Override
    public void quota(int vcpus) {
        changed("world", "a quota of " + vcpus + " vCPUs");
        ec2.capacity().limitVcpus(vcpus);
    }

    @Override
    public void lag(Duration most) {
        changed("world", "instances stay unseen for up to " + most.toMillis() + " ms");
        ec2.lag(most);
    }

    @Override
    public void interrupt(String instanceId) {
        changed("world", "EC2 will take " + instanceId + " back in two minutes");
        queue.send(Places.QUEUE, Ec2Events.interruption(instanceId, kernel.now()));
        kernel.schedule(Duration.ofMinutes(2), () -> {
            changed("world", "EC2 takes " + instanceId + " back");
            ec2.reclaim(instanceId);
        });
    }

    @Override
    public void reclaimSpot(int percent, Duration within) {
        ImmutableList<String> spot = ec2.instances().stream()
                .filter(instance -> instance.spot() && instance.state().equals("running"))
                .map(SimEc2.Sight::id)
                .collect(ImmutableList.toImmutableList());
        int count = (spot.size() * percent + 99) / 100;
        for (int i = 0; i < count; i++) {
            String instance = spot.get(i * spot.size() / count);
            kernel.schedule(within.multipliedBy(i).dividedBy(count), () -> interrupt(instance));
        }
    }

    @Override
    public void hintRebalance(String instanceId) {
        changed("world", "EC2 recommends to leave " + instanceId);
        queue.send(Places.QUEUE, Ec2Events.rebalance(instanceId, kernel.now()));
    }

    @Override
    public void message(String text) {
        changed("world", "somebody puts a message into the queue");
        queue.send(Places.QUEUE, text);
    }

    @Override
    public int messages() {
        return queue.depth(Places.QUEUE);
    }

    @Override
    public void tagQueue(Map<String, String> tags) {
        changed("world", "somebody tags the queue");
        queue.tagFromOutside(Places.QUEUE, tags);
    }

    @Override
    public void tag(String instanceId, Map<String, String> set, ImmutableList<String> remove) {
        changed("world", "edit the tags of " + instanceId);
        outsider.tag(instanceId, set);
        outsider.untag(instanceId, remove);
    }

    @Override
    public void launchStrangers(int count, ImmutableMap<String, String> tags) {
        changed("world", "launch " + count + " instances of nobody's");
        outsider.launch(count, tags);
        invariants.strangersCame();
    }

    @Override
    public int templates() {
        return ec2.templateCount();
    }

    @Override
    public int securityGroups() {
        return ec2.groupCount();
    }

    @Override
    public ImmutableList<String> anchorObjects() {
        return anchors.objects();
    }

    @Override
    public void loseAnchor() {
        changed("world", "delete all of the anchor");
        anchors.lose();
        invariants.anchorLost();
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
    public ImmutableList<Problem> violations() {
        return ImmutableList.copyOf(violations);
    }

    @Override
    public ImmutableList<Fault> missedFaults() {
        return faults.missed();
    }

    @Override
    public void inject(String fault, String controllers, Optional<Duration> length, Optional<Integer> times) {
        changed("world", "fault: " + fault);
        strikes.begin(fault, controllers, length, times);
    }

    /** The injected faults with what they hit. */
    public ImmutableList<Strike> strikes() {
        return strikes.all();
    }

    /** All that must hold here. */
    public ImmutableList<Invariant> invariants() {
        return invariants.all();
    }

    @Override
    public ImmutableList<String> missedStrikes() {
        return strikes.missed();
    }

    @Override
    public void finish() {
        invariants.look();
    }

    public SimEc2 ec2() {
        return ec2;
    }

    /** The API of the first cluster. */
    public ApiClient api() {
        return clusters.get(SimCluster.FIRST).api();
    }

    public SimNetwork network() {
        return network;
    }

    public GroundTruth truth() {
        return truth;
    }

    /** What faults strike. */
    private final class Struck implements Site {

        private final Watches watches = new Watches();

        @Override
        public Kernel kernel() {
            return kernel;
        }

        @Override
        public SimNetwork network() {
            return network;
        }

        @Override
        public SimEc2 ec2() {
            return ec2;
        }

        @Override
        public SimCells cells() {
            return cells;
        }

        @Override
        public World world() {
            return SimWorld.this;
        }

        @Override
        public Watches watches() {
            return watches;
        }

        @Override
        public Fates fates() {
            return fates;
        }
    }

    /** What invariants see. */
    private final class Everything implements Eyes {

        @Override
        public Duration elapsed() {
            return kernel.elapsed();
        }

        @Override
        public ImmutableList<String> clusters() {
            return clusters.names();
        }

        @Override
        public ImmutableList<ObjectNode> objects(String cluster, String kind) {
            return clusters.get(cluster).objects(kind);
        }

        @Override
        public ImmutableList<SimEc2.Sight> instances() {
            return ec2.instances();
        }

        @Override
        public boolean isCell(SimEc2.Sight instance) {
            return !outsider.launched(instance.clientToken());
        }

        @Override
        public GroundTruth truth() {
            return truth;
        }

        @Override
        public Optional<Sender> sender(String process) {
            return replicas.find(process).map(SimWorld.this::sender);
        }
    }
}
