package dev.kip.sim.world;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.scenario.Globs;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** How many requests there were, in all and since a mark. */
public final class Counts {

    private final SimNetwork network;
    private final Map<String, ImmutableMap<SimNetwork.Counted, Long>> marks = new LinkedHashMap<>();

    public Counts(SimNetwork network) {
        this.network = network;
    }

    /** Remembers how many there were. */
    public void mark(String name) {
        marks.put(name, network.counts());
    }

    /**
     * Requests so far whose {@code from to action} matches; a star stands for anything, {@code mutating} for every action
     * that is meant to change something.
     *
     * @param since only those after this mark
     * @throws IllegalStateException if there is no such mark
     */
    public long calls(String from, String to, String action, Optional<String> since) {
        ImmutableMap<SimNetwork.Counted, Long> before = since.map(mark -> Optional.ofNullable(marks.get(mark))
                        .orElseThrow(() -> new IllegalStateException("there is no mark \"" + mark + "\"")))
                .orElse(ImmutableMap.of());
        return network.counts().entrySet().stream()
                .filter(entry -> isMeant(entry.getKey(), from, to, action))
                .mapToLong(entry -> entry.getValue() - before.getOrDefault(entry.getKey(), 0L))
                .sum();
    }

    private static boolean isMeant(SimNetwork.Counted counted, String from, String to, String action) {
        return Globs.matches(from, counted.from())
                && Globs.matches(to, counted.to())
                && (action.equals("mutating") ? counted.mutating() : Globs.matches(action, counted.action()));
    }
}
