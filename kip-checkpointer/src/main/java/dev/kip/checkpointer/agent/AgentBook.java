package dev.kip.checkpointer.agent;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.cell.wire.Wire;
import dev.kip.cell.wire.Wire.GrantRequest;
import dev.kip.checkpointer.generation.Envelope;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Access;
import dev.kip.disk.DurableFiles;
import dev.kip.entropy.Entropy;
import dev.kip.outcome.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What an agent must never forget: who it is, whom it obeys, which pod it was granted, that this pod is being ended, and
 * that it has ended. Every change is on the disk before a method returns; one that throws has changed nothing. Confined to
 * the loop.
 */
final class AgentBook {

    private static final Logger LOG = LoggerFactory.getLogger(AgentBook.class);

    private static final String SELF = "agent";
    private static final String KEY = "key";
    private static final String GRANT = "grant";
    private static final String STARTED = "started";
    private static final String ENDING = "ending";
    private static final String END = "end";

    /** Given up when the disk is full, so that an end can still be written down. */
    private static final String RESERVE = "reserve";

    private static final int RESERVE_BYTES = 1 << 20;

    private final DurableFiles files;
    private final Disk disk;
    private final Path state;
    private final String instanceId;
    private final SelfSigned key;
    private long boots;
    private long highestEpoch;
    private Optional<Granted> granted = Optional.empty();
    private Optional<Started> started = Optional.empty();
    private Optional<Ending> ending = Optional.empty();
    private Optional<String> tombstone = Optional.empty();

    /** The grant in its latest generation. */
    record Granted(GrantRequest request, Instant since) {}

    /**
     * The pod was seen to run.
     *
     * @param time kubelet's startTime
     */
    record Started(String time) {}

    record Ending(Instant since, Duration grace) {}

    /**
     * Takes up what is there, or begins; what another instance left, whose disk was copied, is taken away.
     *
     * @throws IOException if the disk fails, or something on it is not as it was written: then nothing is known of this cell
     */
    AgentBook(Disk disk, AgentSettings settings, Entropy entropy, Instant now) throws IOException {
        this.disk = disk;
        this.files = new DurableFiles(disk);
        this.state = settings.places().state();
        this.instanceId = settings.instanceId();
        files.ensureDirectory(state, Access.PRIVATE_DIRECTORY);
        disk.setAccess(state, Access.PRIVATE_DIRECTORY);
        takeAwayAnothers();
        Optional<ObjectNode> self = read(SELF);
        boots = self.map(tree -> tree.path("boots").asLong(0)).orElse(0L) + 1;
        highestEpoch = Math.max(
                self.map(tree -> tree.path("highestEpoch").asLong(0)).orElse(0L),
                settings.userData().epoch());
        writeSelf(highestEpoch);
        Optional<SelfSigned> kept = read(KEY)
                .map(tree -> SelfSigned.fromDer(
                        bytes(tree.path("key").asString("")),
                        bytes(tree.path("certificate").asString(""))));
        key = kept.isPresent() ? kept.get() : newKey(entropy, now);
        granted = read(GRANT)
                .map(tree -> new Granted(
                        Wire.decodeGrant(Trees.bytes(tree.path("request"))),
                        Instant.parse(tree.path("since").asString(""))));
        started = read(STARTED).map(tree -> new Started(tree.path("time").asString("")));
        ending = read(ENDING)
                .map(tree -> new Ending(
                        Instant.parse(tree.path("since").asString("")),
                        Duration.ofSeconds(tree.path("graceSeconds").asLong(0))));
        tombstone = read(END).map(tree -> tree.path("status").toString());
        reserve();
    }

    private void takeAwayAnothers() throws IOException {
        Optional<String> owner = read(SELF).map(tree -> tree.path("instanceId").asString(""));
        if (owner.isPresent() && !owner.get().equals(instanceId)) {
            LOG.warn("{} is of {}, and this is {}: it is taken away", state, owner.get(), instanceId);
            for (String name : ImmutableList.of(GRANT, STARTED, ENDING, END, KEY, SELF)) {
                files.remove(state.resolve(name));
            }
        }
    }

    private SelfSigned newKey(Entropy entropy, Instant now) throws IOException {
        SelfSigned made = SelfSigned.create(entropy, now, instanceId);
        ObjectNode tree = Trees.empty();
        tree.put("key", Base64.getEncoder().encodeToString(made.keyDer()));
        tree.put("certificate", Base64.getEncoder().encodeToString(made.certificateDer()));
        write(KEY, tree);
        return made;
    }

    SelfSigned key() {
        return key;
    }

    /** Counts the starts of the agent, this one included. */
    long boots() {
        return boots;
    }

    long highestEpoch() {
        return highestEpoch;
    }

    Optional<Granted> granted() {
        return granted;
    }

    Optional<Started> started() {
        return started;
    }

    Optional<Ending> ending() {
        return ending;
    }

    /** The last status of a pod that has ended. */
    Optional<String> tombstone() {
        return tombstone;
    }

    /** A pod that has not ended. */
    boolean runs() {
        return granted.isPresent() && tombstone.isEmpty();
    }

    void raiseEpoch(long epoch) throws IOException {
        writeSelf(epoch);
        highestEpoch = epoch;
    }

    void grant(Granted next) throws IOException {
        ObjectNode tree = Trees.empty();
        tree.set("request", Trees.object(Wire.encode(next.request())));
        tree.put("since", next.since().toString());
        write(GRANT, tree);
        granted = Optional.of(next);
    }

    void start(Started next) throws IOException {
        write(STARTED, Trees.empty().put("time", next.time()));
        started = Optional.of(next);
    }

    void end(Ending next) throws IOException {
        write(
                ENDING,
                Trees.empty()
                        .put("since", next.since().toString())
                        .put("graceSeconds", next.grace().toSeconds()));
        ending = Optional.of(next);
    }

    void bury(ObjectNode status) throws IOException {
        ObjectNode tree = Trees.empty();
        tree.set("status", status);
        write(END, tree);
        tombstone = Optional.of(status.toString());
    }

    private void writeSelf(long epoch) throws IOException {
        write(
                SELF,
                Trees.empty().put("instanceId", instanceId).put("boots", boots).put("highestEpoch", epoch));
    }

    private void write(String name, ObjectNode content) throws IOException {
        byte[] sealed = Envelope.seal(content);
        try {
            files.write(state.resolve(name), sealed, Access.PRIVATE_FILE);
        } catch (IOException full) {
            if (name.equals(GRANT) || disk.look(state.resolve(RESERVE)).isEmpty()) {
                throw full; // without a grant there is no end to be written down
            }
            LOG.warn("{}: the reserve is given up for it", full.getMessage());
            files.remove(state.resolve(RESERVE));
            files.write(state.resolve(name), sealed, Access.PRIVATE_FILE);
        }
    }

    /** Room for what must be written when there is none; had back when the agent starts again. */
    private void reserve() {
        Path file = state.resolve(RESERVE);
        try {
            if (disk.look(file).map(entry -> entry.bytes() < RESERVE_BYTES).orElse(true)) {
                files.write(file, new byte[RESERVE_BYTES], Access.PRIVATE_FILE);
            }
        } catch (IOException e) {
            LOG.warn("no room is kept for a full disk: {}", e.getMessage());
        }
    }

    private Optional<ObjectNode> read(String name) throws IOException {
        Optional<byte[]> bytes = disk.read(state.resolve(name));
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        Outcome<ObjectNode, String> opened = Envelope.open(bytes.get());
        if (opened.error().isPresent()) {
            throw new IOException(state.resolve(name) + " " + opened.error().get()
                    + ": what this cell ran is not known any more; terminate the instance");
        }
        return opened.value();
    }

    private static byte[] bytes(String base64) {
        return Base64.getDecoder().decode(base64.getBytes(StandardCharsets.US_ASCII));
    }
}
