package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the words of a scenario can do and see. A word sees only what a user could see. What not every world can do throws
 * {@link UnsupportedOperationException} there. Clusters are named {@code a}, the
 * first, {@code b} and so on; controllers {@code kip-0} in the first cluster, {@code b/kip-0} in another.
 */
public interface World {

    /** The cluster that is meant when none is named. */
    String FIRST_CLUSTER = "a";

    /** Time since the world began. */
    Duration elapsed();

    /** Creates the object; it is told by its kind and apiVersion. */
    void create(String cluster, ObjectNode object);

    /** @param kind lower-case singular, for example {@code pod} */
    void delete(String cluster, String kind, String namespace, String name, Optional<Long> graceSeconds);

    void scale(String cluster, String kind, String namespace, String name, int replicas);

    /** Replaces the object, whatever its version. */
    default void update(String cluster, String kind, ObjectNode object) {
        throw cannot("update");
    }

    /** Every object of the kind, in the order of names. */
    ImmutableList<ObjectNode> objects(String cluster, String kind);

    /** As {@link #objects(String, String)}, of the first cluster. */
    default ImmutableList<ObjectNode> objects(String kind) {
        return objects(FIRST_CLUSTER, kind);
    }

    /** Defines Kip's kinds again, where they were deleted. */
    default void installDefinitions(String cluster) {
        throw cannot("installDefinitions");
    }

    /** Keeps everything that the cluster's API server stores. */
    default void backup(String cluster, String name) {
        throw cannot("backup");
    }

    /** The API server starts again with what was kept. */
    default void restore(String cluster, String name) {
        throw cannot("restore");
    }

    /** A cluster that does not exist yet begins with what the other one stores now. */
    default void cloneCluster(String from, String to) {
        throw cannot("cloneCluster");
    }

    /** The cluster and all that it stored is gone, its controllers too; an empty one takes its name. */
    default void recreate(String cluster) {
        throw cannot("recreate");
    }

    /** The cluster and all that it stored is gone, its controllers too. */
    default void destroy(String cluster) {
        throw cannot("destroy");
    }

    /**
     * Starts the replica of the controller, as a new process.
     *
     * @param config keys of provider.yaml beside the story's own
     */
    void startController(String replica, ImmutableMap<String, String> config);

    /** SIGKILL. */
    void killController(String replica);

    /** SIGTERM: it gives up its lease and ends. */
    default void stopController(String replica) {
        throw cannot("stop");
    }

    /** SIGSTOP for a time, then SIGCONT. */
    void pauseController(String replica, Duration length);

    /** As a pause, and the machine's monotonic clock stands still meanwhile: a VM that is suspended. */
    default void suspendController(String replica, Duration length) {
        throw cannot("suspend");
    }

    /** The wall clock of the replica's machine is wrong by this much from now on. */
    default void skewClock(String replica, Duration by) {
        throw cannot("skewClock");
    }

    /** What watches tell the replica arrives late, for a time. */
    default void holdWatches(String replica, Duration length) {
        throw cannot("holdWatches");
    }

    /** Nothing passes between the two, in either direction; a star stands for anything. */
    default void cut(String from, String to) {
        throw cannot("cut");
    }

    /** Whatever was cut is whole again. */
    default void heal() {
        throw cannot("heal");
    }

    /** The replicas that lead now. */
    ImmutableList<String> leaders();

    /** Instances that have not been forgotten by the cloud. */
    ImmutableList<Machine> machines();

    /** The installation id that the cluster's record has, or had last. */
    Optional<String> installationOf(String cluster);

    /** Someone ends the instance from outside. */
    void terminate(String instanceId);

    /** Someone stops the instance from outside. */
    default void stop(String instanceId) {
        throw cannot("stop");
    }

    /** From now on, until all is healed, the cloud refuses this action to everybody: a permission was taken away. */
    default void deny(String action) {
        throw cannot("deny");
    }

    /** From now on, until all is healed, somebody else in the account makes such calls too and takes from its limits. */
    default void neighbour(String action, int perMinute) {
        throw cannot("neighbour");
    }

    /** From now on, until all is healed, there is no room for such instances; a star stands for anything. */
    default void noRoom(String type, String zone, String market) {
        throw cannot("noRoom");
    }

    /** From now on, until all is healed, the account may have so many vCPUs of each class of families and market. */
    default void quota(int vcpus) {
        throw cannot("quota");
    }

    /** Instances launched from now on, until all is healed, are not described for up to this long. */
    default void lag(Duration most) {
        throw cannot("lag");
    }

    /** The cloud gives two minutes' notice that it takes the instance back, and then does. */
    default void interrupt(String instanceId) {
        throw cannot("interrupt");
    }

    /** The same for so many of a hundred spot instances that run, one after the other within a time. */
    default void reclaimSpot(int percent, Duration within) {
        throw cannot("reclaim");
    }

    /** The cloud says that the instance is likelier than others to be taken back. */
    default void hintRebalance(String instanceId) {
        throw cannot("rebalance");
    }

    /** Someone puts a message into the queue of events. */
    default void message(String text) {
        throw cannot("message");
    }

    /** What is in the queue of events. */
    default int messages() {
        throw cannot("messages");
    }

    /** Someone tags the queue of events. */
    default void tagQueue(Map<String, String> tags) {
        throw cannot("tagQueue");
    }

    /** Someone edits the tags of the instance. */
    default void tag(String instanceId, Map<String, String> set, ImmutableList<String> remove) {
        throw cannot("tag");
    }

    /** Someone launches instances that are no cells. */
    default void launchStrangers(int count, ImmutableMap<String, String> tags) {
        throw cannot("launchStrangers");
    }

    /** Launch templates in the cloud. */
    default int templates() {
        throw cannot("templates");
    }

    /** Security groups in the cloud, the default one apart. */
    default int securityGroups() {
        throw cannot("securityGroups");
    }

    /** Objects that the anchor's store holds. */
    default ImmutableList<String> anchorObjects() {
        throw cannot("anchorObjects");
    }

    /** Someone deletes all that the anchor's store holds. */
    default void loseAnchor() {
        throw cannot("loseAnchor");
    }

    /** The machines of a plane that hosts itself. */
    default Nodes nodes() {
        throw cannot("nodes");
    }

    /** Remembers how many requests there were. */
    default void mark(String name) {
        throw cannot("mark");
    }

    /**
     * Requests so far whose {@code from to action} matches; a star stands for anything, {@code mutating} for every action
     * that is meant to change something, lease renewals and events apart.
     *
     * @param since only those after this mark
     */
    long calls(String from, String to, String action, Optional<String> since);

    default long calls(String from, String to, String action) {
        return calls(from, to, action, Optional.empty());
    }

    /** Requests so far of senders that match that were meant to change something; lease renewals and events apart. */
    default long mutatingCalls(String from) {
        return calls(from, "*", "mutating");
    }

    /**
     * Begins a fault of the catalogue.
     *
     * @param controllers whose; a star stands for anything
     * @param length as long as the kind lasts by itself if empty
     * @param times as many requests at most; as the kind says if empty, 0 for all while it lasts
     */
    default void inject(String fault, String controllers, Optional<Duration> length, Optional<Integer> times) {
        throw cannot("inject");
    }

    private static UnsupportedOperationException cannot(String word) {
        return new UnsupportedOperationException("this world cannot: " + word);
    }

    /**
     * An instance as the cloud shows it.
     *
     * @param ours whether a controller of any cluster launched it
     */
    record Machine(String id, String state, ImmutableMap<String, String> tags, boolean ours) {

        public String controllerId() {
            return tags.getOrDefault("KipControllerID", "");
        }

        /** Neither terminated nor on its way there. */
        public boolean lives() {
            return !state.equals("terminated") && !state.equals("shutting-down");
        }
    }
}
