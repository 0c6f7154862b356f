package dev.kip.kube.elect;

import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.WatchListener;
import dev.kip.kube.WatchQuery;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shows a standby each renewal at once. Without it the elector still works: a renewal is then seen at the next reading
 * only, and a holder's death found out that much later. Confined to the loop.
 */
final class LeaseWatch {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseWatch.class);
    private static final Duration LASTS = Duration.ofMinutes(5);

    private final KubeApi api;
    private final ResourceKind<ObjectNode> kind;
    private final ObjectRef lease;
    private final Consumer<ObjectNode> seen;
    private Optional<Listening> open = Optional.empty();

    /** @param seen hears of the lease as it was a moment ago */
    LeaseWatch(KubeApi api, ResourceKind<ObjectNode> kind, ObjectRef lease, Consumer<ObjectNode> seen) {
        this.api = api;
        this.kind = kind;
        this.lease = lease;
        this.seen = seen;
    }

    /** Nothing if it is open. Once it has ended, which is not told, it may be opened again. */
    void open(String version) {
        if (open.isEmpty()) {
            Listening listening = new Listening();
            open = Optional.of(listening);
            listening.begin(version);
        }
    }

    void close() {
        open.ifPresent(Listening::end);
        open = Optional.empty();
    }

    private final class Listening implements WatchListener<ObjectNode> {

        private Optional<KubeApi.Watch> watch = Optional.empty();
        private boolean over;

        void begin(String version) {
            WatchQuery query =
                    new WatchQuery(lease.namespace(), "", "metadata.name=" + lease.name(), version, LASTS, false);
            watch = Optional.of(api.watch(kind, query, this));
        }

        void end() {
            over = true;
            watch.ifPresent(KubeApi.Watch::close);
        }

        @Override
        public void added(ObjectNode object) {
            modified(object);
        }

        @Override
        public void modified(ObjectNode object) {
            if (!over) {
                seen.accept(object);
            }
        }

        @Override
        public void deleted(ObjectNode object) {
            // The next reading finds out, and makes one anew.
        }

        @Override
        public void bookmark(String resourceVersion) {
            // The end of a watch costs one more reading, so there is nowhere to go on from.
        }

        @Override
        public void refused(ObjectRef ref, String problem) {
            LOG.warn("election: {}", problem);
        }

        @Override
        public void ended(KubeError reason) {
            if (!over) {
                open = Optional.empty();
            }
        }
    }
}
