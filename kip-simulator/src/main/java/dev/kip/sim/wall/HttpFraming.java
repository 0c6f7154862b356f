package dev.kip.sim.wall;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/** As much of HTTP/1.1 (RFC 9112) as it takes to see where a message ends. */
public final class HttpFraming {
    /** What the connection is good for after an answer. */
    public enum After {
        NEXT_REQUEST,
        CLOSE,
        UPGRADED
    }

    /**
     * A message, bytes as characters (ISO 8859-1): its head, the head and body as they came, and the body without its
     * chunk framing.
     */
    public record Message(String head, String raw, String content) {
        public byte[] bytes() {
            return raw.getBytes(StandardCharsets.ISO_8859_1);
        }

        public String method() {
            return head.substring(0, head.indexOf(' '));
        }

        /** Path with query. */
        public String target() {
            return head.split(" ", 3)[1];
        }

        public int status() {
            return Integer.parseInt(head.substring(9, 12));
        }

        public Optional<String> header(String name) {
            String wanted = name.toLowerCase(Locale.ROOT) + ":";
            return head.lines()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(wanted))
                    .map(line -> line.substring(wanted.length()).strip())
                    .findFirst();
        }

        public boolean closes() {
            return header("Connection").map(v -> v.equalsIgnoreCase("close")).orElse(head.startsWith("HTTP/1.0"));
        }

        public boolean chunked() {
            return header("Transfer-Encoding")
                    .map(v -> v.toLowerCase(Locale.ROOT).contains("chunked"))
                    .orElse(false);
        }
    }

    private HttpFraming() {}

    /** Empty at the end of the connection. */
    public static Optional<Message> readRequest(InputStream from) throws IOException {
        Optional<Message> head = readHead(from);
        if (head.isEmpty()) {
            return head;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        bytes.write(head.get().bytes());
        copyBody(head.get(), from, bytes, content);
        return Optional.of(new Message(
                head.get().head(),
                bytes.toString(StandardCharsets.ISO_8859_1),
                content.toString(StandardCharsets.ISO_8859_1)));
    }

    /** Hands the answer on as it comes, a watch's event with its arrival. */
    public static After copyAnswer(Message request, InputStream from, OutputStream to) throws IOException {
        Message head = readHead(from).orElseThrow(() -> new EOFException("no answer to " + request.target()));
        to.write(head.bytes());
        to.flush();
        if (head.status() == 101) {
            return After.UPGRADED;
        }
        if (head.status() / 100 == 1) {
            return copyAnswer(request, from, to);
        }
        if (request.method().equals("HEAD") || head.status() == 204 || head.status() == 304) {
            return head.closes() ? After.CLOSE : After.NEXT_REQUEST;
        }
        if (!head.chunked() && head.header("Content-Length").isEmpty()) {
            copy(from, to, Long.MAX_VALUE);
            return After.CLOSE;
        }
        copyBody(head, from, to, OutputStream.nullOutputStream());
        return head.closes() ? After.CLOSE : After.NEXT_REQUEST;
    }

    private static void copyBody(Message head, InputStream from, OutputStream raw, OutputStream content)
            throws IOException {
        if (!head.chunked()) {
            long length = head.header("Content-Length").map(Long::parseLong).orElse(0L);
            copy(from, new Both(raw, content), length);
            return;
        }
        while (true) {
            String sizeLine = readWholeLine(from);
            raw.write(sizeLine.getBytes(StandardCharsets.ISO_8859_1));
            long size = Long.parseLong(sizeLine.split("[;\r]", 2)[0].strip(), 16);
            if (size == 0) {
                String trailer;
                do {
                    trailer = readWholeLine(from);
                    raw.write(trailer.getBytes(StandardCharsets.ISO_8859_1));
                } while (!trailer.equals("\r\n"));
                raw.flush();
                return;
            }
            copy(from, new Both(raw, content), size);
            raw.write(readWholeLine(from).getBytes(StandardCharsets.ISO_8859_1));
            raw.flush();
        }
    }

    private static void copy(InputStream from, OutputStream to, long length) throws IOException {
        byte[] buffer = new byte[8192];
        long left = length;
        while (left > 0) {
            int read = from.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) {
                if (length == Long.MAX_VALUE) {
                    return;
                }
                throw new EOFException("a body ended " + left + " bytes short");
            }
            to.write(buffer, 0, read);
            to.flush();
            left -= read;
        }
    }

    private static Optional<Message> readHead(InputStream from) throws IOException {
        StringBuilder head = new StringBuilder();
        while (true) {
            String line = readLine(from);
            if (line.isEmpty()) {
                if (head.length() == 0) {
                    return Optional.empty();
                }
                throw new EOFException("a head ended in its middle");
            }
            head.append(line);
            if (line.equals("\r\n")) {
                return Optional.of(new Message(head.toString(), head.toString(), ""));
            }
        }
    }

    private static String readWholeLine(InputStream from) throws IOException {
        String line = readLine(from);
        if (!line.endsWith("\n")) {
            throw new EOFException("a body ended between its chunks");
        }
        return line;
    }

    /** With its line end; shorter, or empty, at the end of the connection. */
    private static String readLine(InputStream from) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = from.read(); next >= 0; next = from.read()) {
            line.append((char) next);
            if (next == '\n') {
                break;
            }
        }
        return line.toString();
    }

    /** Writes to both. */
    private static final class Both extends OutputStream {
        private final OutputStream first;
        private final OutputStream second;

        Both(OutputStream first, OutputStream second) {
            this.first = first;
            this.second = second;
        }

        @Override
        public void write(int b) throws IOException {
            first.write(b);
            second.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            first.write(bytes, offset, length);
            second.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            first.flush();
            second.flush();
        }
    }
}
