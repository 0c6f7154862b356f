package dev.kip.sim.invariants;

import java.util.function.Consumer;

/** One thing that must hold. Tells what broke it. */
public abstract class Rule {

    private final String name;
    private final String why;
    private Consumer<String> violated = text -> {};

    /**
     * @param name number and a few words
     * @param why it must hold, in a sentence
     */
    protected Rule(String name, String why) {
        this.name = name;
        this.why = why;
    }

    public final String name() {
        return name;
    }

    public final String why() {
        return why;
    }

    public final void reportTo(Consumer<String> listener) {
        violated = listener;
    }

    protected final void violate(String text) {
        violated.accept(text);
    }
}
