package dev.kip.controller.virtualnode;

import dev.kip.controller.calls.Calls;
import dev.kip.controller.ownership.Mandate;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectKey;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps the heart of a virtual node beating while its controller may change nothing else: a node that is silent for five
 * minutes has its pods evicted, and pods that run well would be lost to a store that is away or a Secret that is missing.
 * A node that does not exist is not made. Confined to the loop.
 */
public final class Vigil {

    private static final ResourceKind<ObjectNode> NODES = Kinds.NODES.as(Codecs.tree());
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

    private final KubeApi kube;
    private final Calls calls;
    private final String node;
    private final NodeLease lease;
    private boolean begun;
    private boolean stopped;

    /** @param mandate the right to write in the cluster, as the leader's lease lasts */
    public Vigil(Loop loop, KubeApi kube, Calls calls, String node, Supplier<Mandate> mandate) {
        this.kube = kube;
        this.calls = calls;
        this.node = node;
        this.lease = new NodeLease(loop, kube, calls, node, mandate);
    }

    /** From now on; a second time has no effect. */
    public void keep() {
        if (!begun) {
            begun = true;
            look();
        }
    }

    public void stop() {
        stopped = true;
        lease.stop();
    }

    private void look() {
        if (stopped) {
            return;
        }
        calls.on(
                "kube",
                "get nodes",
                kube.get(NODES, ObjectRef.cluster(node)),
                found -> lease.nodeIs(ObjectKey.of(found).uid()),
                error -> {
                    if (error instanceof KubeError.NotFound) {
                        begun = false;
                    } else {
                        calls.after(LOOK_AGAIN, "look at the node", this::look);
                    }
                });
    }
}
