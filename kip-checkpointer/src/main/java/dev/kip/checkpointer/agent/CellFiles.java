package dev.kip.checkpointer.agent;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import dev.kip.bundle.PodBundle;
import dev.kip.bundle.PodBundle.BundleFile;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.checkpointer.generation.VolumeFiles;
import dev.kip.checkpointer.sanitise.StaticPod.File;
import dev.kip.checkpointer.sanitise.StaticPod.Volume;
import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Access;
import dev.kip.disk.Disk.Entry;
import dev.kip.disk.DurableFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/** The pod's files in memory, and its manifest in kubelet's directory. Confined to the loop. */
final class CellFiles {

    private static final Access ENTRY = Access.root(0755);
    private static final Pattern IN_VOLUME = Pattern.compile("volumes/([^/]+)/(.+)");
    private static final String VOLUMES = "volumes";
    private static final String REGISTRIES = "registries";
    private static final String MANIFEST = "pod.json";

    private final DurableFiles files;
    private final Disk disk;
    private final AgentPlaces places;
    private final VolumeFiles volumes;

    CellFiles(Disk disk, AgentPlaces places) {
        this.disk = disk;
        this.files = new DurableFiles(disk);
        this.places = places;
        this.volumes = new VolumeFiles(files);
    }

    /** Why a bundle's files cannot be laid out; empty if they can. */
    static Optional<String> problem(PodBundle bundle) {
        return bundle.files().stream()
                .filter(file -> !IN_VOLUME.matcher(file.path()).matches()
                        && !file.path().equals(PodBundle.REGISTRIES))
                .findFirst()
                .map(file ->
                        "bundle file \"" + file.path() + "\": wanted volumes/NAME/PATH or " + PodBundle.REGISTRIES);
    }

    /** The directories of the run, of root alone. */
    void prepare() throws IOException {
        for (Path directory : ImmutableList.of(places.run(), places.bundle(), places.manifests())) {
            files.ensureDirectory(directory, Access.PRIVATE_DIRECTORY);
            disk.setAccess(directory, Access.PRIVATE_DIRECTORY);
        }
    }

    /** Every volume has its newest content, each at one stroke, also for a container that has it mounted. */
    void lay(PodBundle bundle) throws IOException {
        registries(bundle);
        Path root = places.bundle().resolve(VOLUMES);
        files.ensureDirectory(root, Access.PRIVATE_DIRECTORY);
        ImmutableListMultimap.Builder<String, File> contents = ImmutableListMultimap.builder();
        for (BundleFile file : bundle.files()) {
            Matcher path = IN_VOLUME.matcher(file.path());
            if (path.matches()) {
                contents.put(path.group(1), new File(path.group(2), file.contentBase64(), file.mode(), 0, 0));
            }
        }
        ImmutableListMultimap<String, File> byVolume = contents.build();
        TreeSet<String> names = new TreeSet<>(byVolume.keySet());
        for (Entry entry : disk.list(root)) {
            if (!entry.name().startsWith(".")) {
                names.add(entry.name()); // one that has become empty
            }
        }
        for (String name : names) {
            files.ensureDirectory(root.resolve(name), ENTRY);
            volumes.refresh(root.resolve(name), new Volume(name, byVolume.get(name)), root.resolve("." + name));
        }
    }

    /** Before the manifest: kubelet keeps for five minutes what it has read. */
    private void registries(PodBundle bundle) throws IOException {
        Optional<BundleFile> credentials = bundle.files().stream()
                .filter(file -> file.path().equals(PodBundle.REGISTRIES))
                .findFirst();
        Path file = places.bundle().resolve(PodBundle.REGISTRIES);
        if (credentials.isPresent()) {
            files.ensureDirectory(places.bundle().resolve(REGISTRIES), Access.PRIVATE_DIRECTORY);
            files.write(file, Base64.getDecoder().decode(credentials.get().contentBase64()), Access.PRIVATE_FILE);
        } else if (disk.look(file).isPresent()) {
            files.remove(file);
        }
    }

    /** Kubelet shall have this manifest. */
    void manifest(ObjectNode manifest) throws IOException {
        byte[] wanted = Trees.bytes(manifest);
        Optional<byte[]> there = disk.read(file());
        if (there.isEmpty() || !Arrays.equals(there.get(), wanted)) {
            files.write(file(), wanted, Access.PRIVATE_FILE);
        }
    }

    /** What kubelet has; empty if nothing, or nothing of ours. */
    Optional<ObjectNode> manifest() throws IOException {
        try {
            return disk.read(file()).map(Trees::object);
        } catch (JacksonException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Nothing of the pod is left for kubelet; its secrets are gone. */
    void clear() throws IOException {
        if (disk.look(file()).isPresent()) {
            files.remove(file());
        }
        files.removeTree(places.bundle().resolve(VOLUMES));
        files.removeTree(places.bundle().resolve(REGISTRIES));
    }

    private Path file() {
        return places.manifests().resolve(MANIFEST);
    }

    /** Kubelet may start. */
    void ready() throws IOException {
        files.write(places.ready(), new byte[0], Access.PRIVATE_FILE);
    }

    /** What kubelet serves with, and whom it obeys: the installation's controller, and this agent. */
    void keys(byte[] certificate, byte[] key, ImmutableList<byte[]> clients) throws IOException {
        Path directory = places.kubeletKeys();
        files.ensureDirectory(directory, Access.PRIVATE_DIRECTORY);
        files.write(directory.resolve("kubelet.crt"), certificate, Access.PRIVATE_FILE);
        files.write(directory.resolve("kubelet.key"), key, Access.PRIVATE_FILE);
        ByteArrayOutputStream bundle = new ByteArrayOutputStream();
        clients.forEach(bundle::writeBytes);
        files.write(directory.resolve("clients.crt"), bundle.toByteArray(), Access.PRIVATE_FILE);
    }
}
