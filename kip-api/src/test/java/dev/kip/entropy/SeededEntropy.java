package dev.kip.entropy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hashing;
import java.util.Random;

/** The same bits for the same seed. */
public final class SeededEntropy implements Entropy {

    private final long seed;
    private final Random random;

    public SeededEntropy(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
    }

    @Override
    public byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    @Override
    public long below(long bound) {
        return random.nextLong(bound);
    }

    @Override
    public Entropy fork(String name) {
        return new SeededEntropy(seed ^ Hashing.sha256().hashString(name, UTF_8).asLong());
    }
}
