package dev.kip.entropy;

import java.security.SecureRandom;

/** Unpredictable bits from the system. Every fork draws from the same source: there is nothing to shift. */
public final class SecureEntropy implements Entropy {

    private final SecureRandom random = new SecureRandom();

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
        return this;
    }
}
