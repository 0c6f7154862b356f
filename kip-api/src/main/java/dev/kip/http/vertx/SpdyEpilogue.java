package dev.kip.http.vertx;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.spdy.SpdyFrameCodec;
import io.netty.handler.codec.spdy.SpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyVersion;
import io.netty.util.ReferenceCountUtil;
import java.util.Optional;
import java.util.TreeSet;

/** On every stream that its client has named an error stream, and whose end the server has not said. */
final class SpdyEpilogue implements Epilogue {

    private static final String STREAM_TYPE = "streamtype";

    private final byte[] words;

    /** Header blocks are compressed with what came before, so each is read. */
    @GuardedBy("this") private final EmbeddedChannel headers = new EmbeddedChannel(new SpdyFrameCodec(SpdyVersion.SPDY_3_1));

    @GuardedBy("this") private boolean unreadable;

    @GuardedBy("this") private final TreeSet<Integer> asked = new TreeSet<>();

    @GuardedBy("this") private final TreeSet<Integer> open = new TreeSet<>();

    @GuardedBy("this") private final SpdyFrames toServer;

    @GuardedBy("this") private final SpdyFrames toClient;

    SpdyEpilogue(String words) {
        this.words = words.getBytes(UTF_8);
        this.toServer = new SpdyFrames(new FromClient());
        this.toClient = new SpdyFrames(new FromServer());
    }

    @Override
    public synchronized void sent(ByteBuf piece) {
        toServer.pass(piece);
    }

    @Override
    public synchronized void received(ByteBuf piece) {
        toClient.pass(piece);
    }

    @Override
    public synchronized Optional<ByteBuf> words() {
        if (open.isEmpty() || !toClient.whole()) {
            return Optional.empty();
        }
        ByteBuf frames = Unpooled.buffer();
        for (int stream : open) {
            frames.writeInt(stream)
                    .writeInt(SpdyFrames.FIN << 24 | words.length)
                    .writeBytes(words);
        }
        open.clear();
        return Optional.of(frames);
    }

    @Override
    public synchronized void close() {
        unreadable = true;
        headers.finishAndReleaseAll();
    }

    private final class FromClient implements SpdyFrames.Taker {

        @Override
        public void lastData(int stream) {}

        @Override
        public void control(int type, int flags, ByteBuf whole) {
            if (type == SpdyFrames.RST_STREAM) {
                forget(SpdyFrames.stream(whole));
            } else if (type == SpdyFrames.SYN_STREAM || type == SpdyFrames.HEADERS) {
                read(whole);
            }
        }
    }

    private synchronized void read(ByteBuf whole) {
        if (unreadable) {
            return;
        }
        try {
            headers.writeInbound(whole);
        } catch (Exception e) { // the codec's own is a checked one that the channel throws undeclared
            unreadable = true;
            open.clear();
            asked.clear();
        }
        for (Object frame = headers.readInbound(); frame != null; frame = headers.readInbound()) {
            if (frame instanceof SpdySynStreamFrame opened
                    && "error".equals(opened.headers().getAsString(STREAM_TYPE))) {
                asked.add(opened.streamId());
            }
            ReferenceCountUtil.release(frame);
        }
    }

    private synchronized void forget(int stream) {
        asked.remove(stream);
        open.remove(stream);
    }

    private final class FromServer implements SpdyFrames.Taker {

        @Override
        public void lastData(int stream) {
            forget(stream);
        }

        @Override
        public void control(int type, int flags, ByteBuf whole) {
            int stream = SpdyFrames.stream(whole);
            if (type == SpdyFrames.RST_STREAM || (type == SpdyFrames.SYN_REPLY && (flags & SpdyFrames.FIN) != 0)) {
                forget(stream);
            } else if (type == SpdyFrames.SYN_REPLY) {
                replied(stream);
            }
        }
    }

    private synchronized void replied(int stream) {
        if (asked.remove(stream)) {
            open.add(stream);
        }
    }
}
