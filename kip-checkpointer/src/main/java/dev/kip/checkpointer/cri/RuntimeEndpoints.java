package dev.kip.checkpointer.cri;

import com.google.common.collect.ImmutableList;
import dev.kip.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the socket of the container runtime. */
public final class RuntimeEndpoints {

    /** Where runtimes listen if nobody says otherwise, in the order in which they are tried. */
    public static final ImmutableList<Path> USUAL = ImmutableList.of(
            Path.of("/run/containerd/containerd.sock"),
            Path.of("/run/crio/crio.sock"),
            Path.of("/run/cri-dockerd.sock"));

    private RuntimeEndpoints() {}

    /**
     * The socket that {@code endpoint} names, or the first usual one that is there; without any, the first.
     *
     * @throws IllegalArgumentException if it names no unix socket, or dockershim's, which no kubelet since 1.24 has
     */
    public static Path find(Optional<String> endpoint, Disk disk) {
        if (endpoint.isPresent()) {
            return named(endpoint.get());
        }
        for (Path path : USUAL) {
            try {
                if (disk.look(path).isPresent()) {
                    return path;
                }
            } catch (IOException e) {
                // Then it is not this one.
            }
        }
        return USUAL.get(0);
    }

    private static Path named(String endpoint) {
        String path = endpoint.startsWith("unix://") ? endpoint.substring("unix://".length()) : endpoint;
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("the runtime's endpoint must be unix:///path, not " + endpoint);
        }
        if (path.endsWith("/dockershim.sock")) {
            throw new IllegalArgumentException(endpoint
                    + " is dockershim's, which is gone since Kubernetes 1.24: name the socket of containerd, CRI-O or"
                    + " cri-dockerd");
        }
        return Path.of(path);
    }
}
