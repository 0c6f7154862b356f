package dev.kip.controller.config;

import com.google.common.collect.ImmutableMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** What provider.yaml says, with defaults for what it does not say. Immutable. */
public final class ProviderConfig {

    private static final ProviderConfig DEFAULTS = new ProviderConfig(ImmutableMap.of());

    /** By path; each value is of its key's type, see {@link #with}. */
    private final ImmutableMap<String, Object> given;

    private ProviderConfig(ImmutableMap<String, Object> given) {
        this.given = given;
    }

    /** What counts when there is no file. */
    public static ProviderConfig defaults() {
        return DEFAULTS;
    }

    @SuppressWarnings("unchecked") // with() is the only way in, and it takes a value of the key's type
    public <T> T get(Key<T> key) {
        Object value = given.get(key.path());
        return value == null ? key.whenAbsent() : (T) value;
    }

    /** Whether something set it, be it to its default. */
    public boolean says(Key<?> key) {
        return given.containsKey(key.path());
    }

    public <T> ProviderConfig with(Key<T> key, T value) {
        Map<String, Object> changed = new LinkedHashMap<>(given);
        changed.put(key.path(), value);
        return new ProviderConfig(ImmutableMap.copyOf(changed));
    }

    /** The names of what was set; values may be secret. */
    @Override
    public String toString() {
        return "ProviderConfig" + given.keySet();
    }
}
