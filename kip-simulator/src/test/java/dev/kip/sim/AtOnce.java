package dev.kip.sim;

import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls on the caller's thread. */
public final class AtOnce implements Offload {
    @Override
    public <T> CompletionStage<Outcome<T, Abandoned>> call(String name, Duration deadline, Callable<T> call) {
        try {
            return CompletableFuture.completedFuture(Outcome.ok(call.call()));
        } catch (Exception e) {
            return CompletableFuture.completedFuture(Outcome.failed(new Abandoned.Threw(name, e)));
        }
    }
}
