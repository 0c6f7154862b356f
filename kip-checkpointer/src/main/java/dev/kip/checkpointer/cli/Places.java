package dev.kip.checkpointer.cli;

import com.google.common.base.Strings;
import dev.kip.checkpointer.generation.Layout;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where checkpoints are, and which node this is: the same for every command. */
final class Places {

    @Option(
            names = "--state-dir",
            paramLabel = "DIR",
            description = "Where checkpoints are kept: on a disk that survives a reboot. Default: ${DEFAULT-VALUE}.",
            defaultValue = "/var/lib/kip-checkpointer")
    private Path state = Path.of("/var/lib/kip-checkpointer");

    @Option(
            names = {"--static-pod-path", "--pod-manifest-path"},
            paramLabel = "DIR",
            description = "kubelet's staticPodPath. Default: ${DEFAULT-VALUE}.",
            defaultValue = "/etc/kubernetes/manifests")
    private Path manifests = Path.of("/etc/kubernetes/manifests");

    @Option(
            names = "--node-name",
            paramLabel = "NAME",
            description = "As the API server knows this node. Default: $NODE_NAME.",
            defaultValue = "${env:NODE_NAME}")
    private @Nullable String node;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description = "Of the checkpointer. Default: $POD_NAMESPACE.",
            defaultValue = "${env:POD_NAMESPACE}")
    private @Nullable String namespace;

    Layout layout() {
        return new Layout(
                state.toAbsolutePath().normalize(), manifests.toAbsolutePath().normalize());
    }

    /** Empty if nobody says. */
    String node() {
        return Strings.nullToEmpty(node);
    }

    String namespace() {
        return Strings.nullToEmpty(namespace);
    }
}
