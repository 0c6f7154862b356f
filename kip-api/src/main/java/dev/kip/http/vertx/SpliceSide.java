package dev.kip.http.vertx;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * One side of a {@link Splice}: stands before Vert.x in a connection's pipeline and, from the upgrade on, keeps what comes
 * to itself. Vert.x's own sockets cannot be told to end one direction only, and forget what they hold when a paused one
 * closes. State is confined to the connection's thread; what writes, reads on or closes may be called on any.
 */
final class SpliceSide extends ChannelInboundHandlerAdapter {

    private final Channel channel;
    private final ChannelPromise told;
    private final Deque<ByteBuf> held = new ArrayDeque<>();
    private volatile Optional<ChannelHandlerContext> self = Optional.empty();
    private Optional<Reader> reader = Optional.empty();
    private boolean upgraded;
    private boolean ended;
    private boolean closed;

    /** Who takes what comes. Told on the connection's thread. */
    interface Reader {

        /** It owns the piece from now on. */
        void piece(ByteBuf piece);

        /** Whether it takes more; if not, it says {@link SpliceSide#read} when it does. */
        boolean wantsMore();

        /** Once: the last piece has come. */
        void end();

        /** Once: the connection is gone, and nothing reaches it any more. */
        void closed();
    }

    private SpliceSide(Channel channel, boolean upgraded) {
        this.channel = channel;
        this.told = channel.newPromise();
        this.upgraded = upgraded;
    }

    /** In front of {@code last}, on a connection whose upgrade has been answered. On its thread. */
    static SpliceSide upgraded(ChannelHandlerContext last) {
        SpliceSide side = new SpliceSide(last.channel(), true);
        side.takeOver();
        last.pipeline().addBefore(last.name(), "splice", side);
        return side;
    }

    /** In front of {@code last}, on a connection that is about to be sent a request to upgrade. */
    static SpliceSide awaiting(ChannelHandlerContext last) {
        SpliceSide side = new SpliceSide(last.channel(), false);
        last.pipeline().addBefore(last.name(), "splice", side);
        return side;
    }

    /** Gives out what has come so far, then reads on. */
    void begin(Reader who) {
        channel.eventLoop().execute(() -> {
            reader = Optional.of(who);
            while (!held.isEmpty()) {
                who.piece(held.remove());
            }
            if (ended) {
                who.end();
            }
            if (closed) {
                who.closed();
            } else if (who.wantsMore()) {
                channel.read();
            }
        });
    }

    /** Completes when the piece has been given to the network. */
    ChannelFuture write(ByteBuf piece) {
        return self.orElseThrow().writeAndFlush(piece);
    }

    void read() {
        channel.read();
    }

    /** Tells the peer that nothing more is sent to it. Only when all that was written has left. */
    void endOutput() {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            shutdownOutput();
        } else {
            tls.closeOutbound().addListener(told -> shutdownOutput());
        }
    }

    private void shutdownOutput() {
        if (channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput(told);
        } else {
            told.trySuccess();
        }
    }

    /** Once {@link #endOutput} has told the peer. */
    void closeWhenTold() {
        told.addListener(done -> close());
    }

    /** At once: what is under way is lost. */
    void close() {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        if (first != null) { // else it is closed
            first.close();
        }
    }

    private void takeOver() {
        upgraded = true;
        channel.config().setAutoRead(false);
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        self = Optional.of(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!upgraded) {
            context.fireChannelRead(answered(context, message));
        } else if (message instanceof ByteBuf piece) {
            take(piece);
        } else if (message instanceof HttpContent content && content.content().isReadable()) {
            take(content.content()); // came in one read with the answer
        } else {
            context.fireChannelRead(message);
        }
    }

    private Object answered(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpResponse response) {
            int status = response.status().code();
            if (status == HttpResponseStatus.SWITCHING_PROTOCOLS.code()) {
                takeOver();
            } else if (status >= 200) {
                context.pipeline().remove(this); // refused: a connection as any other
            }
        }
        return message;
    }

    private void take(ByteBuf piece) {
        if (!piece.isReadable()) {
            piece.release();
        } else if (reader.isPresent()) {
            reader.get().piece(piece);
        } else {
            held.add(piece);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.fireChannelReadComplete();
        if (upgraded && !ended && reader.isPresent() && reader.get().wantsMore()) {
            channel.read();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (upgraded && (event instanceof ChannelInputShutdownEvent || event instanceof SslCloseCompletionEvent)) {
            noMore();
        }
        context.fireUserEventTriggered(event);
    }

    private void noMore() {
        if (!ended) {
            ended = true;
            reader.ifPresent(Reader::end);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (upgraded) {
            noMore();
            closed = true;
            reader.ifPresent(Reader::closed);
            held.forEach(ReferenceCountUtil::release);
            held.clear();
        }
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable broken) {
        if (upgraded) {
            close();
        } else {
            context.fireExceptionCaught(broken);
        }
    }
}
