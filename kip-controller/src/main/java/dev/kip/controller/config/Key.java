package dev.kip.controller.config;

import java.util.Optional;

/**
 * A key of provider.yaml.
 *
 * @param path for example {@code cells.nametag}
 * @param whenAbsent its value when nothing sets it
 * @param description one or two sentences
 * @param original what the original Kip had under this name, if anything
 * @param secret its value must never be shown
 */
public record Key<T>(
        String path, Form<T> form, T whenAbsent, String description, Optional<String> original, boolean secret) {

    static <T> Key<T> of(String path, Form<T> form, T whenAbsent, String description) {
        return new Key<>(path, form, whenAbsent, description, Optional.empty(), false);
    }

    Key<T> original(String meaning) {
        return new Key<>(path, form, whenAbsent, description, Optional.of(meaning), secret);
    }

    Key<T> hidden() {
        return new Key<>(path, form, whenAbsent, description, original, true);
    }

    /** The default as YAML, empty if there is none. */
    public String defaultText() {
        return form.show(whenAbsent);
    }
}
