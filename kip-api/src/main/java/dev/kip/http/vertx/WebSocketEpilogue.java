package dev.kip.http.vertx;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Optional;

/** On the error channel of {@code v4.channel.k8s.io} and {@code v5.channel.k8s.io}, then the close of the WebSocket. */
final class WebSocketEpilogue implements Epilogue {

    private static final int ERROR_CHANNEL = 3;
    private static final int BINARY = 0x82;
    private static final int CLOSE = 0x88;
    private static final int INTERNAL_ERROR = 1011;
    private static final int OPCODE = 0x0f;
    private static final int LENGTH = 0x7f;
    private static final int TWO_BYTES = 126;
    private static final int EIGHT_BYTES = 127;
    private static final int LONGEST_HEADER = 10;

    private final byte[] words;

    @GuardedBy("this") private final ByteBuf header = Unpooled.buffer(LONGEST_HEADER);

    @GuardedBy("this") private long left;

    @GuardedBy("this") private boolean first;

    @GuardedBy("this") private boolean told;

    WebSocketEpilogue(String words) {
        this.words = words.getBytes(UTF_8);
    }

    @Override
    public void sent(ByteBuf piece) {}

    @Override
    public synchronized void received(ByteBuf piece) {
        int at = piece.readerIndex();
        while (at < piece.writerIndex()) {
            if (left > 0) {
                if (first && isData()) {
                    told |= piece.getByte(at) == ERROR_CHANNEL;
                }
                first = false;
                long length = Math.min(left, piece.writerIndex() - at);
                left -= length;
                at += (int) length;
                if (left == 0) {
                    header.clear();
                }
            } else {
                header.writeByte(piece.getByte(at++));
                begin();
            }
        }
    }

    /** Servers do not mask: their headers have 2, 4 or 10 bytes. */
    private synchronized void begin() {
        if (header.readableBytes() < 2) {
            return;
        }
        int length = header.getByte(1) & LENGTH;
        int whole = length == TWO_BYTES ? 4 : length == EIGHT_BYTES ? LONGEST_HEADER : 2;
        if (header.readableBytes() < whole) {
            return;
        }
        left = length == TWO_BYTES
                ? header.getUnsignedShort(2)
                : length == EIGHT_BYTES ? Math.max(0, header.getLong(2)) : length;
        first = true;
        told |= (header.getByte(0) & OPCODE) == (CLOSE & OPCODE);
        if (left == 0) {
            header.clear();
        }
    }

    private synchronized boolean isData() {
        int opcode = header.getByte(0) & OPCODE;
        return opcode == 1 || opcode == 2;
    }

    @Override
    public void close() {}

    @Override
    public synchronized Optional<ByteBuf> words() {
        if (told || left > 0 || header.isReadable()) {
            return Optional.empty();
        }
        told = true;
        ByteBuf frames = Unpooled.buffer();
        int length = words.length + 1;
        frames.writeByte(BINARY);
        if (length < TWO_BYTES) {
            frames.writeByte(length);
        } else {
            frames.writeByte(TWO_BYTES).writeShort(length);
        }
        frames.writeByte(ERROR_CHANNEL).writeBytes(words);
        return Optional.of(frames.writeByte(CLOSE).writeByte(2).writeShort(INTERNAL_ERROR));
    }
}
