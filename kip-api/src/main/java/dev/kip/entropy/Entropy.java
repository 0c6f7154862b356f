package dev.kip.entropy;

/** Random bits for ids, nonces and jitter. Called on the loop. In production they are unpredictable, in simulation seeded. */
public interface Entropy {

    byte[] bytes(int count);

    /** Uniform in {@code [0, bound)}; {@code bound} is positive. */
    long below(long bound);

    /** A source of its own: what is drawn from it does not shift what is drawn from this one. */
    Entropy fork(String name);
}
