package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpCall.ResponseStream;
import dev.kip.http.HttpCall.WebSocketHandler;
import dev.kip.http.HttpCall.WebSocketPeer;
import dev.kip.sim.apiserver.ApiServerSettings.ExpiredWatch;
import dev.kip.sim.apiserver.store.Change;
import dev.kip.sim.apiserver.store.Shelf;
import dev.kip.sim.apiserver.store.Versioned;
import dev.kip.sim.apiserver.watch.WatchSink;
import dev.kip.sim.apiserver.watch.Watcher;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Opens watches, over chunked HTTP or a WebSocket. */
final class Watches {

    /** A watch without a timeout ends after between once and twice this long. */
    private static final long DEFAULT_SECONDS = 1800;

    private final Core core;
    private final Set<Watcher> open = new LinkedHashSet<>();

    Watches(Core core) {
        this.core = core;
    }

    void open(Request request) {
        Resource resource = request.resource();
        if (!resource.serves("watch")) {
            throw Failures.methodNotAllowed();
        }
        ListRequest options = ListRequest.of(resource, request.call().query());
        Presentation form =
                Presentation.of(resource, core, request.call().header("accept"), request.parameter("includeObject"));
        long from = options.resourceVersion().isEmpty() ? 0 : Long.parseLong(options.resourceVersion());
        boolean initial = options.sendInitialEvents()
                || (from == 0 && !request.call().query().containsKey("sendInitialEvents"));
        if (options.sendInitialEvents() && from > core.store().revision()) {
            throw Failures.tooLargeResourceVersion(from, core.store().revision());
        }
        List<Change> missed;
        try {
            missed = initial || from == 0 ? List.of() : resource.shelf().since(from);
        } catch (Shelf.Compacted compacted) {
            expired(request.call(), compacted);
            return;
        }
        Session session = new Session(request, options, form, initial, missed, from);
        session.begin();
    }

    /** Ends every open watch, as a server does that shuts down. */
    void endAll() {
        List.copyOf(open).forEach(Watcher::end);
        open.clear();
    }

    int openCount() {
        return open.size();
    }

    private void expired(HttpCall call, Shelf.Compacted compacted) {
        ApiFailure failure = Failures.expired(
                "too old resource version: " + compacted.requested() + " (" + compacted.oldest() + ")");
        ExpiredWatch how = core.settings().expiredWatch();
        boolean asStatus = how == ExpiredWatch.AS_STATUS
                || (how == ExpiredWatch.EITHER && core.entropy().below(2) == 0);
        if (asStatus) {
            throw failure;
        }
        byte[] error = Watcher.frame("ERROR", Presentation.utf8(failure.status().toString()));
        if (wantsWebSocket(call)) {
            WatchSink sink = WatchSink.of(call.upgradeToWebSocket(Optional.empty(), new Listening(() -> {})));
            sink.send(error);
            sink.end();
        } else {
            ResponseStream stream = call.stream(200, headers());
            stream.write(error);
            stream.end();
        }
    }

    private static boolean wantsWebSocket(HttpCall call) {
        return call.header("upgrade")
                .filter(value -> value.equalsIgnoreCase("websocket"))
                .isPresent();
    }

    private static ImmutableMap<String, String> headers() {
        return ImmutableMap.of("Content-Type", "application/json");
    }

    /** Notices when the client closes; what it says is ignored, as the protocol has it. */
    private record Listening(Runnable onClose) implements WebSocketHandler {
        @Override
        public void text(String text) {}

        @Override
        public void binary(byte[] data) {}

        @Override
        public void closed() {
            onClose.run();
        }
    }

    /** A watch about to begin. */
    private final class Session {

        private final Request request;
        private final ListRequest options;
        private final Presentation form;
        private final boolean initial;
        private final List<Change> missed;
        private final long from;
        private Optional<Watcher> watcher = Optional.empty();

        Session(
                Request request,
                ListRequest options,
                Presentation form,
                boolean initial,
                List<Change> missed,
                long from) {
            this.request = request;
            this.options = options;
            this.form = form;
            this.initial = initial;
            this.missed = missed;
            this.from = from;
        }

        void begin() {
            HttpCall call = request.call();
            WatchSink sink;
            if (wantsWebSocket(call)) {
                WebSocketPeer peer = call.upgradeToWebSocket(protocol(call), new Listening(this::closed));
                sink = WatchSink.of(peer);
            } else {
                ResponseStream stream = call.stream(200, headers());
                stream.onClose(this::closed);
                sink = WatchSink.of(stream);
            }
            Resource resource = request.resource();
            long now = core.store().revision();
            long start = initial ? 0 : from == 0 ? now : from;
            Watcher opened = new Watcher(
                    core.loop(),
                    resource.shelf(),
                    selects(resource),
                    form,
                    sink,
                    () -> core.store().revision(),
                    start);
            watcher = Optional.of(opened);
            open.add(opened);
            if (initial) {
                opened.sendInitialState(
                        Shelf.inNamespace(resource.shelf().now(), request.namespace())
                                .values(),
                        now);
                if (options.sendInitialEvents() && options.bookmarks()) {
                    opened.sendInitialEventsEnd();
                }
            }
            Optional<Duration> bookmarks =
                    options.bookmarks() ? Optional.of(core.settings().bookmarkInterval()) : Optional.empty();
            opened.start(missed, timeout(), bookmarks);
        }

        private Predicate<Versioned> selects(Resource resource) {
            String prefix = request.namespace().isEmpty() ? "" : request.namespace() + "/";
            if (!options.selects()) {
                return item -> item.key().startsWith(prefix);
            }
            return item -> item.key().startsWith(prefix) && Lists.matches(resource, options, item);
        }

        private Duration timeout() {
            long seconds = options.timeoutSeconds() > 0
                    ? options.timeoutSeconds()
                    : DEFAULT_SECONDS + core.entropy().below(DEFAULT_SECONDS);
            return Duration.ofSeconds(seconds);
        }

        private void closed() {
            watcher.ifPresent(gone -> {
                gone.close();
                open.remove(gone);
            });
        }

        private Optional<String> protocol(HttpCall call) {
            return call.header("sec-websocket-protocol")
                    .map(offered -> offered.split(",", -1)[0].trim())
                    .filter(offered -> !offered.isEmpty());
        }
    }
}
