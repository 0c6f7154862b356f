package dev.kip.real;

import dev.kip.real.CallCounter.Call;
import dev.kip.real.CallCounter.Death;
import dev.kip.sim.wall.HttpFraming;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;

/**
 * A reverse proxy before one server, at the level of bytes: what it does not count it hands on unread, so watches
 * (chunked or upgraded to WebSocket) stream through. Every connection has a twin of its own to the server.
 */
final class CountingProxy implements AutoCloseable {
    private final URI server;
    private final SocketFactory toServer;
    private final ServerSocket listening;
    private final CallCounter counter;
    private final Function<Message, Optional<Call>> mutating;
    private final Predicate<Message> constant;
    private final Map<String, Remembered> memory = new ConcurrentHashMap<>();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /**
     * @param listen factory of the listening socket: plain, or TLS with a certificate that the client trusts
     * @param mutating the call that a request is, empty when it changes nothing
     * @param constant whether the answer to a request never changes, so that the server need be asked only once
     */
    CountingProxy(
            URI server,
            SocketFactory toServer,
            ServerSocketFactory listen,
            CallCounter counter,
            Function<Message, Optional<Call>> mutating,
            Predicate<Message> constant)
            throws IOException {
        this.server = server;
        this.toServer = toServer;
        this.counter = counter;
        this.mutating = mutating;
        this.constant = constant;
        this.listening = listen.createServerSocket();
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        thread(this::accept);
    }

    /** An answer as it came, bytes as characters (ISO 8859-1), and what the connection was good for after it. */
    private record Remembered(String answer, HttpFraming.After after) {}

    /** Where clients reach it. */
    URI address() {
        return URI.create(server.getScheme() + "://127.0.0.1:" + listening.getLocalPort());
    }

    /** Ends every connection; new ones are welcome. */
    void cut() {
        sockets.forEach(CountingProxy::closeQuietly);
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }

    private static void thread(Runnable work) {
        Thread thread = new Thread(work, "counting-proxy");
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
            cut();
        }
    }

    private void serve(Socket client) {
        sockets.add(client);
        try (client;
                Socket upstream = toServer.createSocket(server.getHost(), server.getPort())) {
            sockets.add(upstream);
            try {
                exchange(client, upstream);
            } finally {
                sockets.remove(upstream);
            }
        } catch (IOException | UncheckedIOException eitherEndClosed) {
            // Each end sees the other's closing as its own.
        } finally {
            sockets.remove(client);
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
            Optional<Death> death = mutating.apply(request.get()).flatMap(counter::count);
            if (death.isPresent()) {
                lastCall(death.get(), request.get(), client, upstream);
                return;
            }
            HttpFraming.After after = constant.test(request.get())
                    ? remembered(request.get(), fromServer, toServerStream, answers)
                    : ask(request.get(), fromServer, toServerStream, answers);
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
            Message request, InputStream fromServer, OutputStream toServer, OutputStream answers) throws IOException {
        toServer.write(request.bytes());
        toServer.flush();
        return HttpFraming.copyAnswer(request, fromServer, answers);
    }

    private HttpFraming.After remembered(
            Message request, InputStream fromServer, OutputStream toServer, OutputStream answers) throws IOException {
        String question = request.target() + "\n" + request.content();
        Remembered known = memory.get(question);
        if (known == null) {
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            HttpFraming.After after = ask(request, fromServer, toServer, answer);
            known = new Remembered(answer.toString(StandardCharsets.ISO_8859_1), after);
            if (known.answer().startsWith("HTTP/1.1 200 ")) {
                memory.put(question, known);
            }
        }
        answers.write(known.answer().getBytes(StandardCharsets.ISO_8859_1));
        answers.flush();
        return known.after();
    }

    private void lastCall(Death death, Message request, Socket client, Socket upstream) throws IOException {
        sockets.remove(upstream); // cut() with the process's death must not take the request along
        if (death != Death.AFTER) {
            counter.kill();
        }
        if (death != Death.INSTEAD) {
            upstream.getOutputStream().write(request.bytes());
            upstream.getOutputStream().flush();
            HttpFraming.copyAnswer(
                    request, new BufferedInputStream(upstream.getInputStream()), OutputStream.nullOutputStream());
        }
        if (death == Death.AFTER) {
            counter.kill();
        }
        client.close();
    }

    private static void pump(InputStream from, OutputStream to, Socket client, Socket upstream) {
        try {
            byte[] buffer = new byte[8192];
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
