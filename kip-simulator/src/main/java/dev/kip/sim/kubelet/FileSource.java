package dev.kip.sim.kubelet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.hash.Hashing;
import dev.kip.checkpointer.kubelet.Circumstances;
import dev.kip.checkpointer.kubelet.Fate;
import dev.kip.checkpointer.kubelet.Judgement;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.StaticPodDefaults;
import dev.kip.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Kubelet's directory of manifests. A change is noticed within a second, as by inotify: then a file that cannot be read
 * leaves its pod alone. All files are read anew every 20 seconds: then such a file has no pod any more.
 */
final class FileSource {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final long LARGEST = 10L << 20;

    private final Disk disk;
    private final Path directory;
    private final KubeletModel model;
    private final Circumstances circumstances;
    private final Consumer<String> log;
    private final Map<String, String> digests = new TreeMap<>();
    private final Map<String, StaticPod> pods = new TreeMap<>();

    /**
     * A pod of a file.
     *
     * @param manifest as it is in the file
     * @param pod as kubelet has it
     */
    record StaticPod(String file, ObjectNode manifest, ObjectNode pod) {
        String uid() {
            return pod.path("metadata").path("uid").asString("");
        }
    }

    FileSource(Disk disk, Path directory, KubeletModel model, Circumstances circumstances, Consumer<String> log) {
        this.disk = disk;
        this.directory = directory;
        this.model = model;
        this.circumstances = circumstances;
        this.log = log;
    }

    /**
     * What is there now, by file.
     *
     * @param whole whether every file is read, not just what changed
     */
    ImmutableSortedMap<String, StaticPod> read(boolean whole) {
        Map<String, byte[]> files = files();
        digests.keySet().retainAll(files.keySet());
        pods.keySet().retainAll(files.keySet());
        files.forEach((name, content) -> {
            String digest = Hashing.sha256().hashBytes(content).toString();
            if (whole || !digest.equals(digests.get(name))) {
                digests.put(name, digest);
                load(name, content, whole);
            }
        });
        return ImmutableSortedMap.copyOf(pods);
    }

    private Map<String, byte[]> files() {
        Map<String, byte[]> files = new TreeMap<>();
        try {
            for (Disk.Entry entry : disk.list(directory)) {
                boolean wanted = entry.kind() == Disk.Kind.FILE && !entry.name().startsWith(".");
                if (wanted && entry.bytes() <= LARGEST) {
                    disk.read(directory.resolve(entry.name())).ifPresent(bytes -> files.put(entry.name(), bytes));
                }
            }
        } catch (IOException e) {
            log.accept("\"Unable to read config path\" err=\"" + e.getMessage() + "\"");
        }
        return files;
    }

    private void load(String name, byte[] content, boolean whole) {
        String file = directory.resolve(name).toString();
        if (!(parse(content) instanceof ObjectNode manifest)) {
            refused(name, ImmutableList.of("Could not process manifest file " + file + ": no JSON object"), whole);
            return;
        }
        Judgement judgement = model.judge(manifest, circumstances);
        if (judgement.fate() == Fate.NOT_LOADED) {
            refused(name, model.log(manifest, file, judgement, circumstances), whole);
            return;
        }
        pods.put(name, new StaticPod(file, manifest, StaticPodDefaults.apply(manifest, circumstances.node(), file)));
    }

    private void refused(String name, ImmutableList<String> lines, boolean whole) {
        lines.forEach(log);
        if (whole) {
            pods.remove(name);
        }
    }

    private static Object parse(byte[] content) {
        try {
            return JSON.readTree(content);
        } catch (JacksonException e) {
            return e;
        }
    }
}
