package dev.kip.cell.wire;

import com.google.common.collect.ImmutableMap;
import dev.kip.cell.CellAddress;
import dev.kip.loop.Loop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * An address map in a file: a JSON object from instance id, or private address, to {@code host:port}. Re-read when it has
 * changed, looked at once a second at most. It is written by replacing it; while it is missing or broken the last good one
 * counts. For test environments: whoever writes the file decides where pods are sent, though not who can pass for a cell.
 */
public final class AddressMapFile implements AddressMap {

    private static final Logger LOG = LoggerFactory.getLogger(AddressMapFile.class);
    private static final Duration EVERY = Duration.ofSeconds(1);

    private final Path file;
    private final Loop loop;
    private ImmutableMap<String, String> targets = ImmutableMap.of();
    private String stamp = "";
    private boolean looked;
    private long lookedAt;

    public AddressMapFile(Path file, Loop loop) {
        this.file = file;
        this.loop = loop;
        LOG.warn("Cells are dialled by the map {}: for test environments only", file);
    }

    @Override
    public CellAddress resolve(CellAddress cell) {
        if (!looked || loop.nanos() - lookedAt >= EVERY.toNanos()) {
            looked = true;
            lookedAt = loop.nanos();
            look();
        }
        @Nullable String target = targets.get(cell.instanceId());
        if (target == null) {
            target = targets.get(cell.host());
        }
        if (target == null) {
            return cell;
        }
        int colon = target.lastIndexOf(':');
        return new CellAddress(
                cell.instanceId(), target.substring(0, colon), Integer.parseInt(target.substring(colon + 1)));
    }

    private void look() {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            String seen = now.lastModifiedTime() + "/" + now.size() + "/" + now.fileKey();
            if (!seen.equals(stamp)) {
                targets = parse(Files.readString(file));
                stamp = seen;
            }
        } catch (IOException | IllegalArgumentException e) {
            LOG.warn("The address map {} cannot be read, the last good one counts: {}", file, e.toString());
        }
    }

    static ImmutableMap<String, String> parse(String text) {
        JsonNode json;
        try {
            json = Fields.JSON.readTree(text);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
        }
        ImmutableMap.Builder<String, String> targets = ImmutableMap.builder();
        for (Map.Entry<String, JsonNode> entry : json.properties()) {
            String target = entry.getValue().asString("");
            if (!target.matches("\\S+:\\d{1,5}")) {
                throw new IllegalArgumentException(
                        entry.getKey() + ": wanted \"host:port\", found " + entry.getValue());
            }
            targets.put(entry.getKey(), target);
        }
        return targets.buildOrThrow();
    }
}
