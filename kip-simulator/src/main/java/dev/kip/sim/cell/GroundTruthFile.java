package dev.kip.sim.cell;

import dev.kip.loop.Loop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps a file with what really ran, for tests in another process: a JSON object with {@code grants} and {@code violations},
 * replaced as a whole when either grows. Confined to the loop of the cells.
 */
final class GroundTruthFile {

    private static final Logger LOG = LoggerFactory.getLogger(GroundTruthFile.class);
    private static final Duration EVERY = Duration.ofMillis(200);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Loop loop;
    private final GroundTruth truth;
    private final Path file;
    private int written = -1;

    GroundTruthFile(Loop loop, GroundTruth truth, Path file) {
        this.loop = loop;
        this.truth = truth;
        this.file = file;
    }

    /** Begins, and goes on for as long as the loop does. */
    void start() {
        int now = truth.grants().size() + truth.violations().size();
        if (now != written) {
            try {
                write();
                written = now;
            } catch (IOException e) {
                LOG.warn("cannot write {}", file, e);
            }
        }
        loop.after(EVERY, this::start);
    }

    private void write() throws IOException {
        ObjectNode told = JSON.createObjectNode();
        ArrayNode grants = told.putArray("grants");
        truth.grants()
                .forEach(grant -> grants.addObject()
                        .put("instanceID", grant.instanceId())
                        .put("podUID", grant.podUid())
                        .put("attempt", grant.attempt())
                        .put("at", grant.at().toString()));
        ArrayNode violations = told.putArray("violations");
        truth.violations().forEach(violations::add);
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(next, told.toPrettyString());
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
