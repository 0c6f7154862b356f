package dev.kip.sim.selfhosted;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** One thing that must hold on every machine of a plane that hosts itself. */
public abstract class NodeRule {

    private final String name;
    private final String why;
    private final Map<String, Duration> since = new LinkedHashMap<>();
    private Consumer<String> violated = text -> {};

    /**
     * @param name number and a few words
     * @param why it must hold, in a sentence
     */
    NodeRule(String name, String why) {
        this.name = name;
        this.why = why;
    }

    public final String name() {
        return name;
    }

    public final String why() {
        return why;
    }

    final void reportTo(Consumer<String> listener) {
        violated = listener;
    }

    final void violate(String text) {
        violated.accept(text);
    }

    /** A violation, once, if {@code so} holds at every look for longer than the bound. */
    final void lasts(Sight sight, String what, boolean so, Duration bound) {
        if (!so) {
            since.remove(what);
        } else if (sight.now()
                        .minus(since.computeIfAbsent(what, any -> sight.now()))
                        .compareTo(bound)
                > 0) {
            since.put(what, sight.now().plus(Duration.ofDays(1)));
            violate(what + ", for " + bound.toSeconds() + " s");
        }
    }

    /** Twice a second, of each machine. */
    abstract void look(Sight sight);
}
