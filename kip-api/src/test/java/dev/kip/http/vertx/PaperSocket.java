package dev.kip.http.vertx;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A connection without a network, and the peer at its other end: what each sends is a known sequence of bytes, so that any
 * that is lost, doubled or changed shows at once.
 */
final class PaperSocket extends EmbeddedChannel implements DuplexChannel {

    private final int key;
    private final Wire wire = new Wire();
    private final List<ByteBuf> buffers = new ArrayList<>();
    private boolean demand;
    private boolean outputEnded;
    private boolean endTold;
    long sent;
    long received;
    boolean finished;
    boolean left;

    /** A write that has not reached the peer. */
    private record Pending(ByteBuf piece, ChannelPromise promise) {}

    /** The network and what is under way on it to the peer. */
    private final class Wire extends ChannelDuplexHandler {
        private final Deque<Pending> pending = new ArrayDeque<>();

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            assertThat(outputEnded).as("written after the end").isFalse();
            pending.add(new Pending((ByteBuf) message, promise));
        }

        @Override
        public void flush(ChannelHandlerContext context) {}

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            while (!pending.isEmpty()) {
                Pending lost = pending.remove();
                lost.piece().release();
                lost.promise().setFailure(new ClosedChannelException());
            }
            context.fireChannelInactive();
        }
    }

    PaperSocket(int key) {
        this.key = key;
        pipeline().addFirst(wire);
        pipeline().addLast("last", new ChannelInboundHandlerAdapter());
    }

    SpliceSide side() {
        return SpliceSide.upgraded(pipeline().context("last"));
    }

    static byte at(int key, long position) {
        return (byte) (position * 31 + key * 7L + (position >> 8));
    }

    @Override
    protected void doBeginRead() {
        demand = true;
    }

    boolean open() {
        return isActive();
    }

    int underway() {
        return wire.pending.stream()
                .mapToInt(write -> write.piece().readableBytes())
                .sum();
    }

    boolean sawEnd() {
        return outputEnded;
    }

    /** The peer sends pieces of such lengths, as far as it is read. */
    void send(int... lengths) {
        if (!demand || finished || !open()) {
            return;
        }
        demand = false;
        for (int length : lengths) {
            ByteBuf piece = Unpooled.buffer(length);
            for (int index = 0; index < length; index++) {
                piece.writeByte(at(key, sent++));
            }
            buffers.add(piece);
            pipeline().fireChannelRead(piece);
        }
        pipeline().fireChannelReadComplete();
        runPendingTasks();
    }

    /** The peer has said its last. It is noticed when it is read. */
    void sayLast() {
        finished = true;
        tellEnd();
    }

    void tellEnd() {
        if (finished && demand && !endTold && open()) {
            demand = false;
            endTold = true;
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            pipeline().fireChannelReadComplete();
            runPendingTasks();
        }
    }

    /** The peer takes one piece, of what the other side's peer sent. */
    void take(int otherKey) {
        if (!wire.pending.isEmpty()) {
            Pending next = wire.pending.remove();
            if (left) {
                next.piece().release();
                next.promise().setFailure(new ClosedChannelException());
                reset();
                return;
            }
            while (next.piece().isReadable()) {
                assertThat(next.piece().readByte()).as("byte %s", received).isEqualTo(at(otherKey, received));
                received++;
            }
            next.piece().release();
            next.promise().setSuccess();
            runPendingTasks();
        }
    }

    /** The connection breaks. */
    void reset() {
        if (open()) {
            pipeline().firstContext().close();
            runPendingTasks();
        }
    }

    /** The peer goes: what it is sent from now on breaks the connection. */
    void leave() {
        left = true;
        sayLast();
    }

    void nothingIsKept() {
        assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Override
    public boolean isInputShutdown() {
        return endTold;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return newSucceededFuture();
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return promise.setSuccess();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputEnded;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        assertThat(wire.pending).as("ended before what was written").isEmpty();
        outputEnded = true;
        promise.trySuccess();
        return promise;
    }

    @Override
    public boolean isShutdown() {
        return endTold && outputEnded;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdownOutput();
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        return shutdownOutput(promise);
    }
}
