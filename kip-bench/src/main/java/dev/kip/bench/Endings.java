package dev.kip.bench;

import java.util.concurrent.TimeUnit;

/** How processes that a benchmark started are seen off. */
public final class Endings {

    private Endings() {}

    /** Waits until one that was told to end has; after so many seconds it is killed. */
    public static void await(Process process, int seconds) {
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
