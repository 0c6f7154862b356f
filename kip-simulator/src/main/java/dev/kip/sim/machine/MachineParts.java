package dev.kip.sim.machine;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a real cell is made of, on this machine.
 *
 * @param kubelet the program
 * @param agentJar {@code kip-checkpointer.jar}
 * @param java the program that runs it
 * @param cni where the CNI plugins are
 */
public record MachineParts(Path kubelet, Path agentJar, Path java, Path cni) {

    private static final ImmutableList<String> PROGRAMS = ImmutableList.of(
            "containerd", "ctr", "runc", "busybox", "ip", "iptables", "unshare", "nsenter", "mount", "tar", "sysctl");
    private static final ImmutableList<String> PLUGINS = ImmutableList.of("ptp", "static", "loopback");
    private static final ImmutableList<String> CNI_PLACES =
            ImmutableList.of("/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni");
    private static final String SIMULATED = " Cells that are simulated need none of this: leave --cells kubelet out.";

    /** There is no real cell to be had here; the message says what is missing and what to do. */
    public static final class Missing extends Exception {

        private static final long serialVersionUID = 1L;

        Missing(String message) {
            super(message + SIMULATED);
        }
    }

    /**
     * Looks for all of them.
     *
     * @param environment of this process: PATH, HOME, KIP_PARTS, XDG_CACHE_HOME, KIP_KUBELET
     * @param home the directory of the project, where the agent's jar is built
     */
    public static MachineParts find(ImmutableMap<String, String> environment, Path home) throws Missing {
        if (!System.getProperty("os.name", "").equals("Linux")) {
            throw new Missing("Real cells need Linux.");
        }
        if (!System.getProperty("user.name", "").equals("root")) {
            throw new Missing("Real cells need root: namespaces, mounts and cgroups are made for each.");
        }
        ImmutableList<String> path = ImmutableList.copyOf(
                Splitter.on(File.pathSeparatorChar).omitEmptyStrings().split(environment.getOrDefault("PATH", "")));
        ImmutableList<String> absent = PROGRAMS.stream()
                .filter(program -> program(path, program).isEmpty())
                .collect(ImmutableList.toImmutableList());
        if (!absent.isEmpty()) {
            throw new Missing("Real cells need " + String.join(", ", absent)
                    + " (Debian: containerd runc busybox-static iproute2 iptables util-linux).");
        }
        Path cni = CNI_PLACES.stream()
                .map(Path::of)
                .filter(place -> PLUGINS.stream().allMatch(plugin -> Files.isExecutable(place.resolve(plugin))))
                .findFirst()
                .orElseThrow(() -> new Missing("Real cells need the CNI plugins " + String.join(", ", PLUGINS) + " in "
                        + String.join(" or ", CNI_PLACES) + " (Debian: containernetworking-plugins)."));
        Path kubelet = Optional.ofNullable(environment.get("KIP_KUBELET"))
                .map(Path::of)
                .or(() -> Optional.of(partsDirectory(environment).resolve("bin/kubelet"))
                        .filter(Files::isExecutable))
                .or(() -> program(path, "kubelet"))
                .orElseThrow(() -> new Missing("Real cells need kubelet: run real-parts/build kubelet, install it, or"
                        + " name it by KIP_KUBELET."));
        Path jar = home.resolve("kip-checkpointer/target/kip-checkpointer.jar");
        if (!Files.isReadable(jar)) {
            throw new Missing("Real cells need " + jar + ": run mvn -pl kip-checkpointer -am package -DskipTests.");
        }
        return new MachineParts(kubelet, jar, Path.of(System.getProperty("java.home", ""), "bin", "java"), cni);
    }

    /** The project's directory: this program is in one of its modules' target directories. */
    public static Path home() {
        Path at = Path.of(MachineParts.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toAbsolutePath();
        while (at.getParent() != null && !at.getFileName().toString().equals("kip-simulator")) {
            at = at.getParent();
        }
        return at.getParent() == null ? Path.of("").toAbsolutePath() : at.getParent();
    }

    private static Path partsDirectory(ImmutableMap<String, String> environment) {
        return Optional.ofNullable(environment.get("KIP_PARTS"))
                .map(Path::of)
                .orElseGet(() -> Optional.ofNullable(environment.get("XDG_CACHE_HOME"))
                        .map(Path::of)
                        .orElseGet(() -> Path.of(environment.getOrDefault("HOME", "/root"), ".cache"))
                        .resolve("kip/parts"));
    }

    private static Optional<Path> program(ImmutableList<String> path, String name) {
        return path.stream()
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
