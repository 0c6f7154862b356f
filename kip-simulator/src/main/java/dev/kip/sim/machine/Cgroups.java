package dev.kip.sim.machine;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/**
 * A subtree of this machine's control groups, in every hierarchy. Blocks.
 *
 * @param name of the subtree, with a leading slash
 */
record Cgroups(String name, ImmutableList<Path> hierarchies) {

    private static final int ATTEMPTS = 5;

    static Cgroups of(String name) throws IOException {
        ImmutableList.Builder<Path> found = ImmutableList.builder();
        for (String line : Files.readAllLines(Path.of("/proc/mounts"))) {
            String[] mount = line.split(" ", -1);
            // A new group of cpuset has neither processors nor memory, so that nothing can be put into it.
            boolean usable = mount[2].equals("cgroup2") || (mount[2].equals("cgroup") && !mount[3].contains("cpuset"));
            if (usable) {
                found.add(Path.of(mount[1]));
            }
        }
        return new Cgroups(name, found.build());
    }

    Cgroups child(String child) {
        return new Cgroups(name + "/" + child, hierarchies);
    }

    /** The group's directory in each hierarchy. */
    ImmutableList<Path> directories() {
        return hierarchies.stream()
                .map(hierarchy -> hierarchy.resolve(name.substring(1)))
                .collect(ImmutableList.toImmutableList());
    }

    /** Kills what is left in it and takes it away. */
    void remove() throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                for (Path directory : directories()) {
                    removeTree(directory);
                }
                // Those of cpuset are made by the container runtime.
                removeTree(Path.of("/sys/fs/cgroup/cpuset").resolve(name.substring(1)));
                return;
            } catch (IOException busy) {
                if (attempt == ATTEMPTS) {
                    throw busy;
                }
                Shell.run("sleep", "0.3"); // what was killed may not be gone yet
            }
        }
    }

    private static void removeTree(Path directory) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(directory, Files::isDirectory)) {
            for (Path child : children) {
                removeTree(child);
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return;
        }
        for (String pid : Files.readAllLines(directory.resolve("cgroup.procs"))) {
            ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
        }
        Files.deleteIfExists(directory);
    }
}
