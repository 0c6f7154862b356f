package dev.kip.kube;

import com.google.common.collect.ImmutableList;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/** Cuts a byte stream into lines, however it was split on the way. Empty lines are dropped. */
final class LineFramer {

    private final int maxLineBytes;
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();

    LineFramer(int maxLineBytes) {
        this.maxLineBytes = maxLineBytes;
    }

    /**
     * The lines that {@code buffers} complete.
     *
     * @throws OversizeException once a line is longer than allowed
     */
    ImmutableList<byte[]> add(List<ByteBuffer> buffers) throws OversizeException {
        var lines = ImmutableList.<byte[]>builder();
        for (ByteBuffer buffer : buffers) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            int start = 0;
            for (int at = 0; at < bytes.length; at++) {
                if (bytes[at] == '\n') {
                    take(bytes, start, at);
                    if (rest.size() > 0) {
                        lines.add(rest.toByteArray());
                        rest.reset();
                    }
                    start = at + 1;
                }
            }
            take(bytes, start, bytes.length);
        }
        return lines.build();
    }

    /** Whether the stream stands in the middle of a line. */
    boolean inLine() {
        return rest.size() > 0;
    }

    private void take(byte[] bytes, int from, int to) throws OversizeException {
        int end = to > from && bytes[to - 1] == '\r' ? to - 1 : to;
        if (rest.size() + end - from > maxLineBytes) {
            throw new OversizeException(maxLineBytes);
        }
        rest.write(bytes, from, end - from);
    }

    /** A line is too long to be an event. */
    static final class OversizeException extends Exception {
        OversizeException(int maxLineBytes) {
            super("an event of more than " + maxLineBytes + " bytes");
        }
    }
}
