package dev.kip.controller.ownership;

import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudError;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.ownership.ShardAnchor.State;
import dev.kip.controller.ownership.Takeover.Held;
import dev.kip.controller.store.Versions;
import dev.kip.loop.Loop;
import dev.kip.loop.Stamp;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the shard's anchor by compare-and-swap, each time right after the lease was renewed. Whoever finds it in other
 * hands may not act any more. Confined to the loop.
 */
public final class AnchorKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(AnchorKeeper.class);

    /** After that an answer is not waited for any more. */
    private static final Duration ATTEMPT = Duration.ofMillis(1500);

    /** What a wall clock is corrected by without anything having happened. */
    private static final Duration CORRECTION = Duration.ofSeconds(1);

    private final Loop loop;
    private final Calls calls;
    private final Duration period;
    private final Duration patience;
    private final Supplier<String> mark;
    private final Listener listener;
    private Held held;
    private boolean waiting;
    private long askedAt;
    private int attempt;
    private boolean versionUnknown;
    private boolean late;
    private boolean over;

    /** Hears what becomes of the anchor. Called on the loop. */
    public interface Listener {

        /** Another incarnation has it: nothing may be changed from now on. */
        void lost(String because);

        /** The object is gone: nobody is known to have it. */
        void gone();

        /** It could not be renewed in time; until it is, nothing is changed outside the cluster. */
        void late(String because);
    }

    /**
     * @param period between two renewals, at least
     * @param patience an anchor that has not been renewed for so long is nobody's
     * @param mark the highest resourceVersion known
     */
    public AnchorKeeper(
            Loop loop,
            Calls calls,
            Held held,
            Duration period,
            Duration patience,
            Supplier<String> mark,
            Listener listener) {
        this.loop = loop;
        this.calls = calls;
        this.held = held;
        this.period = period;
        this.patience = patience;
        this.mark = mark;
        this.listener = listener;
    }

    /** Until when nobody else can have taken it, by {@link Loop#nanos}. */
    public long until() {
        return held.sentAt().end(patience, loop);
    }

    /** The lease has been renewed. */
    public void leaseRenewed() {
        if (over || loop.nanos() - held.sentAt().end(period, loop) < 0) {
            return;
        }
        if (waiting && loop.nanos() - askedAt < ATTEMPT.toNanos()) {
            return;
        }
        if (versionUnknown || waiting) { // what was not answered in time may have been written
            look();
        } else if (held.sentAt().slept(loop).compareTo(CORRECTION) > 0) {
            look(); // what the store's time was reckoned by stood still: a renewal would look older than it is
        } else {
            renew();
        }
    }

    private void renew() {
        Stamp sent = Stamp.now(loop);
        ShardAnchor next = as(State.CONFIRMED);
        int mine = asked();
        calls.on(
                "anchor",
                "write",
                held.store().write(held.key(), next.toJson(), Optional.of(held.version())),
                written -> {
                    if (answered(mine)) {
                        renewed(next, written, sent);
                    }
                },
                error -> {
                    if (answered(mine)) {
                        failed(error);
                    }
                });
    }

    private void renewed(ShardAnchor next, AnchorStore.Written written, Stamp sent) {
        held.clock().answered(written.serverTime(), sent.nanos());
        held = new Held(held.store(), held.key(), next, written.version(), sent, held.clock());
        if (late) {
            late = false;
            LOG.info("the anchor is renewed again");
        }
    }

    private void failed(CloudError error) {
        if (error instanceof CloudError.Changed || error instanceof CloudError.NotFound || error.effectUnknown()) {
            versionUnknown = true;
        }
        if (error instanceof CloudError.Changed) {
            look();
        } else {
            isLate(error.message());
        }
    }

    private void isLate(String why) {
        LOG.warn("the anchor could not be renewed: {}", why);
        if (!late && loop.nanos() - until() >= 0) {
            late = true;
            listener.late("the anchor " + held.store().location() + " could not be renewed: " + why);
        }
    }

    /** A write whose answer was lost may have been made: what is there decides. */
    private void look() {
        long sent = loop.nanos();
        int mine = asked();
        calls.on(
                "anchor",
                "read",
                held.store().read(held.key()),
                reading -> {
                    if (answered(mine)) {
                        held.clock().answered(reading.serverTime(), sent);
                        found(reading);
                    }
                },
                error -> {
                    if (answered(mine)) {
                        isLate(error.message());
                    }
                });
    }

    private int asked() {
        waiting = true;
        askedAt = loop.nanos();
        return ++attempt;
    }

    /** @return whether this answer is still waited for */
    private boolean answered(int which) {
        if (which != attempt) {
            return false;
        }
        waiting = false;
        return true;
    }

    private void found(AnchorStore.Reading reading) {
        if (reading.object().isEmpty()) {
            over = true;
            listener.gone();
            return;
        }
        Optional<ShardAnchor> shard = ShardAnchor.parse(reading.object().get().content());
        if (shard.isPresent() && shard.get().nonce().equals(held.shard().nonce())) {
            versionUnknown = false;
            held = new Held(
                    held.store(),
                    held.key(),
                    shard.get(),
                    reading.object().get().version(),
                    held.sentAt(),
                    held.clock());
            renew();
            return;
        }
        over = true;
        listener.lost("the anchor " + held.store().location() + " is in other hands: "
                + shard.map(other -> other.holder() + ", epoch " + other.epoch()
                                + ", in the cluster whose kube-system is " + other.clusterUid())
                        .orElse("what is there cannot be made sense of"));
    }

    private ShardAnchor as(State state) {
        ShardAnchor now = held.shard();
        return new ShardAnchor(
                now.epoch(),
                state,
                now.confirmed(),
                now.nonce(),
                now.clusterUid(),
                now.holder(),
                held.clock().latest(),
                Versions.later(now.mark(), mark.get()));
    }

    /**
     * Says that this incarnation stops in good order, so that the next need not wait to see whether it lives. The stage
     * completes when that has been tried, whether it worked or not.
     */
    public CompletionStage<Void> release() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (over) {
            done.complete(null);
            return done;
        }
        over = true;
        held.store()
                .write(held.key(), as(State.RELEASED).toJson(), Optional.of(held.version()))
                .thenAccept(outcome -> {
                    outcome.error().ifPresent(error -> LOG.info("release the anchor: {}", error.message()));
                    done.complete(null);
                });
        return done;
    }
}
