package dev.kip.controller.drain;

import com.google.common.collect.ImmutableList;
import dev.kip.kube.Codecs;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectKey;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import tools.jackson.databind.node.ObjectNode;

/** Deletes the node's object and its lease, then the pods that are still bound to it and run nowhere. */
final class NodeStep implements Step {

    private static final ResourceKind<ObjectNode> NODES = Kinds.NODES.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());
    private static final String LEASES = "kube-node-lease";
    private static final int PAGE = 500;

    private final Room room;

    NodeStep(Room room) {
        this.room = room;
    }

    @Override
    public String name() {
        return "DeletingNode";
    }

    @Override
    public void attempt(Scope scope, Verdict verdict) {
        room.node().stop();
        ObjectRef node = ObjectRef.cluster(scope.node());
        room.calls()
                .on(
                        "kube",
                        "get nodes",
                        room.kube().get(NODES, node),
                        found -> deleteNode(node, found, verdict),
                        error -> {
                            if (error instanceof KubeError.NotFound) {
                                deleteLease(scope, verdict);
                            } else {
                                verdict.waiting("Node " + node.name() + " could not be read: " + error.message());
                            }
                        });
    }

    private void deleteNode(ObjectRef node, ObjectNode found, Verdict verdict) {
        if (!"virtual-kubelet"
                .equals(found.path("metadata").path("labels").path("type").asString(""))) {
            verdict.waiting(
                    "Node " + node.name() + " is not a virtual node of ours (its label type is not virtual-kubelet):"
                            + " delete it by hand if it is meant to go");
            return;
        }
        delete(
                NODES,
                node,
                DeleteQuery.of(ObjectKey.of(found).uid()),
                () -> verdict.waiting("Node " + node.name() + " is being deleted"),
                verdict);
    }

    private void deleteLease(Scope scope, Verdict verdict) {
        delete(
                Kinds.LEASES,
                new ObjectRef(LEASES, scope.node()),
                DeleteQuery.PLAIN,
                () -> deletePods(scope, verdict),
                verdict);
    }

    private void deletePods(Scope scope, Verdict verdict) {
        room.calls()
                .on(
                        "kube",
                        "list pods",
                        room.kube()
                                .list(
                                        PODS,
                                        ListQuery.ALL
                                                .fields("spec.nodeName=" + scope.node())
                                                .limit(PAGE)),
                        page -> {
                            if (page.items().isEmpty() && page.continueToken().isEmpty()) {
                                verdict.done();
                            } else {
                                deletePods(page.items());
                                verdict.waiting(page.items().size() + " pods that run nowhere are being deleted");
                            }
                        },
                        error -> verdict.waiting("the node's pods could not be listed: " + error.message()));
    }

    private void deletePods(ImmutableList<ObjectNode> pods) {
        for (ObjectNode pod : pods) {
            ObjectKey key = ObjectKey.of(pod);
            if (room.mayWrite()) {
                room.calls()
                        .on(
                                "kube",
                                "delete pods",
                                room.kube()
                                        .delete(
                                                PODS,
                                                key.ref(),
                                                DeleteQuery.of(key.uid()).now()),
                                done -> {},
                                error -> {});
            }
        }
    }

    private void delete(ResourceKind<?> kind, ObjectRef ref, DeleteQuery query, Runnable gone, Verdict verdict) {
        if (!room.mayWrite()) {
            verdict.waiting("the lease is over");
            return;
        }
        room.calls()
                .on(
                        "kube",
                        "delete " + kind.plural(),
                        room.kube().delete(kind, ref, query),
                        done -> gone.run(),
                        error -> {
                            if (error instanceof KubeError.NotFound) {
                                gone.run();
                            } else {
                                verdict.waiting(kind.kind() + " " + ref + " could not be deleted: " + error.message());
                            }
                        });
    }
}
