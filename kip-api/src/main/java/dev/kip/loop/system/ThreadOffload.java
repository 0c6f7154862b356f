package dev.kip.loop.system;

import dev.kip.loop.Loop;
import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Blocking calls on a fixed number of daemon threads. A call that finds no free slot waits for one, within its deadline. */
public final class ThreadOffload implements Offload, AutoCloseable {

    private final Loop loop;
    private final ExecutorService slots;

    public ThreadOffload(Loop loop, String name, int slots) {
        this.loop = loop;
        this.slots = Executors.newFixedThreadPool(slots, daemons(name));
    }

    @Override
    public <T> CompletionStage<Outcome<T, Abandoned>> call(String name, Duration deadline, Callable<T> call) {
        var outcome = new CompletableFuture<Outcome<T, Abandoned>>();
        Loop.Timer timer = loop.after(
                deadline, () -> outcome.complete(Outcome.failed(new Abandoned.DeadlinePassed(name, deadline))));
        Runnable task = () -> {
            if (outcome.isDone()) {
                return; // waited for its slot too long: nobody wants it any more
            }
            Outcome<T, Abandoned> result = run(name, call);
            loop.post(() -> {
                timer.cancel();
                outcome.complete(result);
            });
        };
        try {
            slots.execute(task);
        } catch (RejectedExecutionException e) {
            loop.post(() -> {
                timer.cancel();
                outcome.complete(Outcome.failed(new Abandoned.Threw(name, e)));
            });
        }
        return outcome;
    }

    /** Takes no more calls and interrupts those under way. */
    @Override
    public void close() {
        slots.shutdownNow();
    }

    private static <T> Outcome<T, Abandoned> run(String name, Callable<T> call) {
        try {
            return Outcome.ok(call.call());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Outcome.failed(new Abandoned.Threw(name, e));
        } catch (Exception e) {
            return Outcome.failed(new Abandoned.Threw(name, e));
        } catch (Error e) {
            // A broken class in a library must not leave the caller without an answer.
            return Outcome.failed(new Abandoned.Threw(name, new IllegalStateException(e)));
        }
    }

    private static ThreadFactory daemons(String name) {
        var count = new AtomicInteger();
        return task -> {
            var thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
