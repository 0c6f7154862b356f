package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/**
 * The world in which a story begins.
 *
 * @param node name of the virtual node
 * @param controllers how many replicas of the controller run in each cluster
 * @param clusters how many there are, named from {@code a} on, all in one account of the cloud
 * @param taint whether the virtual node carries its taint
 * @param daemonSets names of DaemonSets in kube-system that tolerate everything, as kube-proxy does
 * @param capacityErrors instance types for which the cloud has no room
 * @param anchor where the anchor is
 * @param config keys of provider.yaml beside those of the world's own
 * @param knobs what differs from the usual world
 * @param nodes instead of all that: machines of a plane that hosts itself
 */
public record Given(
        String node,
        int controllers,
        int clusters,
        boolean taint,
        ImmutableList<String> daemonSets,
        ImmutableList<String> capacityErrors,
        Anchor anchor,
        ImmutableMap<String, String> config,
        Knobs knobs,
        Optional<GivenNodes> nodes) {

    public static final Given PLAIN = new Given(
            "virtual-kubelet",
            1,
            1,
            false,
            ImmutableList.of(),
            ImmutableList.of(),
            Anchor.NONE,
            ImmutableMap.of(),
            Knobs.USUAL,
            Optional.empty());

    Given withNodes(GivenNodes machines) {
        return new Given(
                node,
                controllers,
                clusters,
                taint,
                daemonSets,
                capacityErrors,
                anchor,
                config,
                knobs,
                Optional.of(machines));
    }

    /** On what the anchor is kept. */
    public enum Anchor {
        NONE("none"),
        S3("s3"),
        DYNAMODB("dynamodb");

        private final String word;

        Anchor(String word) {
            this.word = word;
        }

        /** As words name it, and its name on the network. */
        public String word() {
            return word;
        }
    }
}
