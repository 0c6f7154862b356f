package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;

/**
 * The world in which a story begins.
 *
 * @param node name of the virtual node
 * @param controllers how many replicas of the controller run
 * @param taint whether the virtual node carries its taint
 * @param daemonSets names of DaemonSets in kube-system that tolerate everything, as kube-proxy does
 * @param capacityErrors instance types for which the cloud has no room
 */
public record Given(
        String node,
        int controllers,
        boolean taint,
        ImmutableList<String> daemonSets,
        ImmutableList<String> capacityErrors) {

    public static final Given PLAIN = new Given("virtual-kubelet", 1, false, ImmutableList.of(), ImmutableList.of());
}
