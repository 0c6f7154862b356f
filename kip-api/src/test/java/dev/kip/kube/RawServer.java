package dev.kip.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server that writes whatever bytes the test wants, however wrong. */
final class RawServer implements AutoCloseable {

    static final String CHUNKED =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

    private final ServerSocket listening;
    private final Script script;
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    /** What becomes of a connection once its request head has been read. The connection closes when it returns. */
    interface Script {
        void serve(String head, OutputStream out) throws Exception;
    }

    private RawServer(ServerSocket listening, Script script) {
        this.listening = listening;
        this.script = script;
    }

    static RawServer start(Script script) throws IOException {
        var server = new RawServer(new ServerSocket(0, 100, InetAddress.getLoopbackAddress()), script);
        daemon(server::accept);
        return server;
    }

    URI base() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort());
    }

    static byte[] chunk(String data) {
        return (Integer.toHexString(data.getBytes(UTF_8).length) + "\r\n" + data + "\r\n").getBytes(UTF_8);
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                open.add(socket);
                daemon(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            script.serve(head(socket.getInputStream()), socket.getOutputStream());
        } catch (Exception e) {
            // the client left, or the test is over
        }
    }

    private static String head(InputStream in) throws IOException {
        var text = new StringBuilder();
        while (!text.toString().endsWith("\r\n\r\n")) {
            int octet = in.read();
            if (octet < 0) {
                throw new IOException("no request");
            }
            text.append((char) octet);
        }
        return text.toString();
    }

    private static void daemon(Runnable task) {
        var thread = new Thread(task, "raw-server");
        thread.setDaemon(true);
        thread.start();
    }
}
