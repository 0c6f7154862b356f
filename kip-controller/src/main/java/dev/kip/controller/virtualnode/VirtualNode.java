package dev.kip.controller.virtualnode;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ControllerSettings.NodeSettings;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.ownership.Mandate;
import dev.kip.entropy.Entropy;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectKey;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.PatchType;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.reflect.Reflector;
import dev.kip.kube.reflect.ReflectorHandler;
import dev.kip.kube.reflect.ReflectorSettings;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps the node's object in the API: made if it is missing, whoever removed it; its labels, taint and status right; its
 * lease renewed every ten seconds. Confined to the loop.
 */
public final class VirtualNode {

    private static final Logger LOG = LoggerFactory.getLogger(VirtualNode.class);
    private static final ResourceKind<ObjectNode> NODES = Kinds.NODES.as(Codecs.tree());
    private static final Duration STATUS_AGAIN = Duration.ofMinutes(5);
    private static final Duration RETRY = Duration.ofSeconds(2);

    private final Loop loop;
    private final KubeApi kube;
    private final Calls calls;
    private final NodeSettings settings;
    private final NodeShape shape;
    private final Supplier<Mandate> mandate;
    private final Reflector<ObjectNode> reflector;
    private final NodeLease lease;

    private Optional<ObjectNode> known = Optional.empty();
    private boolean listed;
    private boolean cordoned;
    private boolean stopped;
    private boolean writing;
    private boolean waiting;
    private long statusWrittenAt;
    private boolean statusWritten;

    /** {@link NodeShape#gist} of what the API server made of the status that we wrote last. */
    private String gist = "";

    public VirtualNode(
            Loop loop, KubeApi kube, Calls calls, Entropy entropy, NodeSettings settings, Supplier<Mandate> mandate) {
        this.loop = loop;
        this.kube = kube;
        this.calls = calls;
        this.settings = settings;
        this.shape = new NodeShape(settings);
        this.mandate = mandate;
        this.lease = new NodeLease(loop, kube, calls, settings.name(), mandate);
        this.reflector = new Reflector<>(
                kube,
                loop,
                entropy,
                NODES,
                ObjectKey::of,
                ReflectorSettings.ALL.fields("metadata.name=" + settings.name()),
                new Handler());
    }

    public void start() {
        reflector.start();
        statusTick();
    }

    /** Leaves the object and its lease to others. */
    public void stop() {
        stopped = true;
        lease.stop();
        reflector.stop();
    }

    /** Nothing more is to be scheduled there. */
    public void cordon() {
        cordoned = true;
        reconcile();
    }

    private final class Handler implements ReflectorHandler<ObjectNode> {

        @Override
        public void upserted(ObjectNode node) {
            known = Optional.of(node);
            lease.nodeIs(ObjectKey.of(node).uid());
            reconcile();
        }

        @Override
        public void deleted(ObjectNode last) {
            LOG.warn("Node {} was deleted; making it again", settings.name());
            known = Optional.empty();
            reconcile();
        }

        @Override
        public void replaced(ImmutableList<ObjectNode> all) {
            listed = true;
            reconcile();
        }
    }

    private void statusTick() {
        calls.after(STATUS_AGAIN, "node status", () -> {
            statusWritten = false;
            reconcile();
            statusTick();
        });
    }

    private void reconcile() {
        if (!listed || writing || waiting || stopped) {
            return;
        }
        if (mandate.get().expired(loop.nanos())) {
            retry();
        } else if (known.isEmpty()) {
            create();
        } else {
            ObjectNode repair = shape.repair(known.get(), cordoned);
            if (!repair.isEmpty()) {
                patch("", repair);
            } else if (!statusWritten || !NodeShape.gist(known.get()).equals(gist)) {
                boolean tooSoon = statusWritten && loop.nanos() - statusWrittenAt < RETRY.toNanos();
                if (tooSoon) {
                    retry();
                } else {
                    ObjectNode status = JsonNodeFactory.instance.objectNode();
                    status.set("status", shape.status(known.get(), loop.now()));
                    statusWrittenAt = loop.nanos();
                    patch("status", status);
                }
            }
        }
    }

    private void create() {
        writing = true;
        calls.on(
                "kube",
                "create nodes",
                kube.create(NODES, "", shape.object(loop.now(), cordoned)),
                made -> {
                    writing = false;
                    if (known.isEmpty()) {
                        known = Optional.of(made);
                        lease.nodeIs(ObjectKey.of(made).uid());
                    }
                    reconcile();
                },
                error -> {
                    writing = false;
                    LOG.warn("create Node {}: {}", settings.name(), error.message());
                    retry(); // if it exists, the watch will say so
                });
    }

    private void patch(String subresource, ObjectNode patch) {
        writing = true;
        calls.on(
                "kube",
                "patch nodes" + (subresource.isEmpty() ? "" : "/" + subresource),
                kube.patch(NODES, ObjectRef.cluster(settings.name()), subresource, PatchType.MERGE, patch),
                node -> {
                    writing = false;
                    if (!subresource.isEmpty()) {
                        statusWritten = true;
                        gist = NodeShape.gist(node);
                    }
                    if (known.isPresent()) {
                        known = Optional.of(node);
                    }
                    reconcile();
                },
                error -> {
                    writing = false;
                    if (error instanceof KubeError.NotFound) {
                        known = Optional.empty();
                    }
                    LOG.warn("patch Node {}: {}", settings.name(), error.message());
                    retry();
                });
    }

    private void retry() {
        waiting = true;
        calls.after(RETRY, "node", () -> {
            waiting = false;
            reconcile();
        });
    }
}
