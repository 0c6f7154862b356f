package dev.kip.controller.doctor;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.inventory.Holdings;
import dev.kip.kube.ObjectRef;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Keeps a DaemonSet off the virtual node by node affinity, and leaves every other wish of it as it is. Pure. */
public final class DaemonSetPatch {

    /** The label that every virtual node has, the original's too. */
    private static final String LABEL = "type";

    private static final String VALUE = "virtual-kubelet";

    private DaemonSetPatch() {}

    /** The DaemonSet as a merge patch changes it. */
    public static ObjectNode of(ObjectNode daemonSet) {
        JsonNode terms = daemonSet.at("/spec/template/spec/affinity/nodeAffinity"
                + "/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ArrayNode next = patch.withObject(
                        "/spec/template/spec/affinity/nodeAffinity" + "/requiredDuringSchedulingIgnoredDuringExecution")
                .putArray("nodeSelectorTerms");
        // A node need match one term only: each must say it.
        terms.forEach(term -> next.add(with((ObjectNode) term.deepCopy())));
        if (next.isEmpty()) {
            next.add(with(JsonNodeFactory.instance.objectNode()));
        }
        return patch;
    }

    /** The command line, for a POSIX shell. */
    public static String command(ObjectNode daemonSet) {
        ObjectRef ref = Holdings.refOf(daemonSet);
        return "kubectl -n " + ref.namespace() + " patch daemonset " + ref.name() + " --type=merge -p '"
                + of(daemonSet).toString().replace("'", "'\\''") + "'";
    }

    private static ObjectNode with(ObjectNode term) {
        ArrayNode expressions = term.withArray("/matchExpressions");
        ObjectNode not = JsonNodeFactory.instance.objectNode();
        not.put("key", LABEL).put("operator", "NotIn").putArray("values").add(VALUE);
        for (JsonNode expression : expressions) {
            if (expression.equals(not)) {
                return term;
            }
        }
        expressions.add(not);
        return term;
    }

    /** Those of {@code daemonSets} that own one of {@code pods}; kube-proxy first, then by namespace and name. */
    public static ImmutableList<ObjectNode> landed(
            ImmutableList<ObjectNode> daemonSets, ImmutableList<ObjectNode> pods) {
        return daemonSets.stream()
                .filter(set -> pods.stream().anyMatch(pod -> owns(set, pod)))
                .sorted((one, other) -> {
                    int proxies = Boolean.compare(isProxy(other), isProxy(one));
                    return proxies != 0
                            ? proxies
                            : Holdings.refOf(one)
                                    .toString()
                                    .compareTo(Holdings.refOf(other).toString());
                })
                .collect(ImmutableList.toImmutableList());
    }

    private static boolean isProxy(ObjectNode daemonSet) {
        return Holdings.refOf(daemonSet).name().equals("kube-proxy");
    }

    private static boolean owns(ObjectNode daemonSet, ObjectNode pod) {
        String uid = daemonSet.path("metadata").path("uid").asString("");
        for (JsonNode owner : pod.path("metadata").path("ownerReferences")) {
            if (owner.path("uid").asString("").equals(uid)) {
                return true;
            }
        }
        return false;
    }
}
