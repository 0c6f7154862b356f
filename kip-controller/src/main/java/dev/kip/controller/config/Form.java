package dev.kip.controller.config;

import dev.kip.yaml.Yaml;
import java.util.Optional;

/**
 * The form that the value of a key has: how it is read, what it must be, how it is shown.
 *
 * @param <T> the value
 */
public interface Form<T> {

    /**
     * Reads a value.
     *
     * @param key its path, for problems
     * @return empty if a problem was found
     */
    Optional<T> read(Yaml found, String key, Sink problems);

    /** For people, for example {@code a quantity such as 5Gi}. */
    String wanted();

    /** The value in YAML's flow style; empty if it is none. */
    String show(T value);

    /** Where problems go. */
    interface Sink {
        void add(int line, String key, String message);
    }
}
