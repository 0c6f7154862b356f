package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** What the words of a scenario can do and see. A word sees only what a user could see. */
public interface World {

    /** Time since the world began. */
    Duration elapsed();

    /** Creates the object; it is told by its kind and apiVersion. */
    void create(ObjectNode object);

    /** @param kind lower-case singular, for example {@code pod} */
    void delete(String kind, String namespace, String name, Optional<Long> graceSeconds);

    void scale(String kind, String namespace, String name, int replicas);

    /** Every object of the kind, in the order of names. */
    ImmutableList<ObjectNode> objects(String kind);

    /** Starts the replica of the controller, as a new process. */
    void startController(String replica);

    /** SIGKILL. */
    void killController(String replica);

    /** SIGSTOP for a time, then SIGCONT. */
    void pauseController(String replica, Duration length);

    /** The replica that leads now. */
    Optional<String> leader();

    /** Instances that have not been terminated. */
    ImmutableList<Machine> machines();

    /** Someone ends the instance from outside. */
    void terminate(String instanceId);

    /** Requests so far whose {@code from to action} matches; a star stands for anything. */
    long calls(String from, String to, String action);

    /** Requests so far of senders that match that were meant to change something; lease renewals and events apart. */
    long mutatingCalls(String from);

    /** An instance as the cloud shows it. */
    record Machine(String id, String state, String controllerId) {}
}
