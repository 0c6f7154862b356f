package dev.kip.sim.cell;

import dev.kip.cell.Grant;
import dev.kip.cell.wire.Secret;
import dev.kip.cell.wire.SelfSigned;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What survives when a cell loses power: every write is synced before the agent goes on. Confined to the cell's loop. */
public final class CellDisk {

    long boots;
    long highestEpoch;
    Optional<String> fingerprint = Optional.empty();
    Optional<SelfSigned> key = Optional.empty();
    Optional<Granted> granted = Optional.empty();
    Optional<Ending> ending = Optional.empty();
    Optional<String> tombstone = Optional.empty();
    final Map<String, ContainerMemory> containers = new LinkedHashMap<>();

    /** The grant in its latest generation. */
    record Granted(Grant grant, Secret cellSecret, Instant since) {}

    /** That the pod is being ended, and until when. */
    record Ending(Instant since, Duration grace) {}
}
