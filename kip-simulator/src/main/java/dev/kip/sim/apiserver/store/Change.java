package dev.kip.sim.apiserver.store;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** One committed change of one object. */
public final class Change {

    private final long revision;
    private final String key;
    private final Optional<Versioned> before;
    private final Optional<Versioned> after;
    private final Map<String, byte[]> encoded = new LinkedHashMap<>(2);

    Change(long revision, String key, Optional<Versioned> before, Optional<Versioned> after) {
        this.revision = revision;
        this.key = key;
        this.before = before;
        this.after = after;
    }

    public long revision() {
        return revision;
    }

    public String key() {
        return key;
    }

    /** Its state until then; empty for a creation. */
    public Optional<Versioned> before() {
        return before;
    }

    /** Its state since; empty for a deletion. */
    public Optional<Versioned> after() {
        return after;
    }

    /** What watchers are sent, encoded once for all that want the same form. Not to be modified. */
    public byte[] encodedAs(String form, Supplier<byte[]> encode) {
        return encoded.computeIfAbsent(form, any -> encode.get());
    }
}
