package dev.kip.sim.wall;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for programs, never longer than said. */
final class Patience {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

    private Patience() {}

    /**
     * @param program that must live on meanwhile
     * @throws IOException if it ended, or time is up; with its last words
     */
    static void await(String what, Duration atMost, Program program, BooleanSupplier holds) throws IOException {
        long began = System.nanoTime();
        while (!holds.getAsBoolean()) {
            if (!program.isAlive()) {
                throw new IOException(what + " did not come up: " + program.lastWords());
            }
            if (System.nanoTime() - began > atMost.toNanos()) {
                throw new IOException(
                        what + " was not there within " + atMost.toSeconds() + " s: " + program.lastWords());
            }
            pause();
        }
    }

    static void pause() {
        LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
    }
}
