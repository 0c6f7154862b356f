package dev.kip.checkpointer;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.generation.CheckpointReader.Scope;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.standing.Policy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * How a checkpointer works.
 *
 * @param node this node's name
 * @param self the pod that this program runs in, under its parent's name
 * @param namespaces where parents are looked for; the first is its own
 * @param pass how often everything is looked at
 * @param refresh how often contents are compared with the API server's
 * @param runtimeTimeout for one request to the container runtime
 * @param tokenLifetime for how long a pod's tokens are to be good with no API server, at least
 * @param kubelet the version of the node's kubelet; if empty, what the API server says
 */
public record CheckpointerSettings(
        String node,
        PodKey self,
        ImmutableList<String> namespaces,
        Layout layout,
        Path lock,
        Policy policy,
        Duration pass,
        Duration refresh,
        Duration runtimeTimeout,
        Duration tokenLifetime,
        Optional<KubeletVersion> kubelet) {

    /** How often everything was looked at by the original. */
    public static final Duration PASS = Duration.ofSeconds(5);

    public static final Duration REFRESH = Duration.ofSeconds(60);

    /** A static pod's name ends with the node's; its parent's does not. */
    public static PodKey self(String namespace, String pod, String node) {
        String suffix = "-" + node.toLowerCase(Locale.ROOT);
        return new PodKey(namespace, pod.endsWith(suffix) ? pod.substring(0, pod.length() - suffix.length()) : pod);
    }

    public Scope scope() {
        return new Scope(node, self.namespace());
    }
}
