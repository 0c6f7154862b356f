package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** What happens to processes, clusters, networks and the cloud: steps that take no time. */
final class Troubles {

    private Troubles() {}

    /** A step that is done as soon as it has begun. */
    record Happening(String describe, Consumer<World> what) implements Step {
        @Override
        public void begin(World world) {
            what.accept(world);
        }
    }

    static Step start(String replica, ImmutableMap<String, String> config) {
        return new Happening(
                "start " + replica + (config.isEmpty() ? "" : " with " + config),
                world -> world.startController(replica, config));
    }

    /** {@code scale: {controllers: N}}: {@code kip-0} to {@code kip-(N-1)} run, others are killed. */
    static Step scaleControllers(String cluster, int replicas) {
        String prefix = cluster.equals(World.FIRST_CLUSTER) ? "kip-" : cluster + "/kip-";
        return new Happening("scale the controllers of cluster " + cluster + " to " + replicas, world -> {
            for (int i = 0; i < replicas; i++) {
                world.startController(prefix + i, ImmutableMap.of());
            }
        });
    }

    static Step kill(String replica) {
        return new Happening("kill " + replica, world -> world.killController(replica));
    }

    static Step stop(String replica) {
        return new Happening("stop " + replica, world -> world.stopController(replica));
    }

    static Step pause(String replica, Duration length) {
        return new Happening(
                "pause " + replica + " for " + length.toMillis() + " ms",
                world -> world.pauseController(replica, length));
    }

    static Step suspend(String replica, Duration length) {
        return new Happening(
                "suspend " + replica + " for " + length.toMillis() + " ms",
                world -> world.suspendController(replica, length));
    }

    static Step skew(String replica, Duration by) {
        return new Happening(
                "skew the clock of " + replica + " by " + by.toMillis() + " ms", world -> world.skewClock(replica, by));
    }

    static Step hold(String replica, Duration length) {
        return new Happening(
                "hold the watches of " + replica + " for " + length.toMillis() + " ms",
                world -> world.holdWatches(replica, length));
    }

    static Step cut(String from, String to) {
        return new Happening("cut " + from + " off " + to, world -> world.cut(from, to));
    }

    static Step heal() {
        return new Happening("heal", World::heal);
    }

    static Step loseAnchor() {
        return new Happening("delete all of the anchor", World::loseAnchor);
    }

    static Step backup(String cluster, String name) {
        return new Happening("back up cluster " + cluster + " as " + name, world -> world.backup(cluster, name));
    }

    static Step restore(String cluster, String name) {
        return new Happening("restore cluster " + cluster + " from " + name, world -> world.restore(cluster, name));
    }

    static Step cloneCluster(String from, String to) {
        return new Happening("clone cluster " + from + " to " + to, world -> world.cloneCluster(from, to));
    }

    static Step recreate(String cluster) {
        return new Happening("re-create cluster " + cluster, world -> world.recreate(cluster));
    }

    static Step destroy(String cluster) {
        return new Happening("destroy cluster " + cluster, world -> world.destroy(cluster));
    }

    static Step inject(String fault, String controllers, Optional<Duration> length, Optional<Integer> times) {
        return new Happening("inject " + fault, world -> world.inject(fault, controllers, length, times));
    }

    static Step mark(String name) {
        return new Happening("mark " + name, world -> world.mark(name));
    }

    static Step strangers(int count, ImmutableMap<String, String> tags) {
        return new Happening(
                "someone launches " + count + " instances of nobody's", world -> world.launchStrangers(count, tags));
    }

    /** {@code terminate}: someone ends the instances of pods from outside. */
    static Step terminate(Ref pod) {
        return new Happening(
                "terminate the instance of " + pod,
                world -> instances(world, pod).forEach(world::terminate));
    }

    /** {@code stop: {instanceOf: POD}}: someone stops the instances of pods from outside. */
    static Step stopInstances(Ref pod) {
        return new Happening(
                "stop the instance of " + pod, world -> instances(world, pod).forEach(world::stop));
    }

    static Step deny(String action) {
        return new Happening("take the permission for " + action + " away", world -> world.deny(action));
    }

    static Step tag(Ref pod, ImmutableMap<String, String> set, ImmutableList<String> remove) {
        return new Happening(
                "edit the tags of the instance of " + pod,
                world -> instances(world, pod).forEach(id -> world.tag(id, set, remove)));
    }

    /** A bot that takes all tags off every instance that a controller launched. */
    static Step stripTags() {
        return new Happening(
                "strip all tags",
                world -> world.machines().stream()
                        .filter(World.Machine::ours)
                        .filter(World.Machine::lives)
                        .forEach(machine -> world.tag(
                                machine.id(),
                                ImmutableMap.of(),
                                machine.tags().keySet().asList())));
    }

    /** The whole set of tags of one pod's instance goes to every instance that is nobody's. */
    static Step copyTags(Ref pod) {
        return new Happening("copy the tags of the instance of " + pod + " to the strangers", world -> {
            ImmutableList<String> sources = instances(world, pod);
            ImmutableMap<String, String> tags = world.machines().stream()
                    .filter(machine -> sources.contains(machine.id()))
                    .map(World.Machine::tags)
                    .findFirst()
                    .orElse(ImmutableMap.of());
            world.machines().stream()
                    .filter(machine -> !machine.ours() && machine.lives())
                    .forEach(machine -> world.tag(machine.id(), own(tags), ImmutableList.of()));
        });
    }

    private static ImmutableMap<String, String> own(ImmutableMap<String, String> tags) {
        return tags.entrySet().stream()
                .filter(tag -> !tag.getKey().startsWith("aws:"))
                .collect(ImmutableMap.toImmutableMap(java.util.Map.Entry::getKey, java.util.Map.Entry::getValue));
    }

    static ImmutableList<String> instances(World world, Ref pod) {
        return world.objects(pod.cluster(), "cell").stream()
                .filter(cell -> Bindings.isOf(cell, pod.namespace(), pod.name()))
                .map(cell -> cell.at("/status/instanceID").asString(""))
                .collect(ImmutableList.toImmutableList());
    }
}
