package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The programs of a world in wall time.
 *
 * @param folder where {@code real-parts/build} puts them
 * @param cloud EC2 that runs already; moto is started if empty
 * @param constants what that EC2 says the same each time
 */
public record WallParts(Path folder, Optional<URI> cloud, Answers constants) {

    private static final ImmutableList<String> PLANE = ImmutableList.of(
            "etcd", "etcdctl", "etcdutl", "kube-apiserver", "kube-controller-manager", "kube-scheduler");
    private static final String MOTO = "moto_server";

    /**
     * Looks for what the world needs, before anything is started.
     *
     * @param environment of this process: KIP_PARTS, XDG_CACHE_HOME, HOME
     * @param folder wins over the environment
     * @param cloud {@code moto}, or a URL
     * @throws PartsMissing naming what is not there, and what to do
     */
    public static WallParts find(
            WorldKind world, ImmutableMap<String, String> environment, Optional<Path> folder, String cloud)
            throws PartsMissing {
        Path parts = folder.orElseGet(() -> Optional.ofNullable(environment.get("KIP_PARTS"))
                .map(Path::of)
                .orElseGet(() -> Optional.ofNullable(environment.get("XDG_CACHE_HOME"))
                        .map(Path::of)
                        .orElseGet(() -> Path.of(environment.getOrDefault("HOME", "/root"), ".cache"))
                        .resolve("kip/parts")));
        Optional<URI> url = cloud.equals("moto") ? Optional.empty() : Optional.of(url(cloud));
        ImmutableList.Builder<String> needed = ImmutableList.builder();
        if (world == WorldKind.REAL) {
            needed.addAll(PLANE);
        }
        if (url.isEmpty()) {
            needed.add(MOTO);
        }
        ImmutableList<String> missing = needed.build().stream()
                .filter(program -> !Files.isExecutable(parts.resolve("bin").resolve(program)))
                .collect(ImmutableList.toImmutableList());
        if (!missing.isEmpty()) {
            throw new PartsMissing("the world \"" + world + "\" needs " + String.join(", ", missing) + " in "
                    + parts.resolve("bin")
                    + ". Build them with real-parts/build, or say where they are with --parts DIR"
                    + " or KIP_PARTS"
                    + (missing.contains(MOTO) ? "; another EC2, such as LocalStack's, is named by --cloud URL." : "."));
        }
        return new WallParts(parts, url, new Answers());
    }

    private static URI url(String cloud) throws PartsMissing {
        if (!cloud.matches("https?://[^/ ]+/?")) {
            throw new PartsMissing("--cloud \"" + cloud + "\" is neither moto nor a URL such as http://127.0.0.1:4566");
        }
        return URI.create(cloud);
    }

    String program(String name) {
        return folder.resolve("bin").resolve(name).toString();
    }
}
