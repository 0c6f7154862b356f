package dev.kip.http.vertx;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;

/**
 * Two connections made one. Bytes pass unchanged; a side that is not read stops the other. The end of one side ends the
 * other once all that came from it is written.
 */
final class Splice {

    private final Vertx vertx;
    private final NetSocket left;
    private final NetSocket right;
    private final Runnable ended;
    private volatile boolean moved;
    private volatile boolean over;
    private long timer = -1;
    private int still;

    private Splice(Vertx vertx, NetSocket left, NetSocket right, Runnable ended) {
        this.vertx = vertx;
        this.left = left;
        this.right = right;
        this.ended = ended;
    }

    /** How many looks without a byte end it: the last of them comes up to a fifth of the time late. */
    private static final int LOOKS = 5;

    /**
     * Both sides are paused until now.
     *
     * @param ended told once, on a thread of the network
     */
    static void join(Vertx vertx, NetSocket left, NetSocket right, long idleMillis, Runnable ended) {
        Splice splice = new Splice(vertx, left, right, ended);
        splice.timer = vertx.setPeriodic(Math.max(1, idleMillis / LOOKS), look -> splice.look());
        splice.pass(left, right);
        splice.pass(right, left);
        left.resume();
        right.resume();
    }

    void pass(NetSocket from, NetSocket to) {
        from.handler(piece -> {
            moved = true;
            write(from, to, piece);
        });
        from.exceptionHandler(broken -> {}); // the close handler follows
        from.closeHandler(closed -> finish(to));
    }

    private static void write(NetSocket from, NetSocket to, Buffer piece) {
        to.write(piece);
        if (to.writeQueueFull()) {
            from.pause();
            to.drainHandler(drained -> from.resume());
        }
    }

    private void look() {
        still = moved ? 0 : still + 1;
        moved = false;
        if (still >= LOOKS) {
            left.close();
            right.close();
        }
    }

    private synchronized void finish(NetSocket other) {
        if (!over) {
            over = true;
            vertx.cancelTimer(timer);
            other.end(); // after what has been written
            ended.run();
        }
    }
}
