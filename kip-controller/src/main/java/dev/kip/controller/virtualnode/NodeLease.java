package dev.kip.controller.virtualnode;

import dev.kip.controller.calls.Calls;
import dev.kip.controller.ownership.Mandate;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The node's heartbeat. Owned by the node's object, so that it goes with it; whatever goes wrong with it, it is read anew
 * (kubernetes-sigs/kwok issue 705). Confined to the loop.
 */
final class NodeLease {

    private static final Logger LOG = LoggerFactory.getLogger(NodeLease.class);
    private static final ResourceKind<ObjectNode> LEASES = Kinds.LEASES.as(Codecs.tree());
    private static final String NAMESPACE = "kube-node-lease";
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final int DURATION_SECONDS = 40;
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final Loop loop;
    private final KubeApi kube;
    private final Calls calls;
    private final String node;
    private final Supplier<Mandate> mandate;
    private String nodeUid = "";
    private Optional<ObjectNode> current = Optional.empty();
    private boolean beating;
    private boolean stopped;

    NodeLease(Loop loop, KubeApi kube, Calls calls, String node, Supplier<Mandate> mandate) {
        this.loop = loop;
        this.kube = kube;
        this.calls = calls;
        this.node = node;
        this.mandate = mandate;
    }

    /** The node has this uid (now); the first time, the heart begins to beat. */
    void nodeIs(String uid) {
        nodeUid = uid;
        if (!beating) {
            beating = true;
            beat();
        }
    }

    void stop() {
        stopped = true;
    }

    private void beat() {
        if (stopped) {
            return;
        }
        if (mandate.get().expired(loop.nanos())) {
            next(SOON);
        } else if (current.isPresent()) {
            replace(current.get());
        } else {
            read();
        }
    }

    private void read() {
        calls.on("kube", "get leases", kube.get(LEASES, ref()), this::replace, error -> {
            if (error instanceof KubeError.NotFound) {
                create();
            } else {
                failed(error);
            }
        });
    }

    private void create() {
        ObjectNode lease = JsonNodeFactory.instance.objectNode();
        lease.put("apiVersion", LEASES.apiVersion());
        lease.put("kind", "Lease");
        ObjectNode metadata = lease.putObject("metadata");
        metadata.put("name", node);
        metadata.put("namespace", NAMESPACE);
        fill(lease);
        calls.on("kube", "create leases", kube.create(LEASES, NAMESPACE, lease), this::renewed, this::failed);
    }

    private void replace(ObjectNode lease) {
        fill(lease);
        calls.on("kube", "replace leases", kube.replace(LEASES, ref(), lease), this::renewed, this::failed);
    }

    private void fill(ObjectNode lease) {
        ObjectNode owner =
                lease.withObject("/metadata").putArray("ownerReferences").addObject();
        owner.put("apiVersion", "v1");
        owner.put("kind", "Node");
        owner.put("name", node);
        owner.put("uid", nodeUid);
        ObjectNode spec = lease.withObject("/spec");
        spec.put("holderIdentity", node);
        spec.put("leaseDurationSeconds", DURATION_SECONDS);
        spec.put("renewTime", MICRO_TIME.format(loop.now()));
    }

    private void renewed(ObjectNode lease) {
        current = Optional.of(lease);
        next(PERIOD);
    }

    private void failed(KubeError error) {
        LOG.warn("lease of Node {}: {}", node, error.message());
        current = Optional.empty();
        next(SOON);
    }

    private void next(Duration pause) {
        calls.after(pause, "node lease", this::beat);
    }

    private ObjectRef ref() {
        return new ObjectRef(NAMESPACE, node);
    }
}
