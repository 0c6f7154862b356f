package dev.kip.sim.kubelet;

import dev.kip.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Kubelet's check of hostPath volumes that say what they are. */
record HostDirectories(Disk disk) {

    /** The first path that is to be a directory and is none. */
    Optional<String> missing(JsonNode pod) {
        for (JsonNode volume : pod.path("spec").path("volumes")) {
            JsonNode hostPath = volume.path("hostPath");
            String path = hostPath.path("path").asString("");
            if (hostPath.path("type").asString("").equals("Directory") && !isDirectory(path)) {
                return Optional.of(path);
            }
        }
        return Optional.empty();
    }

    private boolean isDirectory(String path) {
        try {
            Optional<Disk.Entry> entry = disk.look(Path.of(path));
            if (entry.isPresent() && entry.get().kind() == Disk.Kind.LINK) {
                Path link = Path.of(path);
                Optional<String> target = disk.target(link);
                return target.isPresent()
                        && isDirectory(link.resolveSibling(target.get()).toString());
            }
            return entry.filter(one -> one.kind() == Disk.Kind.DIRECTORY).isPresent();
        } catch (IOException e) {
            return false;
        }
    }
}
