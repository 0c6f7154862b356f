package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.CallFaults.Fate;
import dev.kip.sim.wall.HttpFraming.Message;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;

/**
 * The way of one controller to one server: a reverse proxy at the level of bytes, that does to each request what the story
 * says. Watches stream through. Every connection has a twin of its own to the server.
 */
public final class Way implements AutoCloseable {

    private static final int BUFFER = 8192;

    private final URI server;
    private final SocketFactory toServer;
    private final ServerSocket listening;
    private final String scheme;
    private final Gate gate;
    private final Optional<WatchBridge> bridge;
    private final Set<Socket> sockets = Collections.synchronizedSet(new LinkedHashSet<>());
    private volatile boolean cut;

    /** Decides on each request. Called on the threads of connections. */
    public interface Gate {

        /** Asked once, before the request goes on. */
        Passage judge(Message request);

        /** The sender dies of its request now: when this returns it is dead. */
        void kill();
    }

    /**
     * What becomes of a request.
     *
     * @param request as the server gets it
     * @param answer given in the server's place, as it goes over the wire, bytes as characters (ISO 8859-1)
     * @param heard told the server's answer whole, in the same form; the sender gets it only then
     * @param orphaned its sender dies first; the server gets it all the same, from nobody
     */
    public record Passage(
            Fate fate, Message request, Optional<String> answer, Optional<Consumer<String>> heard, boolean orphaned) {

        public static Passage of(Fate fate, Message request) {
            return new Passage(fate, request, Optional.empty(), Optional.empty(), false);
        }

        static Passage answered(Message request, String answer) {
            return of(Fate.ARRIVES, request).answered(Optional.of(answer));
        }

        public static Passage orphaned(Message request) {
            return new Passage(Fate.REPLY_LOST, request, Optional.empty(), Optional.empty(), true);
        }

        Passage with(Message other) {
            return new Passage(fate, other, answer, heard, orphaned);
        }

        private Passage answered(Optional<String> known) {
            return new Passage(fate, request, known, heard, orphaned);
        }

        /** Answered in the server's place if that is known, else told when the server has answered. */
        Passage answeredOrHeard(Optional<String> known, Consumer<String> hears) {
            return known.isPresent()
                    ? answered(known)
                    : new Passage(fate, request, answer, Optional.of(hears), orphaned);
        }
    }

    /**
     * @param listen factory of the listening socket: plain, or TLS with a certificate that the controller trusts
     * @param bridge for a server that tells watches over WebSocket only
     */
    public Way(
            URI server,
            SocketFactory toServer,
            ServerSocketFactory listen,
            boolean secure,
            Gate gate,
            Optional<WatchBridge> bridge)
            throws IOException {
        this.server = server;
        this.toServer = toServer;
        this.scheme = secure ? "https" : "http";
        this.gate = gate;
        this.bridge = bridge;
        this.listening = listen.createServerSocket();
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        thread(this::accept);
    }

    /** Where the controller reaches it. */
    public URI address() {
        return URI.create(scheme + "://127.0.0.1:" + listening.getLocalPort());
    }

    /** Nothing passes until it is healed: connections break, and new ones are never answered. */
    public void cut() {
        cut = true;
        drop();
    }

    public void heal() {
        if (cut) {
            cut = false;
            drop(); // those that were never answered try again
        }
    }

    /** Ends every connection; new ones are welcome. */
    public void drop() {
        ImmutableList.copyOf(sockets).forEach(Way::closeQuietly);
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        drop();
    }

    private static void thread(Runnable work) {
        Thread thread = new Thread(work, "way");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                thread(() -> serve(client));
            }
        } catch (IOException closed) {
            drop();
        }
    }

    private void serve(Socket client) {
        sockets.add(client);
        try (client) {
            if (cut) {
                hold(client.getInputStream());
                return;
            }
            try (Socket upstream = toServer.createSocket(server.getHost(), server.getPort())) {
                sockets.add(upstream);
                try {
                    exchange(client, upstream);
                } finally {
                    sockets.remove(upstream);
                }
            }
        } catch (IOException | UncheckedIOException eitherEndClosed) {
            // Each end sees the other's closing as its own.
        } finally {
            sockets.remove(client);
        }
    }

    /** Reads on, and answers nothing, until the connection ends. */
    private static void hold(InputStream from) throws IOException {
        byte[] buffer = new byte[BUFFER];
        while (from.read(buffer) >= 0) {
            // nobody hears it
        }
    }

    private void exchange(Socket client, Socket upstream) throws IOException {
        InputStream requests = new BufferedInputStream(client.getInputStream());
        OutputStream answers = client.getOutputStream();
        InputStream fromServer = new BufferedInputStream(upstream.getInputStream());
        OutputStream toServerStream = upstream.getOutputStream();
        while (true) {
            Optional<Message> request = HttpFraming.readRequest(requests);
            if (request.isEmpty()) {
                return;
            }
            Passage passage = gate.judge(request.get());
            HttpFraming.After after;
            if (passage.fate() != Fate.ARRIVES) {
                lose(passage, client, upstream, requests);
                return;
            } else if (passage.answer().isPresent()) {
                say(passage.answer().get(), answers);
                after = HttpFraming.After.NEXT_REQUEST;
            } else if (bridge.isPresent() && WatchBridge.isWatch(passage.request())) {
                bridge.get().carry(passage.request(), requests, answers);
                return;
            } else {
                after = ask(passage, fromServer, toServerStream, answers);
            }
            switch (after) {
                case NEXT_REQUEST -> {}
                case CLOSE -> {
                    return;
                }
                case UPGRADED -> {
                    thread(() -> pump(requests, toServerStream, client, upstream));
                    pump(fromServer, answers, client, upstream);
                    return;
                }
            }
        }
    }

    private static HttpFraming.After ask(
            Passage passage, InputStream fromServer, OutputStream toServer, OutputStream answers) throws IOException {
        toServer.write(passage.request().bytes());
        toServer.flush();
        if (passage.heard().isEmpty()) {
            return HttpFraming.copyAnswer(passage.request(), fromServer, answers);
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        HttpFraming.After after = HttpFraming.copyAnswer(passage.request(), fromServer, whole);
        String answer = whole.toString(StandardCharsets.ISO_8859_1);
        passage.heard().get().accept(answer);
        say(answer, answers);
        return after;
    }

    private static void say(String answer, OutputStream answers) throws IOException {
        answers.write(answer.getBytes(StandardCharsets.ISO_8859_1));
        answers.flush();
    }

    private void lose(Passage passage, Socket client, Socket upstream, InputStream requests) throws IOException {
        if (passage.fate() == Fate.SILENCE) {
            hold(requests);
            return;
        }
        sockets.remove(upstream); // what ends with the sender's death must not take the request along
        if (passage.fate() == Fate.SENDER_DIES_BEFORE || passage.orphaned()) {
            gate.kill();
        }
        if (passage.fate() == Fate.SENDER_DIES_BEFORE) {
            return;
        }
        if (passage.fate() != Fate.REQUEST_LOST && passage.answer().isEmpty()) {
            ByteArrayOutputStream nobody = new ByteArrayOutputStream();
            ask(passage, new BufferedInputStream(upstream.getInputStream()), upstream.getOutputStream(), nobody);
        }
        if (passage.fate() == Fate.SENDER_DIES_AFTER) {
            gate.kill();
        }
        client.close();
    }

    private static void pump(InputStream from, OutputStream to, Socket client, Socket upstream) {
        try {
            byte[] buffer = new byte[BUFFER];
            for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                to.write(buffer, 0, read);
                to.flush();
            }
        } catch (IOException closed) {
            // The other direction is ended below.
        } finally {
            closeQuietly(client);
            closeQuietly(upstream);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
