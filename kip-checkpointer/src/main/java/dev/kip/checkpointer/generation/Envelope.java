package dev.kip.checkpointer.generation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hashing;
import dev.kip.outcome.Outcome;
import java.util.Arrays;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON that knows whether it is whole: a first line with a version, the number of bytes and their SHA-256, then the JSON.
 * A file that was torn, cut, emptied, or had a bit turned over does not open.
 */
public final class Envelope {

    private static final String MAGIC = "kip-checkpoint";
    private static final int VERSION = 1;
    private static final int LONGEST_HEADER = 128;

    private Envelope() {}

    /** @return the file */
    public static byte[] seal(ObjectNode content) {
        byte[] body = Trees.bytes(content);
        byte[] header = (MAGIC + " " + VERSION + " " + body.length + " " + digest(body) + "\n").getBytes(UTF_8);
        byte[] sealed = Arrays.copyOf(header, header.length + body.length);
        System.arraycopy(body, 0, sealed, header.length, body.length);
        return sealed;
    }

    /** The content, or what is wrong with the file. */
    public static Outcome<ObjectNode, String> open(byte[] file) {
        int end = 0;
        while (end < file.length && end < LONGEST_HEADER && file[end] != '\n') {
            end++;
        }
        String[] header = new String(file, 0, end, UTF_8).split(" ", -1);
        if (header.length != 4 || !header[0].equals(MAGIC) || end == file.length) {
            return Outcome.failed(file.length == 0 ? "is empty" : "does not begin as a checkpoint's file does");
        }
        if (!header[1].equals(Integer.toString(VERSION))) {
            return Outcome.failed("is of version " + header[1] + ", this program reads version " + VERSION);
        }
        byte[] body = Arrays.copyOfRange(file, end + 1, file.length);
        if (!header[2].equals(Integer.toString(body.length))) {
            return Outcome.failed("has " + body.length + " bytes of content, its header says " + header[2]);
        }
        if (!header[3].equals(digest(body))) {
            return Outcome.failed("does not match its checksum");
        }
        try {
            return Outcome.ok(Trees.object(body));
        } catch (JacksonException | IllegalArgumentException e) {
            return Outcome.failed("holds no JSON object");
        }
    }

    static String digest(byte[] bytes) {
        return Hashing.sha256().hashBytes(bytes).toString();
    }
}
