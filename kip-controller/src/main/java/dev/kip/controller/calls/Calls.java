package dev.kip.controller.calls;

import dev.kip.controller.ControllerListener;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts calls, and drops the answers of those whose incarnation is over. Confined to the loop. */
public final class Calls {

    private static final Logger LOG = LoggerFactory.getLogger(Calls.class);

    private final Loop loop;
    private final ControllerListener listener;
    private boolean closed;

    public Calls(Loop loop, ControllerListener listener) {
        this.loop = loop;
        this.listener = listener;
    }

    /** @param verb for people and metrics, for example {@code create cells} */
    public <T, E> void on(
            String port,
            String verb,
            CompletionStage<Outcome<T, E>> call,
            Consumer<? super T> ok,
            Consumer<? super E> failed) {
        long began = loop.nanos();
        call.thenAccept(outcome -> {
            if (closed) {
                return;
            }
            String kind = outcome.fold(
                    result -> "ok",
                    error -> error == null ? "" : error.getClass().getSimpleName());
            listener.called(port, verb, kind, Duration.ofNanos(loop.nanos() - began));
            guarded(port + " " + verb, () -> outcome.on(ok, failed));
        });
    }

    /** A bug in one place must not stop the others. */
    public void guarded(String what, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("{}: its answer could not be taken in", what, e);
            listener.anomaly("bug", what + ": " + e);
        }
    }

    /** A timer of this incarnation. */
    public Loop.Timer after(Duration delay, String what, Runnable task) {
        return loop.after(delay, () -> {
            if (!closed) {
                guarded(what, task);
            }
        });
    }

    /** Runs later, if the incarnation is not over by then. */
    public void post(String what, Runnable task) {
        loop.post(() -> {
            if (!closed) {
                guarded(what, task);
            }
        });
    }

    public boolean closed() {
        return closed;
    }

    public void close() {
        closed = true;
    }
}
