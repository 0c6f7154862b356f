package dev.kip.sim.faults;

import java.time.Duration;
import java.util.Optional;

/** One way in which the world fails. A story begins it with {@code inject: {fault: WORD}}. */
public abstract class FaultKind {

    private final String id;
    private final String word;
    private final Area area;
    private final String why;

    /**
     * @param id of the class of failures that it belongs to, {@code F27}; a class may have several kinds
     * @param word for scenario files
     * @param why it happens and is worth telling, in a sentence
     */
    FaultKind(String id, String word, Area area, String why) {
        this.id = id;
        this.word = word;
        this.area = area;
        this.why = why;
    }

    public final String id() {
        return id;
    }

    public final String word() {
        return word;
    }

    public final Area area() {
        return area;
    }

    public final String why() {
        return why;
    }

    /** What fails. */
    public enum Area {
        PROCESS("processes"),
        STATE("state that is lost"),
        API_SERVER("API server"),
        WATCH("watches"),
        NETWORK("network"),
        CLOCK("clocks"),
        CLOUD("cloud"),
        CELL("cells"),
        DISK("disks of nodes"),
        NODE("nodes, kubelet and runtime");

        private final String title;

        Area(String title) {
            this.title = title;
        }

        public String title() {
            return title;
        }
    }

    /** When its own story begins it. */
    enum Moment {
        /** A controller leads, and pods are about to come. */
        LAUNCHING,
        /** Two pods are ready; a third one is about to come. */
        RUNNING,
        /** Everything is about to be deleted. */
        ENDING
    }

    /** When it is worth most. */
    Moment moment() {
        return Moment.LAUNCHING;
    }

    /** What its story is given, as a scenario file says it. */
    String given() {
        return "{controllers: 1}";
    }

    /** How long it lasts when nothing is said. */
    Duration length() {
        return Duration.ofSeconds(60);
    }

    /** How many requests it strikes when nothing is said; 0 for all while it lasts. */
    int times() {
        return 0;
    }

    /**
     * A planted bug with which a controller behaves otherwise under this fault than without it: for what a right
     * controller does not notice at all.
     */
    public Optional<String> tellsApart() {
        return Optional.empty();
    }

    /** Begins it. */
    abstract void strike(Strike strike);
}
