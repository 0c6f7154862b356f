package dev.kip.controller.config;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/**
 * What a process finds around it.
 *
 * @param environment its environment variables
 * @param identity tells this process from its replicas
 * @param version of Kip
 */
public record Surroundings(ImmutableMap<String, String> environment, String identity, String version) {

    /** The first of these variables that is set and not empty. */
    Optional<String> variable(String... names) {
        for (String name : names) {
            String value = environment.get(name);
            if (value != null && !value.isEmpty()) {
                return Optional.of(value);
            }
        }
        return Optional.empty();
    }
}
