package dev.kip.kube.reflect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.entropy.Entropy;
import dev.kip.kube.Backoff;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectKey;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.Page;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.WatchListener;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a handler told of every object of one kind: a paged list by quorum read, then a watch from its version, again and
 * again, for ever. Whatever fails is logged and tried again after a delay that doubles from 1 s to 30 s. Confined to the
 * loop.
 */
public final class Reflector<T> {

    /** A watch that lived this long shows that the server is well. */
    static final Duration GOOD_LIFE = Duration.ofSeconds(10);

    /** So many watches in a row that came to nothing, and the version that they start from is in doubt. */
    static final int DOUBT_AFTER = 3;

    /** So many objects of a list are told of in one go; other things of the loop get their turn in between. */
    private static final int AT_ONCE = 500;

    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);

    private final KubeApi api;
    private final Loop loop;
    private final Entropy entropy;
    private final ResourceKind<T> kind;
    private final ReflectorSettings settings;
    private final Picture<T> picture;
    private final Backoff backoff;

    private Stage stage = new Stage();
    private String version = "";
    private boolean synced;
    private Optional<Instant> staleSince = Optional.empty();
    private long listedAt;
    private int failedWatches;
    private boolean expiredBefore;
    private boolean unpaged;

    /** @param keyOf name, uid and version of an object as the kind's codec made it */
    public Reflector(
            KubeApi api,
            Loop loop,
            Entropy entropy,
            ResourceKind<T> kind,
            Function<T, ObjectKey> keyOf,
            ReflectorSettings settings,
            ReflectorHandler<T> handler) {
        this.api = api;
        this.loop = loop;
        this.entropy = entropy.fork("reflector " + kind.plural());
        this.kind = kind;
        this.settings = settings;
        this.picture = new Picture<>(kind.plural(), keyOf, handler);
        this.backoff = new Backoff(this.entropy, Duration.ofSeconds(1), Duration.ofSeconds(30));
    }

    /** Begins. Called once. */
    public void start() {
        relist();
    }

    /** Ends; the handler is told nothing more. */
    public void stop() {
        stage.leave();
    }

    /** Whether the handler has been told a whole list. Stays true when contact is lost: see {@link #staleSince}. */
    public boolean synced() {
        return synced;
    }

    /** Since when the picture is not being kept up: no list or watch has come through. Empty while it is fresh. */
    public Optional<Instant> staleSince() {
        return staleSince;
    }

    private void relist() {
        Stage listing = enter();
        new Listing(listing).next(unpaged ? settings.list().limit(0) : settings.list());
    }

    private void watch() {
        var session = new Session(enter());
        Duration timeout = settings.watchTimeout();
        Duration spread = Duration.ofNanos(entropy.below(Math.max(1, timeout.toNanos() / 4)));
        session.stage.watch = Optional.of(api.watch(kind, settings.watch(version, timeout.plus(spread)), session));
    }

    private void later(Duration delay, Runnable next) {
        Stage pause = enter();
        pause.timers.add(loop.after(delay, next));
    }

    private void failed(KubeError error, Runnable next) {
        if (staleSince.isEmpty()) {
            staleSince = Optional.of(loop.now());
        }
        Duration delay = backoff.next();
        if (error instanceof KubeError.Busy busy && busy.retryAfter().isPresent()) {
            Duration asked = busy.retryAfter().get();
            delay = asked.compareTo(delay) > 0 ? asked : delay;
        }
        LOG.warn("{}; trying again in {} ms", error.message(), delay.toMillis());
        later(delay, next);
    }

    private Stage enter() {
        stage.leave();
        stage = new Stage();
        return stage;
    }

    /** What the reflector is at. Leaving it makes every timer and answer of it void. */
    private static final class Stage {

        private final List<Loop.Timer> timers = new ArrayList<>();
        private Optional<KubeApi.Watch> watch = Optional.empty();
        private boolean left;

        void leave() {
            left = true;
            timers.forEach(Loop.Timer::cancel);
            watch.ifPresent(KubeApi.Watch::close);
        }
    }

    /** A list, page by page. */
    private final class Listing {

        private final Stage mine;
        private final ImmutableList.Builder<T> items = ImmutableList.builder();
        private final Set<ObjectRef> unreadable = new LinkedHashSet<>();

        Listing(Stage mine) {
            this.mine = mine;
        }

        void next(ListQuery query) {
            api.list(kind, query).thenAccept(outcome -> {
                if (!mine.left) {
                    outcome.on(page -> take(query, page), this::refused);
                }
            });
        }

        private void take(ListQuery query, Page<T> page) {
            items.addAll(page.items());
            for (Page.Refused refused : page.refused()) {
                LOG.error("{} {} is left out: {}", kind.plural(), refused.ref(), refused.problem());
                unreadable.add(refused.ref());
            }
            if (!page.continueToken().isEmpty()) {
                next(query.continuing(page.continueToken()));
                return;
            }
            version = page.resourceVersion();
            unpaged = false;
            failedWatches = 0;
            listedAt = loop.nanos();
            staleSince = Optional.empty();
            picture.listed(version);
            if (mine.left) {
                return; // who was told has had enough
            }
            tell(picture.replace(items.build(), ImmutableSet.copyOf(unreadable)));
        }

        private void tell(Picture<T>.Replacement replacement) {
            if (!replacement.tell(AT_ONCE)) {
                mine.timers.add(loop.after(Duration.ZERO, () -> tell(replacement)));
                return;
            }
            synced = true;
            if (!mine.left) {
                watch();
            }
        }

        /** A token that expires between pages means that the list is too slow for its pages: the next one is in one piece. */
        private void refused(KubeError error) {
            unpaged = error instanceof KubeError.Expired;
            failed(error, Reflector.this::relist);
        }
    }

    /** A watch. */
    private final class Session implements WatchListener<T> {

        private final Stage stage;
        private final long began = loop.nanos();

        Session(Stage stage) {
            this.stage = stage;
            Duration sinceList = Duration.ofNanos(began - listedAt);
            Duration left = settings.relistEvery().minus(sinceList);
            stage.timers.add(loop.after(left.isNegative() ? Duration.ZERO : left, Reflector.this::relist));
        }

        @Override
        public void opened() {
            staleSince = Optional.empty();
        }

        @Override
        public void added(T object) {
            version = picture.versionOf(object);
            picture.upsert(object);
        }

        @Override
        public void modified(T object) {
            version = picture.versionOf(object);
            picture.upsert(object);
        }

        @Override
        public void deleted(T object) {
            version = picture.versionOf(object);
            picture.delete(object);
        }

        @Override
        public void bookmark(String resourceVersion) {
            if (!resourceVersion.isEmpty()) {
                version = resourceVersion;
            }
        }

        @Override
        public void refused(ObjectRef ref, String problem) {
            LOG.error("an event of {} {} is left out: {}", kind.plural(), ref, problem);
        }

        @Override
        public void ended(KubeError reason) {
            boolean good = Duration.ofNanos(loop.nanos() - began).compareTo(GOOD_LIFE) > 0;
            if (good) {
                backoff.reset();
                failedWatches = 0;
                expiredBefore = false;
            }
            if (reason instanceof KubeError.Expired && !expiredBefore) {
                expiredBefore = true; // one list mends it, at once; if not, the delays do their work
                relist();
            } else if (reason instanceof KubeError.Closed && good) {
                watch();
            } else {
                failedWatches++;
                failed(reason, resumable(reason) ? Reflector.this::watch : Reflector.this::relist);
            }
        }

        private boolean resumable(KubeError reason) {
            boolean passing = reason instanceof KubeError.NoAnswer
                    || reason instanceof KubeError.Busy
                    || reason instanceof KubeError.Closed;
            return passing && failedWatches < DOUBT_AFTER;
        }
    }
}
