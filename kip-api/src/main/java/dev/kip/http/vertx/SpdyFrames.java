package dev.kip.http.vertx;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The frames of one direction of SPDY 3.1: data is counted only, control frames are kept until they are whole. */
final class SpdyFrames {

    static final int HEADER = 8;
    static final int FIN = 1;
    static final int SYN_STREAM = 1;
    static final int SYN_REPLY = 2;
    static final int RST_STREAM = 3;
    static final int HEADERS = 8;

    /** Of a control frame; kubelets and their clients send a few hundred bytes. */
    private static final int MOST = 64 << 10;

    private static final int ID = 0x7fff_ffff;
    private static final int LENGTH = 0xff_ffff;

    private final Taker taker;
    private final ByteBuf header = Unpooled.buffer(HEADER);
    private ByteBuf control = Unpooled.EMPTY_BUFFER;
    private int left;
    private boolean broken;

    /** Told of each frame. */
    interface Taker {

        /** The last piece of data that a side sends on a stream is about to pass. */
        void lastData(int stream);

        /** @param whole the frame with its header; the taker's */
        void control(int type, int flags, ByteBuf whole);
    }

    SpdyFrames(Taker taker) {
        this.taker = taker;
    }

    /** Whether the last frame that began has come whole. */
    boolean whole() {
        return !broken && left == 0 && !header.isReadable();
    }

    void pass(ByteBuf piece) {
        int at = piece.readerIndex();
        while (at < piece.writerIndex() && !broken) {
            int length;
            if (left > 0) {
                length = Math.min(left, piece.writerIndex() - at);
                keep(piece, at, length);
                left -= length;
                told();
            } else {
                length = Math.min(HEADER - header.readableBytes(), piece.writerIndex() - at);
                header.writeBytes(piece, at, length);
                begin();
            }
            at += length;
        }
    }

    private void keep(ByteBuf piece, int at, int length) {
        if (control.capacity() > 0) {
            control.writeBytes(piece, at, length);
        }
    }

    private void begin() {
        if (header.readableBytes() < HEADER) {
            return;
        }
        int first = header.getInt(0);
        int second = header.getInt(4);
        left = second & LENGTH;
        if (first < 0) {
            broken = left > MOST;
            control = Unpooled.buffer(HEADER + Math.min(left, MOST)).writeBytes(header, 0, HEADER);
        } else if ((second >>> 24 & FIN) != 0) {
            taker.lastData(first & ID);
        }
        header.clear();
        told();
    }

    private void told() {
        if (left == 0 && control.isReadable()) {
            ByteBuf done = control;
            control = Unpooled.EMPTY_BUFFER;
            taker.control(done.getUnsignedShort(2), done.getUnsignedByte(4), done);
        }
    }

    /** The stream that a control frame is about. */
    static int stream(ByteBuf whole) {
        return whole.readableBytes() < HEADER + 4 ? 0 : whole.getInt(HEADER) & ID;
    }
}
