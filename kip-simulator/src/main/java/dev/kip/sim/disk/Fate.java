package dev.kip.sim.disk;

import com.google.common.collect.ImmutableList;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/** What becomes of that which was not synced when the power fails. Every answer is one that a real disk may give. */
public interface Fate {

    ImmutableList<Remains> REMAINS = ImmutableList.copyOf(Remains.values());

    /**
     * Whether a change of names is on the platter.
     *
     * @param change its place in the order in which they were made, from 0
     */
    boolean kept(int change);

    /** What is in a file whose content was not synced. */
    Remains remains(int file);

    /** What is left of a content. */
    enum Remains {
        ALL,
        NOTHING,
        /** The first half. */
        TORN,
        /** The right length, but zeros. */
        ZEROS
    }

    /** The write cache is lost. */
    static Fate lost() {
        return of(change -> false, Remains.NOTHING);
    }

    /** The names are written, the data of the files is not: what journals of metadata do. */
    static Fate namesOnly(Remains remains) {
        return of(change -> true, remains);
    }

    /** All was written just in time. */
    static Fate kept() {
        return of(change -> true, Remains.ALL);
    }

    /** One change of names overtook all others. */
    static Fate only(int one) {
        return of(change -> change == one, Remains.TORN);
    }

    /** One change of names was left behind. */
    static Fate allBut(int one) {
        return of(change -> change != one, Remains.ALL);
    }

    static Fate drawn(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return new Fate() {
            @Override
            public boolean kept(int change) {
                return random.nextBoolean();
            }

            @Override
            public Remains remains(int file) {
                return REMAINS.get(random.nextInt(REMAINS.size()));
            }
        };
    }

    private static Fate of(IntPredicate kept, Remains remains) {
        return new Fate() {
            @Override
            public boolean kept(int change) {
                return kept.test(change);
            }

            @Override
            public Remains remains(int file) {
                return remains;
            }
        };
    }
}
