package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Which instance stands for which pod, by the Cells. */
public final class Bindings {

    private Bindings() {}

    /** Instances that a Cell stands for whose pod exists. */
    public static ImmutableSet<String> instances(World world, String cluster) {
        ImmutableSet<String> pods = world.objects(cluster, "pod").stream()
                .map(pod -> pod.at("/metadata/uid").asString(""))
                .collect(ImmutableSet.toImmutableSet());
        return world.objects(cluster, "cell").stream()
                .filter(cell -> pods.contains(cell.at("/status/podUID").asString("")))
                .map(cell -> cell.at("/status/instanceID").asString(""))
                .collect(ImmutableSet.toImmutableSet());
    }

    /** The instance of the pod, by its Cell. */
    static Optional<String> instanceOf(World world, String cluster, String namespace, String pod) {
        for (ObjectNode cell : world.objects(cluster, "cell")) {
            if (isOf(cell, namespace, pod)) {
                return Optional.of(cell.at("/status/instanceID").asString(""));
            }
        }
        return Optional.empty();
    }

    /** @param glob of the pod's name */
    static boolean isOf(ObjectNode cell, String namespace, String glob) {
        return cell.at("/status/podNamespace").asString("").equals(namespace)
                && Globs.matches(glob, cell.at("/status/podName").asString(""));
    }
}
