package dev.kip.sim.embedded;

import dev.kip.loop.Loop;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Waits for something to be done on a loop. */
public final class OnLoop {

    private OnLoop() {}

    /** Not to be called on the loop. */
    public static <T> T run(Loop loop, Supplier<T> made) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.post(() -> {
            try {
                result.complete(made.get());
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result.join();
    }
}
