package dev.kip.http.vertx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.spdy.DefaultSpdyDataFrame;
import io.netty.handler.codec.spdy.DefaultSpdyRstStreamFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynReplyFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynStreamFrame;
import io.netty.handler.codec.spdy.SpdyDataFrame;
import io.netty.handler.codec.spdy.SpdyFrameCodec;
import io.netty.handler.codec.spdy.SpdyStreamFrame;
import io.netty.handler.codec.spdy.SpdyVersion;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is said last on SPDY and WebSocket, whatever pieces the bytes come in. */
class EpiloguesTest {

    private static final String LOST = "the far server was lost";

    private final EmbeddedChannel client = new EmbeddedChannel(new SpdyFrameCodec(SpdyVersion.SPDY_3_1));
    private final EmbeddedChannel server = new EmbeddedChannel(new SpdyFrameCodec(SpdyVersion.SPDY_3_1));
    private final SpdyEpilogue spdy = new SpdyEpilogue(LOST);
    private final WebSocketEpilogue socket = new WebSocketEpilogue(LOST);

    private void sent(SpdyStreamFrame frame) {
        inPieces(encoded(client, frame), spdy::sent);
    }

    private void received(SpdyStreamFrame frame) {
        inPieces(encoded(server, frame), spdy::received);
    }

    private static ByteBuf encoded(EmbeddedChannel side, SpdyStreamFrame frame) {
        side.writeOutbound(frame);
        ByteBuf whole = Unpooled.buffer();
        for (ByteBuf piece = side.readOutbound(); piece != null; piece = side.readOutbound()) {
            whole.writeBytes(piece);
            piece.release();
        }
        return whole;
    }

    private static void inPieces(ByteBuf bytes, java.util.function.Consumer<ByteBuf> passes) {
        for (int length = 1; bytes.isReadable(); length = length % 3 + 1) {
            passes.accept(bytes.readSlice(Math.min(length, bytes.readableBytes())));
        }
    }

    private void open(int stream, String type) {
        DefaultSpdySynStreamFrame frame = new DefaultSpdySynStreamFrame(stream, 0, (byte) 0);
        frame.headers().set("streamtype", type);
        sent(frame);
        received(new DefaultSpdySynReplyFrame(stream));
    }

    private static DefaultSpdyDataFrame data(int stream, String text, boolean last) {
        DefaultSpdyDataFrame frame = new DefaultSpdyDataFrame(stream, Unpooled.copiedBuffer(text, UTF_8));
        frame.setLast(last);
        return frame;
    }

    private void says(int... streams) {
        ByteBuf words = spdy.words().orElseThrow();
        server.writeInbound(words);
        for (int stream : streams) {
            SpdyDataFrame frame = server.readInbound();
            assertThat(frame.streamId()).isEqualTo(stream);
            assertThat(frame.isLast()).isTrue();
            assertThat(frame.content().toString(UTF_8)).isEqualTo(LOST);
            frame.release();
        }
        Object more = server.readInbound();
        assertThat(more).isNull();
    }

    @Test
    void every_error_stream_whose_end_was_not_said_is_told_and_no_other() {
        open(1, "error");
        open(3, "stdout");
        open(5, "error");
        open(7, "error");
        open(9, "error");
        received(data(3, "a part", false));
        received(data(5, "said", true));
        received(new DefaultSpdyRstStreamFrame(9, 5));

        says(1, 7);
        assertThat(spdy.words()).as("once").isEmpty();
    }

    @Test
    void a_stream_that_was_not_taken_up_or_was_given_up_is_not_told() {
        DefaultSpdySynStreamFrame unanswered = new DefaultSpdySynStreamFrame(1, 0, (byte) 0);
        unanswered.headers().set("streamtype", "error");
        sent(unanswered);
        open(3, "error");
        sent(new DefaultSpdyRstStreamFrame(3, 5));

        assertThat(spdy.words()).isEmpty();
    }

    @Test
    void behind_half_a_frame_nothing_can_be_said() {
        open(1, "error");
        open(3, "stdout");
        ByteBuf frame = encoded(server, data(3, "a part", false));
        spdy.received(frame.readSlice(frame.readableBytes() - 1));

        assertThat(spdy.words()).isEmpty();
    }

    @Test
    void bytes_that_are_no_spdy_silence_it() {
        open(1, "error");
        spdy.sent(Unpooled.copyInt(0x8003_0001, 12, 0, 0, 0xffff_ffff));

        assertThat(spdy.words()).isEmpty();
    }

    @Test
    void a_web_socket_is_told_on_its_error_channel_and_closed() {
        inPieces(Unpooled.wrappedBuffer(new byte[] {(byte) 0x82, 3, 1, 'h', 'i'}), socket::received);

        ByteBuf words = socket.words().orElseThrow();
        assertThat(words.readUnsignedByte()).isEqualTo((short) 0x82);
        assertThat(words.readUnsignedByte()).isEqualTo((short) (LOST.length() + 1));
        assertThat(words.readByte()).isEqualTo((byte) 3);
        assertThat(words.readCharSequence(LOST.length(), UTF_8)).hasToString(LOST);
        assertThat(words.readUnsignedShort()).isEqualTo(0x8802);
        assertThat(words.readUnsignedShort()).isEqualTo(1011);
        assertThat(words.isReadable()).isFalse();
    }

    @Test
    void a_web_socket_that_has_been_told_or_is_cut_in_a_frame_is_not_told() {
        WebSocketEpilogue told = new WebSocketEpilogue(LOST);
        inPieces(Unpooled.wrappedBuffer(new byte[] {(byte) 0x82, 3, 3, '{', '}'}), told::received);
        assertThat(told.words()).isEqualTo(Optional.empty());

        ByteBuf half = Unpooled.buffer().writeByte(0x82).writeByte(126).writeShort(300);
        inPieces(half.writeByte(1), socket::received);
        assertThat(socket.words()).isEmpty();
    }
}
