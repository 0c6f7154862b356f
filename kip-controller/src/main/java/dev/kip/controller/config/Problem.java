package dev.kip.controller.config;

/**
 * What is wrong with the configuration.
 *
 * @param place file and line, for example {@code provider.yaml:14}, or what else set the value
 * @param key the key's path; empty if the file as a whole is meant
 * @param message what was found, what was wanted, what to do
 */
public record Problem(String place, int line, String key, String message) {

    /** As one line, with the way to more. */
    public String text() {
        if (key.isEmpty()) {
            return place + ": " + message;
        }
        String see = ProviderKeys.find(key)
                .map(known -> " See: kip config explain " + known.path())
                .orElse("");
        return place + ": " + key + ": " + message + see;
    }
}
