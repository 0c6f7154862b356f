package dev.kip.sim.apiserver.watch;

import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.store.Change;
import dev.kip.sim.apiserver.store.Shelf;
import dev.kip.sim.apiserver.store.Versioned;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One open watch: sends each change that concerns it, in order, as the client sees it through its selectors. Ends when its
 * time is up, when the client goes, or when the store goes back to a snapshot.
 */
public final class Watcher implements Shelf.ChangeListener {

    /** A last bookmark goes out this long before the end. */
    private static final Duration BEFORE_END = Duration.ofSeconds(2);

    private final Loop loop;
    private final Shelf shelf;
    private final Predicate<Versioned> selects;
    private final EventForm form;
    private final WatchSink sink;
    private final LongSupplier storeRevision;
    private long revision;
    private boolean open = true;
    private Loop.@Nullable Timer bookmarkTimer;
    private Loop.@Nullable Timer endTimer;

    /**
     * @param selects whether the watch is about this object: namespace and selectors
     * @param storeRevision where the store stands: everything on the shelf up to then has been sent
     * @param revision changes up to this one are not sent
     */
    public Watcher(
            Loop loop,
            Shelf shelf,
            Predicate<Versioned> selects,
            EventForm form,
            WatchSink sink,
            LongSupplier storeRevision,
            long revision) {
        this.loop = loop;
        this.shelf = shelf;
        this.selects = selects;
        this.form = form;
        this.sink = sink;
        this.storeRevision = storeRevision;
        this.revision = revision;
    }

    /** Sends the present state as ADDED events, as of {@code now}; changes after it follow. */
    public void sendInitialState(Iterable<Versioned> state, long now) {
        for (Versioned item : state) {
            if (selects.test(item)) {
                send(frame("ADDED", form.object(item)));
            }
        }
        revision = now;
    }

    /** The marker after the initial state that {@code sendInitialEvents} asks for. */
    public void sendInitialEventsEnd() {
        send(frame("BOOKMARK", form.bookmark(revision, true)));
    }

    /** Sends what has happened since, and from now on whatever happens. */
    public void start(Iterable<Change> missed, Duration timeout, Optional<Duration> bookmarkInterval) {
        missed.forEach(this::changed);
        shelf.listen(this);
        endTimer = loop.after(timeout, this::end);
        if (bookmarkInterval.isPresent()) {
            scheduleBookmark(bookmarkInterval.get(), timeout);
        }
    }

    private void scheduleBookmark(Duration interval, Duration left) {
        Duration last = left.minus(BEFORE_END);
        boolean regular = interval.compareTo(last) < 0;
        Duration wait = regular ? interval : last;
        if (wait.isNegative() || wait.isZero()) {
            return;
        }
        bookmarkTimer = loop.after(wait, () -> {
            bookmark();
            if (regular) {
                scheduleBookmark(interval, left.minus(interval));
            }
        });
    }

    /** Tells how far the watch has come, also when only other shelves have changed. */
    private void bookmark() {
        if (open) {
            send(frame("BOOKMARK", form.bookmark(Math.max(revision, storeRevision.getAsLong()), false)));
        }
    }

    @Override
    public void changed(Change change) {
        if (!open || change.revision() <= revision) {
            return;
        }
        revision = change.revision();
        boolean before = change.before().filter(selects).isPresent();
        boolean after = change.after().filter(selects).isPresent();
        if (after) {
            send(event(change, before ? "MODIFIED" : "ADDED", change.after().orElseThrow()));
        } else if (before) {
            // Gone, or out of sight: its last state in sight, under the revision of the change.
            send(event(change, "DELETED", change.before().orElseThrow().at(change.revision())));
        }
    }

    private byte[] event(Change change, String type, Versioned item) {
        String shared = form.sharedAs();
        return shared.isEmpty()
                ? frame(type, form.object(item))
                : change.encodedAs(type + shared, () -> frame(type, form.object(item)));
    }

    @Override
    public void restored(NavigableMap<String, Versioned> before) {
        end();
    }

    /** Ends the watch properly: the client starts a new one. */
    public void end() {
        if (open) {
            close();
            sink.end();
        }
    }

    /** The client is gone. */
    public void close() {
        open = false;
        shelf.ignore(this);
        if (bookmarkTimer != null) {
            bookmarkTimer.cancel();
        }
        if (endTimer != null) {
            endTimer.cancel();
        }
    }

    private void send(byte[] event) {
        if (open) {
            sink.send(event);
        }
    }

    /** One event of a watch stream. */
    public static byte[] frame(String type, byte[] object) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(object.length + 40);
        frame.writeBytes(("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII));
        frame.writeBytes(object);
        frame.writeBytes("}\n".getBytes(StandardCharsets.US_ASCII));
        return frame.toByteArray();
    }
}
