package dev.kip.sim.fuzz;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSortedMap;
import dev.kip.entropy.Entropy;
import dev.kip.sim.kernel.SeededEntropy;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Of what a story is drawn: a stream of choices that one seed gives, some of them taken from other seeds. So a story can be
 * changed a little and is always one that could have been drawn.
 *
 * @param seed of the choices and of the world
 * @param knobs the seed of the knobs
 * @param from from each of these choices on, the choices of that seed
 */
record Recipe(long seed, long knobs, ImmutableSortedMap<Integer, Long> from) {

    private static final int CHOICES = 120;

    /** What the seed alone gives. */
    static Recipe of(long seed) {
        return new Recipe(seed, seed, ImmutableSortedMap.of());
    }

    /** {@code 17}, {@code 17/k99}, {@code 17/5=99/6=17}. */
    static Recipe parse(String text) {
        long seed = 0;
        long knobs = 0;
        boolean first = true;
        TreeMap<Integer, Long> from = new TreeMap<>();
        for (String part : Splitter.on('/').split(text)) {
            int equals = part.indexOf('=');
            if (first) {
                seed = Long.parseLong(part);
                knobs = seed;
                first = false;
            } else if (equals > 0) {
                from.put(Integer.parseInt(part.substring(0, equals)), Long.parseLong(part.substring(equals + 1)));
            } else {
                knobs = Long.parseLong(part.substring(1));
            }
        }
        return new Recipe(seed, knobs, ImmutableSortedMap.copyOf(from));
    }

    @Override
    public String toString() {
        return seed
                + (knobs == seed ? "" : "/k" + knobs)
                + from.entrySet().stream()
                        .map(entry -> "/" + entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining());
    }

    /** A story near this one: one choice, the rest of the choices, or the knobs are other ones. */
    Recipe mutated(Entropy entropy) {
        long other = 1 + entropy.below(1_000_000_000_000L);
        int at = (int) entropy.below(CHOICES);
        TreeMap<Integer, Long> next = new TreeMap<>(from);
        switch ((int) entropy.below(3)) {
            case 0 -> {
                long after = seedAt(at + 1);
                next.put(at, other);
                next.put(at + 1, after);
            }
            case 1 -> {
                next.tailMap(at, true).clear();
                next.put(at, other);
            }
            default -> {
                return new Recipe(seed, other, from);
            }
        }
        return new Recipe(seed, knobs, ImmutableSortedMap.copyOf(next));
    }

    private long seedAt(int choice) {
        Map.Entry<Integer, Long> entry = from.floorEntry(choice);
        return entry == null ? seed : entry.getValue();
    }

    /** The choices, in order. */
    Entropy choices() {
        return new Choices();
    }

    private final class Choices implements Entropy {

        private int taken;

        @Override
        public long below(long bound) {
            int choice = taken++;
            return Math.floorMod(
                    new SeededEntropy(seedAt(choice)).fork("history").at(choice) >>> 1, bound);
        }

        @Override
        public byte[] bytes(int count) {
            throw new UnsupportedOperationException("a story draws numbers only");
        }

        @Override
        public Entropy fork(String name) {
            throw new UnsupportedOperationException("a story draws from one stream");
        }
    }
}
