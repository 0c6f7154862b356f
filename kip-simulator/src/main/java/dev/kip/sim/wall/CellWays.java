package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.io.ByteStreams;
import dev.kip.sim.cell.CellAddresses;
import dev.kip.sim.cell.CellInstance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Before each cell a port of loopback that can be cut off; bytes are not looked into, for both ends speak mutual TLS. */
final class CellWays implements CellAddresses, AutoCloseable {

    private final CellAddresses shown;
    private final Map<String, ServerSocket> listening = new TreeMap<>();
    private final Set<Socket> sockets = Collections.synchronizedSet(new LinkedHashSet<>());
    private volatile boolean cut;

    /** @param shown told the ports of the ways as if they were the cells' */
    CellWays(CellAddresses shown) {
        this.shown = shown;
    }

    void cut() {
        cut = true;
        drop();
    }

    void heal() {
        if (cut) {
            cut = false;
            drop();
        }
    }

    private void drop() {
        ImmutableList.copyOf(sockets).forEach(CellWays::closeQuietly);
    }

    @Override
    public Where open(CellInstance instance) throws IOException {
        return shown.open(instance);
    }

    @Override
    public synchronized void listening(CellInstance instance, int port) throws IOException {
        ServerSocket way = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listening.put(instance.instanceId(), way);
        thread(() -> accept(way, port));
        shown.listening(instance, way.getLocalPort());
    }

    @Override
    public synchronized void closed(CellInstance instance) {
        ServerSocket way = listening.remove(instance.instanceId());
        if (way != null) {
            closeQuietly(way);
        }
        shown.closed(instance);
    }

    private void accept(ServerSocket way, int port) {
        try {
            while (true) {
                Socket client = way.accept();
                thread(() -> serve(client, port));
            }
        } catch (IOException closed) {
            // its machine is off
        }
    }

    private void serve(Socket client, int port) {
        sockets.add(client);
        try (client) {
            if (cut) {
                ByteStreams.exhaust(client.getInputStream()); // nobody hears it
                return;
            }
            try (Socket cell = new Socket(InetAddress.getLoopbackAddress(), port)) {
                sockets.add(cell);
                thread(() -> pump(cell, client));
                pump(client, cell);
                sockets.remove(cell);
            }
        } catch (IOException eitherEndClosed) {
            // Each end sees the other's closing as its own.
        } finally {
            sockets.remove(client);
        }
    }

    private static void pump(Socket from, Socket to) {
        try {
            ByteStreams.copy(from.getInputStream(), to.getOutputStream());
        } catch (IOException closed) {
            // The other direction is ended below.
        } finally {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void thread(Runnable work) {
        Thread thread = new Thread(work, "cell-way");
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public synchronized void close() {
        listening.values().forEach(CellWays::closeQuietly);
        drop();
    }
}
