package dev.kip.kube.vertx;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A bearer token that someone else replaces from time to time. Read on a thread of its own; the last good one is used meanwhile. */
final class RotatingToken {

    /** The kubelet replaces a service account's token when a fifth of its life is left: minutes. */
    private static final Duration FRESH = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(RotatingToken.class);

    private final Supplier<String> source;
    private final Executor reader;
    private final AtomicBoolean reading = new AtomicBoolean();
    private volatile String token;
    private volatile long readAt = System.nanoTime();

    RotatingToken(String token, Supplier<String> source) {
        this(token, source, thread());
    }

    RotatingToken(String token, Supplier<String> source, Executor reader) {
        this.token = token;
        this.source = source;
        this.reader = reader;
    }

    /** Never blocks. */
    String current() {
        if (System.nanoTime() - readAt > FRESH.toNanos()) {
            refresh();
        }
        return token;
    }

    /** Reads it anew, soon. Never blocks. */
    void refresh() {
        if (reading.compareAndSet(false, true)) {
            reader.execute(() -> {
                try {
                    token = source.get();
                } catch (RuntimeException e) {
                    LOG.warn("the bearer token could not be read again, the last one is used on: {}", e.getMessage());
                } finally {
                    readAt = System.nanoTime();
                    reading.set(false);
                }
            });
        }
    }

    /** Its thread ends when idle, so that nobody need close it. */
    private static Executor thread() {
        return new ThreadPoolExecutor(0, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            var thread = new Thread(task, "kube-token");
            thread.setDaemon(true);
            return thread;
        });
    }
}
