package dev.kip.bench;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what other processes do. */
public final class Patience {

    private static final int LOOK_MILLIS = 50;

    private Patience() {}

    /** @throws IllegalStateException if it does not hold within the limit */
    public static void until(String what, Duration limit, BooleanSupplier holds) {
        long end = System.nanoTime() + limit.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("it did not come to be within " + limit + " that " + what);
            }
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }
}
