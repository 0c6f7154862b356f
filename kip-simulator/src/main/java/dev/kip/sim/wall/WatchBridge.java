package dev.kip.sim.wall;

import dev.kip.sim.wall.HttpFraming.Message;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Carries a watch that a client wants as a stream of chunks to a server that tells watches over WebSocket only, as fabric8's
 * mock server does: its answers are whole bodies.
 */
final class WatchBridge {

    private static final byte[] LINE = "\r\n".getBytes(StandardCharsets.US_ASCII);

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI server;

    WatchBridge(URI server) {
        this.server = server;
    }

    static boolean isWatch(Message request) {
        return request.method().equals("GET")
                && request.target().matches(".*[?&]watch=(true|1)(&.*)?")
                && request.header("Upgrade").isEmpty();
    }

    /** Returns when either end has ended. */
    void carry(Message request, InputStream fromClient, OutputStream toClient) throws IOException {
        URI uri = URI.create("ws://" + server.getHost() + ":" + server.getPort() + request.target());
        WebSocket socket;
        try {
            socket = client.newWebSocketBuilder()
                    .buildAsync(uri, new Chunks(toClient))
                    .join();
        } catch (CompletionException e) {
            refuse(e, toClient);
            return;
        }
        try {
            while (fromClient.read() >= 0) {
                // a client that watches has nothing more to say
            }
        } catch (IOException closed) {
            // as well as an end
        } finally {
            socket.abort();
        }
    }

    private static void refuse(CompletionException failure, OutputStream toClient) throws IOException {
        if (!(failure.getCause() instanceof WebSocketHandshakeException handshake)) {
            throw new IOException("the watch cannot be opened", failure);
        }
        int status = handshake.getResponse().statusCode();
        String body = String.format(
                Locale.ROOT,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"%s\",\"code\":%d}",
                status == 410 ? "Expired" : status == 404 ? "NotFound" : "BadRequest",
                status);
        toClient.write(String.format(
                        Locale.ROOT,
                        "HTTP/1.1 %d Refused\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
                        status,
                        body.length(),
                        body)
                .getBytes(StandardCharsets.UTF_8));
        toClient.flush();
    }

    /** Each message becomes a line in a chunk of its own. */
    private static final class Chunks implements WebSocket.Listener {

        private final OutputStream to;
        private final StringBuilder message = new StringBuilder();

        Chunks(OutputStream to) {
            this.to = to;
        }

        @Override
        public void onOpen(WebSocket socket) {
            write(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            socket.request(1);
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            message.append(part);
            if (last) {
                byte[] line = message.append('\n').toString().getBytes(StandardCharsets.UTF_8);
                message.setLength(0);
                write((Integer.toHexString(line.length) + "\r\n").getBytes(StandardCharsets.US_ASCII), line, LINE);
            }
            socket.request(1);
            return java.util.concurrent.CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            end();
            return java.util.concurrent.CompletableFuture.completedFuture(null);
        }

        @Override
        public void onError(WebSocket socket, Throwable failure) {
            try {
                to.close(); // a watch that broke has no last chunk
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void end() {
            write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            try {
                to.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private synchronized void write(byte[]... pieces) {
            try {
                for (byte[] piece : pieces) {
                    to.write(piece);
                }
                to.flush();
            } catch (IOException closed) {
                throw new UncheckedIOException(closed);
            }
        }
    }
}
