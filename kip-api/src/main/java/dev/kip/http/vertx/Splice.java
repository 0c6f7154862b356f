package dev.kip.http.vertx;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.Optional;

/**
 * Two connections made one. Bytes pass unchanged; a side that does not take them stops the other. When one side has said
 * its last, the other is told so once all of it is written, and may go on. When one is gone altogether, the other gets what
 * is left and the end. Any thread.
 */
final class Splice {

    /** Bytes on their way to one side; with more, the other is not read. */
    private static final int MOST_UNDERWAY = 256 << 10;

    /** How many looks without a byte end it: the last of them comes up to a fifth of the time late. */
    private static final int LOOKS = 5;

    /** When one side has ended and the other says nothing, nobody may be left to end it. */
    private static final Duration HALF_IDLE = Duration.ofMinutes(1);

    /** For the peer to take what it was sent: closing at once would destroy that, if it is still sending. */
    private static final Duration LINGER = Duration.ofSeconds(5);

    private final Timers timers;
    private final SpliceSide left;
    private final SpliceSide right;
    private final Epilogue epilogue;
    private final Way leftToRight;
    private final Way rightToLeft;
    private final Duration idle;
    private final Runnable ended;

    @GuardedBy("this") private boolean moved;

    @GuardedBy("this") private boolean over;

    @GuardedBy("this") private int still;

    @GuardedBy("this") private int closed;

    @GuardedBy("this") private Optional<Runnable> timer = Optional.empty();

    private Splice(Timers timers, SpliceSide left, SpliceSide right, Epilogue epilogue, Duration idle, Runnable ended) {
        this.timers = timers;
        this.left = left;
        this.right = right;
        this.epilogue = epilogue;
        this.idle = idle;
        this.ended = ended;
        this.leftToRight = new Way(left, right);
        this.rightToLeft = new Way(right, left);
    }

    /**
     * @param left the client's
     * @param epilogue what the client is told if the server's side ends too early
     * @param ended told once, on a thread of the network, when both connections are closed
     */
    static Splice join(
            Timers timers, SpliceSide left, SpliceSide right, Epilogue epilogue, Duration idle, Runnable ended) {
        Splice splice = new Splice(timers, left, right, epilogue, idle, ended);
        splice.watch(idle);
        left.begin(splice.leftToRight);
        right.begin(splice.rightToLeft);
        return splice;
    }

    /** Closes both at once, whatever is under way. */
    void cut() {
        left.close();
        right.close();
    }

    /** The server is lost: its side is closed at once, the client's when it has heard the rest. */
    void lose() {
        right.close();
    }

    private synchronized void watch(Duration limit) {
        stopWatching();
        still = 0;
        timer = Optional.of(timers.every(limit.dividedBy(LOOKS), this::look));
    }

    private synchronized void stopWatching() {
        timer.ifPresent(Runnable::run);
        timer = Optional.empty();
    }

    private void look() {
        boolean dead;
        synchronized (this) {
            still = moved ? 0 : still + 1;
            moved = false;
            dead = still >= LOOKS;
        }
        if (dead) {
            cut();
        }
    }

    /** One way has nothing more to carry. */
    private synchronized void settle() {
        if (over) {
            return;
        }
        if (!leftToRight.done || !rightToLeft.done) {
            watch(idle.compareTo(HALF_IDLE) < 0 ? idle : HALF_IDLE);
            return;
        }
        over = true;
        stopWatching();
        if (closed < 2) {
            timer = Optional.of(timers.after(LINGER, this::cut));
        }
        leftToRight.closeIfEnded();
        rightToLeft.closeIfEnded();
    }

    private void gone() {
        boolean last;
        synchronized (this) {
            closed++;
            last = closed == 2;
            if (last) {
                stopWatching();
            }
        }
        if (last) {
            epilogue.close();
            ended.run();
        }
    }

    /** From one side to the other. Its fields are guarded by the splice. */
    private final class Way implements SpliceSide.Reader {

        private final SpliceSide from;
        private final SpliceSide to;
        private int underway;
        private boolean dead;
        private boolean noMore;
        private boolean done;

        Way(SpliceSide from, SpliceSide to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public void piece(ByteBuf piece) {
            int length = piece.readableBytes();
            synchronized (Splice.this) {
                moved = true;
                if (dead) {
                    piece.release(); // nobody is left to take it
                    return;
                }
                underway += length;
                if (this == leftToRight) {
                    epilogue.sent(piece);
                } else {
                    epilogue.received(piece);
                }
            }
            to.write(piece).addListener(written -> left(length));
        }

        @Override
        public boolean wantsMore() {
            synchronized (Splice.this) {
                return dead || underway <= MOST_UNDERWAY;
            }
        }

        private void left(int length) {
            boolean more;
            synchronized (Splice.this) {
                boolean full = underway > MOST_UNDERWAY;
                moved = true;
                underway -= length;
                more = full && underway <= MOST_UNDERWAY && !noMore;
                passEnd();
            }
            if (more) {
                from.read();
            }
        }

        @Override
        public void end() {
            synchronized (Splice.this) {
                noMore = true;
                passEnd();
                if (over) {
                    closeIfEnded();
                }
            }
        }

        private void passEnd() {
            if (noMore && underway == 0 && !done && !sayLast()) {
                done = true;
                to.endOutput();
                settle();
            }
        }

        /** Whether something has still to be said to the client, who listens, and is being said. */
        private boolean sayLast() {
            Optional<ByteBuf> words = this == rightToLeft && !leftToRight.noMore ? epilogue.words() : Optional.empty();
            words.ifPresent(last -> {
                int length = last.readableBytes();
                underway += length;
                to.write(last).addListener(written -> left(length));
            });
            return words.isPresent();
        }

        @Override
        public void closed() {
            Way back = this == leftToRight ? rightToLeft : leftToRight;
            back.die();
            gone();
        }

        /** Where it led to is gone: what still comes is read and dropped, so that the end behind it is seen. */
        private void die() {
            synchronized (Splice.this) {
                dead = true;
                if (!done) {
                    done = true;
                    settle();
                }
            }
            from.read();
        }

        private void closeIfEnded() {
            if (noMore) {
                from.closeWhenTold();
            }
        }
    }
}
