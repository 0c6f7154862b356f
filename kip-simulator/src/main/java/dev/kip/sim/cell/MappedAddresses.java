package dev.kip.sim.cell;

import dev.kip.loop.Loop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every cell on a free port of 127.0.0.1, found by a map from instance id to address that the controller reads as
 * {@code cells.addressMap}. The file is replaced as a whole, mode 0600.
 */
public final class MappedAddresses implements CellAddresses {

    private static final Logger LOG = LoggerFactory.getLogger(MappedAddresses.class);
    private static final String HOST = "127.0.0.1";

    private final Path file;
    private final Loop loop;
    private final TreeMap<String, String> targets = new TreeMap<>();
    private boolean due;

    /** @throws IOException if the file cannot be written */
    public MappedAddresses(Path file, Loop loop) throws IOException {
        this.file = file.toAbsolutePath();
        this.loop = loop;
        write();
    }

    @Override
    public Where open(CellInstance instance) {
        return new Where(HOST, 0);
    }

    @Override
    public void listening(CellInstance instance, int port) {
        targets.put(instance.instanceId(), HOST + ":" + port);
        writeSoon();
    }

    @Override
    public void closed(CellInstance instance) {
        targets.remove(instance.instanceId());
        writeSoon();
    }

    /** Once for all that changed at a time. */
    private void writeSoon() {
        if (!due) {
            due = true;
            loop.post(() -> {
                due = false;
                try {
                    write();
                } catch (IOException e) {
                    LOG.error("the address map {} cannot be written", file, e);
                }
            });
        }
    }

    private void write() throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(next, JsonMapper.builder().build().writeValueAsString(targets) + "\n");
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
