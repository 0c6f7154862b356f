package dev.kip.kube.elect;

import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.UnsupportedKubeApi;
import dev.kip.kube.WatchListener;
import dev.kip.kube.WatchQuery;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/** One Lease on a server with optimistic locking, reached over links that may be slow, or lose things. */
final class PlayedLease {

    Optional<ObjectNode> lease = Optional.empty();
    final List<String> writes = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final Loop loop;
    private long version = 100;

    PlayedLease(Loop loop) {
        this.loop = loop;
    }

    String holder() {
        return lease.map(LeaseRecord::holder).orElse("");
    }

    Link link() {
        Link link = new Link();
        links.add(link);
        return link;
    }

    /** Someone else's write, at a new version. */
    void put(ObjectNode object) {
        version++;
        object.withObject("/metadata").put("resourceVersion", Long.toString(version));
        lease = Optional.of(object);
        tellAll();
    }

    private void tellAll() {
        links.forEach(Link::tell);
    }

    private Outcome<ObjectNode, KubeError> read() {
        return lease.map(found -> Outcome.<ObjectNode, KubeError>ok(found.deepCopy()))
                .orElseGet(() -> Outcome.failed(new KubeError.NotFound("no lease")));
    }

    private Outcome<ObjectNode, KubeError> create(ObjectNode sent) {
        if (lease.isPresent()) {
            return Outcome.failed(new KubeError.AlreadyExists("there is a lease"));
        }
        return store(sent);
    }

    private Outcome<ObjectNode, KubeError> replace(ObjectNode sent) {
        String expected = sent.path("metadata").path("resourceVersion").asString("");
        if (!expected.equals(Long.toString(version)) || lease.isEmpty()) {
            return Outcome.failed(new KubeError.Conflict("the lease has been modified"));
        }
        return store(sent);
    }

    private Outcome<ObjectNode, KubeError> store(ObjectNode sent) {
        version++;
        ObjectNode stored = sent.deepCopy();
        stored.withObject("/metadata")
                .put("resourceVersion", Long.toString(version))
                .put("uid", "U1");
        lease = Optional.of(stored);
        writes.add(LeaseRecord.holder(stored));
        tellAll();
        return Outcome.ok(stored.deepCopy());
    }

    /** One client's way to the server. */
    final class Link extends UnsupportedKubeApi {

        Duration latency = Duration.ofMillis(10);
        boolean requestsLost;
        boolean answersLost;
        int calls;
        int watchesOpened;
        boolean watchesFail;
        Optional<KubeError> refuse = Optional.empty();
        /** Runs at the server just before the next request of this link is handled. */
        Optional<Runnable> before = Optional.empty();

        @Override
        public <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref) {
            return call(PlayedLease.this::read);
        }

        @Override
        public <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object) {
            return call(() -> PlayedLease.this.create((ObjectNode) object));
        }

        @Override
        public <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object) {
            return call(() -> PlayedLease.this.replace((ObjectNode) object));
        }

        private Optional<WatchListener<ObjectNode>> watching = Optional.empty();

        @Override
        @SuppressWarnings("unchecked") // the elector reads trees only
        public <T> Watch watch(ResourceKind<T> kind, WatchQuery query, WatchListener<T> listener) {
            watchesOpened++;
            WatchListener<ObjectNode> told = (WatchListener<ObjectNode>) listener;
            if (watchesFail) {
                loop.after(latency, () -> told.ended(new KubeError.Forbidden("may not watch leases")));
                return () -> {};
            }
            watching = Optional.of(told);
            return () -> watching = Optional.empty();
        }

        boolean watches() {
            return watching.isPresent();
        }

        void endWatch() {
            Optional<WatchListener<ObjectNode>> told = watching;
            watching = Optional.empty();
            told.ifPresent(listener -> listener.ended(new KubeError.Closed("the watch is over")));
        }

        private void tell() {
            ObjectNode now = lease.orElseThrow().deepCopy();
            if (!requestsLost && !answersLost) {
                loop.after(latency.dividedBy(2), () -> watching.ifPresent(told -> told.modified(now)));
            }
        }

        @SuppressWarnings("unchecked") // the elector reads trees only
        private <T> CompletionStage<Outcome<T, KubeError>> call(Supplier<Outcome<ObjectNode, KubeError>> request) {
            calls++;
            var answer = new CompletableFuture<Outcome<ObjectNode, KubeError>>();
            if (!requestsLost) {
                loop.after(latency.dividedBy(2), () -> {
                    Optional<Runnable> due = before;
                    before = Optional.empty();
                    due.ifPresent(Runnable::run);
                    Outcome<ObjectNode, KubeError> outcome =
                            refuse.map(Outcome::<ObjectNode, KubeError>failed).orElseGet(request);
                    if (!answersLost) {
                        loop.after(latency.dividedBy(2), () -> answer.complete(outcome));
                    }
                });
            }
            return (CompletionStage<Outcome<T, KubeError>>) (CompletionStage<?>) answer;
        }
    }
}
