package dev.kip.sim.mock;

import io.fabric8.mockwebserver.http.Response;
import io.fabric8.mockwebserver.http.WebSocket;
import io.fabric8.mockwebserver.http.WebSocketListener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Watches over WebSocket that begin at a resourceVersion: what changed since is told first, and who asks for more than is kept is
 * answered with 410. Guarded by itself.
 */
final class WatchHub {

    private static final int KEPT = 5_000;
    private static final Duration USUAL = Duration.ofMinutes(30);
    private static final int NORMAL = 1000;

    private final Deque<Change> history = new ArrayDeque<>();
    private final List<Open> open = new ArrayList<>();
    private final ScheduledExecutorService clock;
    private long forgotten;

    /** @param clock ends watches whose time is over */
    WatchHub(ScheduledExecutorService clock) {
        this.clock = clock;
    }

    synchronized void publish(Change change) {
        history.add(change);
        if (history.size() > KEPT) {
            forgotten = history.remove().revision();
        }
        new ArrayList<>(open).forEach(one -> one.tell(change));
    }

    /** Whether changes from there on can still be told. */
    synchronized boolean knows(long revision) {
        return revision >= forgotten;
    }

    /** Everything before this is history that is not kept; watches end. */
    synchronized void forget(long revision) {
        history.clear();
        forgotten = revision;
        new ArrayList<>(open).forEach(Open::end);
    }

    /**
     * @param from the revision after which it begins
     * @param first told before anything else
     */
    WebSocketListener watch(Picking picking, long from, List<ObjectNode> first, Optional<Duration> length) {
        return new Open(picking, from, first, length.orElse(USUAL));
    }

    private final class Open extends WebSocketListener {

        private final Picking picking;
        private final long from;
        private final List<ObjectNode> first;
        private final Duration length;

        /** fabric8's send waits until the bytes are out: not for whoever holds a lock that the network's threads want. */
        private final BlockingQueue<Consumer<WebSocket>> sends = new LinkedBlockingQueue<>();

        private volatile boolean over;

        Open(Picking picking, long from, List<ObjectNode> first, Duration length) {
            this.picking = picking;
            this.from = from;
            this.first = first;
            this.length = length;
        }

        @Override
        public void onOpen(WebSocket opened, Response response) {
            Thread sender = new Thread(() -> send(opened), "watch");
            sender.setDaemon(true);
            synchronized (WatchHub.this) {
                first.forEach(object -> add("ADDED", object));
                history.stream().filter(change -> change.revision() > from).forEach(this::tell);
                open.add(this);
            }
            sender.start();
            clock.schedule(this::end, length.toMillis(), TimeUnit.MILLISECONDS);
        }

        private void send(WebSocket socket) {
            try {
                while (!over || !sends.isEmpty()) {
                    sends.take().accept(socket);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** As the API server sees it through a selector: what leaves it is deleted, what enters it is new. */
        void tell(Change change) {
            if (!change.kindKey().equals(picking.kindKey())) {
                return;
            }
            boolean was = change.before().filter(picking::matches).isPresent();
            boolean is = change.after().filter(picking::matches).isPresent();
            if (was || is) {
                add(is ? (was ? "MODIFIED" : "ADDED") : "DELETED", stamped(change));
            }
        }

        private ObjectNode stamped(Change change) {
            ObjectNode object = change.subject().deepCopy();
            ((ObjectNode) object.path("metadata")).put("resourceVersion", Long.toString(change.revision()));
            return object;
        }

        private void add(String type, ObjectNode object) {
            ObjectNode event = JsonMapper.shared().createObjectNode();
            event.put("type", type).set("object", object);
            String text = event.toString();
            sends.add(socket -> socket.send(text));
        }

        void end() {
            synchronized (WatchHub.this) {
                open.remove(this);
            }
            over = true;
            sends.add(socket -> socket.close(NORMAL, "the watch is over"));
        }

        @Override
        public void onClosed(WebSocket closed, int code, String reason) {
            synchronized (WatchHub.this) {
                open.remove(this);
            }
            over = true;
            sends.clear();
            sends.add(socket -> {}); // so that the thread sees it
        }

        @Override
        public void onFailure(WebSocket failed, Throwable why, Response response) {
            onClosed(failed, 0, "");
        }
    }
}
