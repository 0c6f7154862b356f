package dev.kip.sim.kernel;

import dev.kip.entropy.Entropy;

/**
 * Seeded bits: splitmix64 (Steele, Lea, Flood, 2014), written out so that no JDK release can change what a seed means.
 * A fork is a function of this source's seed and the name alone, so drawing from one never shifts another.
 */
public final class SeededEntropy implements Entropy {

    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private final long seed;
    private long state;

    public SeededEntropy(long seed) {
        this.seed = seed;
        this.state = seed;
    }

    public long nextLong() {
        state += GOLDEN;
        return mix(state);
    }

    /** What {@link #nextLong} of a fresh source gives as its {@code index}-th, from 0. */
    public long at(long index) {
        return mix(seed + (index + 1) * GOLDEN);
    }

    @Override
    public byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        long bits = 0;
        for (int i = 0; i < count; i++) {
            if (i % Long.BYTES == 0) {
                bits = nextLong();
            }
            bytes[i] = (byte) bits;
            bits >>>= 8;
        }
        return bytes;
    }

    @Override
    public long below(long bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("bound must be positive, not " + bound);
        }
        return Math.floorMod(nextLong() >>> 1, bound);
    }

    @Override
    public SeededEntropy fork(String name) {
        long forked = mix(seed ^ GOLDEN);
        for (int i = 0; i < name.length(); i++) {
            forked = mix(forked + name.charAt(i) + GOLDEN);
        }
        return new SeededEntropy(forked);
    }

    static long mix(long value) {
        long z = value;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
