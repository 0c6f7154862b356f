package dev.kip.real;

import dev.kip.loop.system.SystemLoop;
import dev.kip.outcome.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Calls ports on a loop of its own and waits for their answers. */
final class LoopCalls implements AutoCloseable {
    private final SystemLoop loop = SystemLoop.start("real-parts-test");

    SystemLoop loop() {
        return loop;
    }

    <T, E> Outcome<T, E> call(Supplier<CompletionStage<Outcome<T, E>>> call) {
        CompletableFuture<Outcome<T, E>> answer = new CompletableFuture<>();
        loop.post(() -> call.get().whenComplete((outcome, bug) -> {
            if (bug == null) {
                answer.complete(outcome);
            } else {
                answer.completeExceptionally(bug);
            }
        }));
        try {
            return answer.get(60, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("a port did not answer", e);
        }
    }

    /** What was answered, where no error is expected. */
    <T, E> T ok(Supplier<CompletionStage<Outcome<T, E>>> call) {
        return call(call).fold(value -> value, error -> {
            throw new AssertionError("refused: " + error);
        });
    }

    /** The error, where one is expected. */
    <T, E> E refused(Supplier<CompletionStage<Outcome<T, E>>> call) {
        return call(call)
                .fold(
                        value -> {
                            throw new AssertionError("expected an error, got " + value);
                        },
                        error -> error);
    }

    @Override
    public void close() {
        loop.close();
    }
}
