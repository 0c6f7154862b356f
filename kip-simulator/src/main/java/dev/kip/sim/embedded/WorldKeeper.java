package dev.kip.sim.embedded;

import dev.kip.loop.Loop;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes the world to its file again and again, so that what a sudden end loses is the last period at most. The world is
 * looked at within one turn of its loop, so all its parts are of one moment; turned into bytes and written elsewhere.
 */
final class WorldKeeper {

    static final Duration PERIOD = Duration.ofSeconds(2);

    /** Of a large world: that the writing takes no more than this share of the time. */
    private static final int SHARE = 10;

    private static final Logger LOG = LoggerFactory.getLogger(WorldKeeper.class);

    private final Loop loop;
    private final Vertx vertx;
    private final WorldFile file;
    private final Supplier<ObjectNode> snapshot;
    private CompletableFuture<Boolean> underway = CompletableFuture.completedFuture(true);
    private boolean stopped;

    /** @param snapshot called on the loop; what it gives must not change any more */
    WorldKeeper(Loop loop, Vertx vertx, WorldFile file, Supplier<ObjectNode> snapshot) {
        this.loop = loop;
        this.vertx = vertx;
        this.file = file;
        this.snapshot = snapshot;
    }

    /** Begins. On the loop. */
    void start() {
        next(PERIOD);
    }

    private void next(Duration pause) {
        loop.after(pause, () -> {
            if (!stopped) {
                save();
            }
        });
    }

    private void save() {
        ObjectNode world = snapshot.get();
        long began = loop.nanos();
        CompletableFuture<Boolean> written = new CompletableFuture<>();
        underway = written;
        vertx.executeBlocking(() -> {
                    file.write(world);
                    return true;
                })
                .onComplete(result -> {
                    if (result.failed()) {
                        LOG.error("the world cannot be kept; what was kept before is whole", result.cause());
                    }
                    written.complete(true);
                    loop.post(() -> next(pauseAfter(Duration.ofNanos(loop.nanos() - began))));
                });
    }

    private static Duration pauseAfter(Duration took) {
        Duration fair = took.multipliedBy(SHARE);
        return fair.compareTo(PERIOD) > 0 ? fair : PERIOD;
    }

    /**
     * Stops writing, and says what the last state is, to be given to {@link #writeLast}. On the loop.
     */
    ObjectNode stop() {
        stopped = true;
        return snapshot.get();
    }

    /** Writes after whatever is being written. Blocks; not on the loop. */
    void writeLast(ObjectNode world) throws IOException {
        underway.join();
        file.write(world);
    }
}
