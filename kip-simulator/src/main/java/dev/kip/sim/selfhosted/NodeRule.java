package dev.kip.sim.selfhosted;

import dev.kip.sim.invariants.Rule;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** One thing that must hold on every machine of a plane that hosts itself. */
public abstract class NodeRule extends Rule {

    private final Map<String, Duration> since = new LinkedHashMap<>();

    NodeRule(String name, String why) {
        super(name, why);
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
