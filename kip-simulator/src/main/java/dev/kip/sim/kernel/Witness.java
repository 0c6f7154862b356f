package dev.kip.sim.kernel;

import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import tools.jackson.databind.node.ObjectNode;

/** Hears of everything that a report shows. Nothing that it does changes the run. */
public interface Witness {

    /** Looks away. */
    Witness NOBODY = new Witness() {};

    /** A line of the timeline. */
    default void line(Trace.Line line) {}

    /** @param id of the request, counted from 1 */
    default void sent(Duration at, long id, Call call, Fate fate) {}

    default void arrived(Duration at, long id) {}

    /** @param status of HTTP; 0 if the connection broke */
    default void answered(Duration at, long id, int status) {}

    /**
     * An object of a cluster or of the cloud has changed.
     *
     * @param event {@code ADDED}, {@code MODIFIED} or {@code DELETED}
     * @param kind lower-case singular
     */
    default void object(Duration at, String cluster, String event, String kind, ObjectNode object) {}
}
