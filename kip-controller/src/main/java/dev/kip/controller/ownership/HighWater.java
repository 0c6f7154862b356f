package dev.kip.controller.ownership;

import com.google.common.collect.ImmutableSet;
import dev.kip.controller.store.Versions;
import dev.kip.crd.CrdKinds;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The highest resourceVersions that were seen, by kind: kinds may be stored apart. Confined to the loop. */
public final class HighWater {

    private static final ImmutableSet<String> JOURNAL =
            ImmutableSet.of(CrdKinds.CELLS.plural(), CrdKinds.LAUNCH_BATCHES.plural());

    private final Map<String, String> highest = new LinkedHashMap<>();

    /** @param kind plural */
    public void seen(String kind, String version) {
        highest.merge(kind, version, Versions::later);
    }

    /** A whole list has come. Why the storage must have been set back; empty if nothing shows that it was. */
    public Optional<String> listed(String kind, String version) {
        String before = highest.getOrDefault(kind, "");
        if (Versions.earlier(version, before)) {
            return Optional.of("a list of " + kind + " is of version " + version + ", but version " + before
                    + " was seen before: the cluster was restored from a backup");
        }
        seen(kind, version);
        return Optional.empty();
    }

    /** Of all that the journal was seen to hold; empty if nothing was. */
    public String mark() {
        return highest.entrySet().stream()
                .filter(entry -> JOURNAL.contains(entry.getKey()))
                .map(Map.Entry::getValue)
                .reduce("", Versions::later);
    }
}
