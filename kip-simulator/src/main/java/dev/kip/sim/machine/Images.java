package dev.kip.sim.machine;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Images for cells that have no registry, made of this machine's busybox. */
final class Images {

    /** What a sandbox's first process is. */
    static final String PAUSE = "localhost/pause:1";

    static final String BUSYBOX = "localhost/busybox:1";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Images() {}

    /** Writes an archive as {@code docker save} does, with both. */
    static void write(Path archive) throws IOException {
        Path work = Files.createTempDirectory(archive.toAbsolutePath().getParent(), "images");
        try {
            Path root = work.resolve("root");
            for (String directory : ImmutableList.of("bin", "tmp", "etc", "proc", "sys", "dev", "run", "var")) {
                Files.createDirectories(root.resolve(directory));
            }
            String busybox = Shell.run("sh", "-c", "command -v busybox");
            Shell.run("cp", busybox, root.resolve("bin/busybox").toString());
            for (String command : Splitter.on('\n').split(Shell.run(busybox, "--list"))) {
                if (!command.equals("busybox")) {
                    Files.createSymbolicLink(root.resolve("bin").resolve(command), Path.of("busybox"));
                }
            }
            Files.writeString(
                    root.resolve("etc/passwd"), "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n");
            Files.writeString(root.resolve("etc/group"), "root:x:0:\nnogroup:x:65534:\n");
            Shell.run("chmod", "1777", root.resolve("tmp").toString());
            Shell.run(
                    "tar",
                    "-C",
                    root.toString(),
                    "-cf",
                    work.resolve("layer.tar").toString(),
                    ".");
            describe(work);
            Path made = work.resolve("images.tar");
            Shell.run(
                    "tar", "-C", work.toString(), "-cf", made.toString(), "manifest.json", "config.json", "layer.tar");
            Files.move(made, archive, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Shell.run("rm", "-rf", work.toString());
        }
    }

    private static void describe(Path work) throws IOException {
        ObjectNode config = JSON.createObjectNode();
        config.put("architecture", architecture());
        config.put("os", "linux");
        ObjectNode run = config.putObject("config");
        run.putArray("Env").add("PATH=/bin");
        run.putArray("Cmd").add("/bin/sleep").add("1000000000");
        ObjectNode layers = config.putObject("rootfs");
        layers.put("type", "layers");
        layers.putArray("diff_ids")
                .add("sha256:" + Hashing.sha256().hashBytes(Files.readAllBytes(work.resolve("layer.tar"))));
        Files.writeString(work.resolve("config.json"), config.toString());
        ArrayNode manifest = JSON.createArrayNode();
        ObjectNode image = manifest.addObject();
        image.put("Config", "config.json");
        image.putArray("RepoTags").add(PAUSE).add(BUSYBOX);
        image.putArray("Layers").add("layer.tar");
        Files.writeString(work.resolve("manifest.json"), manifest.toString());
    }

    private static String architecture() {
        return switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
            case "aarch64" -> "arm64";
            default -> "amd64";
        };
    }
}
