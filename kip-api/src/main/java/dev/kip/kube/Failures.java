package dev.kip.kube;

import com.google.common.base.Throwables;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** What goes wrong below HTTP. */
final class Failures {

    private Failures() {}

    /** A connection that failed is {@link KubeError.NoAnswer}; bytes that are no HTTP are {@link KubeError.Garbled}. */
    static KubeError error(String what, Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        String message = what + ": "
                + TlsTroubles.explain(cause)
                        .orElseGet(() ->
                                cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
        boolean framing = Throwables.getCausalChain(cause).stream().noneMatch(IOException.class::isInstance)
                && (cause instanceof IllegalArgumentException
                        || cause.getClass().getName().startsWith("io.netty.handler.codec"));
        return framing ? new KubeError.Garbled(0, message) : new KubeError.NoAnswer(message);
    }

    /** What {@code call} returns; what it throws becomes a failure of the stage. */
    static <T> CompletableFuture<T> calling(Supplier<CompletableFuture<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Runs {@code task} on {@code executor}, or {@code refused} here if the executor has been shut down. */
    static void run(Executor executor, Runnable task, Runnable refused) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            refused.run();
        }
    }
}
