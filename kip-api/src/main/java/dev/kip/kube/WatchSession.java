package dev.kip.kube;

import com.google.common.collect.ImmutableList;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watch, whatever carries it. Frames are decoded on the decoder and delivered on the loop, in order; the carrier is
 * asked for more only when the last piece has been delivered. The end is told once, after every frame before it.
 */
final class WatchSession<T> implements KubeApi.Watch {

    /** etcd takes no object larger than 1.5 MB by default; JSON can be several times its stored size. */
    static final int MAX_EVENT_BYTES = 16 << 20;

    /** How much longer than asked for a watch may stay silent: the server ends it itself before that, if it still lives. */
    static final Duration SILENCE_SLACK = Duration.ofSeconds(15);

    private static final Logger LOG = LoggerFactory.getLogger(WatchSession.class);

    private final String what;
    private final ResourceKind<T> kind;
    private final Loop loop;
    private final Executor decoder;
    private final WatchListener<T> listener;
    private final Duration silence;

    // Confined to the loop.
    private Optional<Carrier> carrier = Optional.empty();
    private Optional<Loop.Timer> patience;
    private Optional<KubeError> endAfterDelivery = Optional.empty();
    private int underWay;
    private long heardAt;
    private boolean over;

    WatchSession(
            String what,
            ResourceKind<T> kind,
            WatchQuery query,
            Loop loop,
            Executor decoder,
            Duration openTimeout,
            WatchListener<T> listener) {
        this.what = what;
        this.kind = kind;
        this.loop = loop;
        this.decoder = decoder;
        this.listener = listener;
        this.silence = query.timeout().plus(SILENCE_SLACK);
        this.heardAt = loop.nanos();
        this.patience = Optional.of(loop.after(
                openTimeout,
                () -> end(new KubeError.NoAnswer(
                        what + ": the watch did not open within " + openTimeout.toMillis() + " ms"))));
    }

    String what() {
        return what;
    }

    /** The watch is open. From any thread. */
    void opened(Carrier by) {
        loop.post(() -> {
            if (over) {
                by.cancel();
                return;
            }
            carrier = Optional.of(by);
            patience.ifPresent(Loop.Timer::cancel);
            heardAt = loop.nanos();
            patience = Optional.of(loop.after(silence, this::checkSilence));
            telling(listener::opened);
            if (!over) {
                by.first();
            }
        });
    }

    /** A piece has come. From the carrier's thread; the next one comes only after {@link Carrier#next}. */
    void received(ImmutableList<byte[]> events) {
        loop.post(() -> underWay++);
        Failures.run(
                decoder,
                () -> {
                    var frames = ImmutableList.<WatchFrame<T>>builderWithExpectedSize(events.size());
                    for (byte[] event : events) {
                        frames.add(WatchFrame.decode(what, kind, event));
                    }
                    ImmutableList<WatchFrame<T>> decoded = frames.build();
                    loop.post(() -> deliver(decoded));
                },
                () -> abandon(new KubeError.NoAnswer(what + ": this process is ending")));
    }

    /** Nothing more will come. From any thread; frames that are being decoded are delivered first. */
    void finished(KubeError reason) {
        loop.post(() -> {
            carrier = Optional.empty(); // has nothing left to cancel
            if (underWay == 0) {
                end(reason);
            } else if (endAfterDelivery.isEmpty()) {
                endAfterDelivery = Optional.of(reason);
            }
        });
    }

    /** The carrier is of no use any more. From any thread. */
    void abandon(KubeError reason) {
        loop.post(() -> end(reason));
    }

    @Override
    public void close() {
        if (over) {
            return;
        }
        over = true;
        patience.ifPresent(Loop.Timer::cancel);
        carrier.ifPresent(Carrier::cancel);
    }

    private void deliver(ImmutableList<WatchFrame<T>> frames) {
        underWay--;
        heardAt = loop.nanos();
        for (WatchFrame<T> frame : frames) {
            if (over) {
                return;
            }
            telling(() -> frame.deliver(listener, this::end));
        }
        if (over) {
            return;
        }
        if (underWay == 0 && endAfterDelivery.isPresent()) {
            end(endAfterDelivery.get());
        } else {
            carrier.ifPresent(Carrier::next);
        }
    }

    private void telling(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            LOG.error("{}: the listener failed on an event; the watch goes on", what, e);
        }
    }

    /** Finds half-open connections: a load balancer that forgot us sends nothing, not even an end. */
    private void checkSilence() {
        Duration quiet = Duration.ofNanos(loop.nanos() - heardAt);
        if (quiet.compareTo(silence) >= 0) {
            end(new KubeError.NoAnswer(what + ": silent for " + quiet.toSeconds() + " s"));
        } else {
            patience = Optional.of(loop.after(silence.minus(quiet), this::checkSilence));
        }
    }

    private void end(KubeError reason) {
        if (over) {
            return;
        }
        close();
        listener.ended(reason);
    }

    /** What brings the frames. Its methods may be called from any thread. */
    interface Carrier {

        /** The first piece may come. */
        void first();

        /** The last piece has been handled. Two pieces asked for at once might be decoded out of order. */
        void next();

        void cancel();
    }
}
