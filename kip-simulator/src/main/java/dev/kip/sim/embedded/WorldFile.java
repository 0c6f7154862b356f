package dev.kip.sim.embedded;

import com.google.common.hash.Hashing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The file in which a world outlives its process: a line that says what it is, of which version and with which checksum,
 * then the world as one JSON document. It holds the secrets of the cluster and the keys of the cells.
 */
final class WorldFile {

    static final int VERSION = 2;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path file;

    WorldFile(Path file) {
        this.file = file;
    }

    /**
     * @return empty if there is none
     * @throws IOException saying what is wrong with it and what to do
     */
    Optional<ObjectNode> read() throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        byte[] bytes = Files.readAllBytes(file);
        int end = 0;
        while (end < bytes.length && bytes[end] != '\n') {
            end++;
        }
        JsonNode head = json(bytes, 0, end).orElseThrow(() -> refusal("is damaged: it does not begin as one"));
        if (!head.path("kip").asString("").equals("world")) {
            throw refusal("is damaged: it does not begin as one");
        }
        int version = head.path("version").asInt(0);
        if (version != VERSION) {
            throw refusal("is of version " + version + ", and this Kip reads version " + VERSION);
        }
        byte[] body = Arrays.copyOfRange(bytes, Math.min(end + 1, bytes.length), bytes.length);
        if (!head.path("sha256").asString("").equals(checksum(body))) {
            throw refusal("is damaged: its content does not match its checksum");
        }
        return Optional.of(json(body, 0, body.length)
                .flatMap(JsonNode::asObjectOpt)
                .orElseThrow(() -> refusal("is damaged: its content is no JSON object")));
    }

    private static Optional<JsonNode> json(byte[] bytes, int from, int to) {
        try {
            return Optional.of(JSON.readTree(bytes, from, to - from));
        } catch (JacksonException broken) {
            return Optional.empty();
        }
    }

    /** That the world cannot be taken up, and what to do. */
    IOException refusal(String what) {
        return new IOException("the world kept in " + file + " " + what
                + ". It is left as it is: put a good copy in its place, run the Kip that wrote it, or begin anew with"
                + " --fresh, which moves it to " + aside().getFileName() + ".");
    }

    /** Replaces it as a whole: whoever reads it, after whatever end of this process, reads the old one or the new. */
    void write(ObjectNode world) throws IOException {
        byte[] body = JSON.writeValueAsBytes(world);
        ObjectNode head = JSON.createObjectNode()
                .put("kip", "world")
                .put("version", VERSION)
                .put("sha256", checksum(body));
        ByteArrayOutputStream whole = new ByteArrayOutputStream(body.length + 256);
        whole.writeBytes((head + "\n").getBytes(StandardCharsets.UTF_8));
        whole.writeBytes(body);
        PrivateFiles.writeDurably(file, whole.toByteArray());
    }

    /** Makes room for a new world. */
    void putAside() throws IOException {
        if (Files.exists(file)) {
            Files.move(file, aside(), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private Path aside() {
        return file.resolveSibling(file.getFileName() + ".old");
    }

    private static String checksum(byte[] body) {
        return Hashing.sha256().hashBytes(body).toString();
    }
}
