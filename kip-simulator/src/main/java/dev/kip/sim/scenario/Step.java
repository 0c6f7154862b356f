package dev.kip.sim.scenario;

import java.time.Duration;

/** One step of a story: something is done, and then waited for. */
public interface Step {

    /** As a reader would say it. */
    String describe();

    default void begin(World world) {}

    /** Whether the story can go on. Cheap: asked after every event. */
    default boolean done(World world) {
        return true;
    }

    /** Whether {@link #done} depends on more than objects that stories follow and on instances. */
    default boolean seesCalls() {
        return false;
    }

    /** How long {@link #done} may take. */
    default Duration within() {
        return Duration.ZERO;
    }

    /** What is the case instead, when it took too long. */
    default String instead(World world) {
        return "";
    }
}
