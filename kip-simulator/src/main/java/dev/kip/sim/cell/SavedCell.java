package dev.kip.sim.cell;

import com.google.common.collect.ImmutableMap;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.cell.wire.Wire;
import dev.kip.sim.cell.CellDisk.Ending;
import dev.kip.sim.cell.CellDisk.Granted;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/**
 * A machine as a file keeps it: its disk, and what runs on it. Unlike a reboot, a machine that is taken up again goes on
 * where it stood; its containers are not started anew.
 *
 * @param running what the agent has in memory; empty while the machine boots
 */
record SavedCell(CellInstance instance, Disk disk, Optional<Memory> running) {

    record Disk(
            long boots,
            long highestEpoch,
            Optional<String> fingerprint,
            Optional<Key> key,
            Optional<Given> granted,
            Optional<Ending> ending,
            Optional<String> tombstone) {}

    /** Both DER, in base64. */
    record Key(String privateKey, String certificate) {}

    /** @param grant as it came over the wire */
    record Given(String grant, Instant since) {}

    record Memory(Pod pod, Map<String, Condition> conditions) {}

    record Pod(boolean sandbox, Optional<String> failure, Map<String, Container> containers) {}

    record Container(
            ContainerState state,
            Optional<ContainerState.Ended> last,
            int restarts,
            boolean pulled,
            boolean started,
            boolean ready,
            int crashesInARow) {}

    record Condition(boolean holds, String reason, String message, Instant since) {}

    /** What a machine that runs no pod remembers. */
    static final Memory NO_POD = new Memory(new Pod(false, Optional.empty(), ImmutableMap.of()), ImmutableMap.of());

    static Disk save(CellDisk disk) {
        return new Disk(
                disk.boots,
                disk.highestEpoch,
                disk.fingerprint,
                disk.key.map(key -> new Key(base64(key.keyDer()), base64(key.certificateDer()))),
                disk.granted.map(granted -> new Given(
                        new String(
                                Wire.encode(new Wire.GrantRequest(granted.grant(), granted.cellSecret())),
                                StandardCharsets.UTF_8),
                        granted.since())),
                disk.ending,
                disk.tombstone);
    }

    /** The disk as it was; the containers' part of it comes with {@link #running}. */
    CellDisk toDisk() {
        CellDisk made = new CellDisk();
        made.boots = disk.boots;
        made.highestEpoch = disk.highestEpoch;
        made.fingerprint = disk.fingerprint;
        made.key = disk.key.map(key -> SelfSigned.fromDer(
                Base64.getDecoder().decode(key.privateKey), Base64.getDecoder().decode(key.certificate)));
        made.granted = disk.granted.map(given -> {
            Wire.GrantRequest request = Wire.decodeGrant(given.grant.getBytes(StandardCharsets.UTF_8));
            return new Granted(request.grant(), request.cellSecret(), given.since);
        });
        made.ending = disk.ending;
        made.tombstone = disk.tombstone;
        return made;
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
