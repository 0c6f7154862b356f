package dev.kip.checkpointer.gather;

import dev.kip.bundle.TokenReference;
import dev.kip.checkpointer.generation.PodKey;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.checkpointer.sanitise.Need;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Tokens of service accounts, for one pod: asked for anew at half their life, and kept meanwhile. They are bound to no pod,
 * since a checkpoint must outlive its parent.
 */
final class Tokens {

    private record Held(String token, Instant issued, Instant expires) {

        boolean isFresh(Instant now) {
            Instant half = issued.plus(Duration.between(issued, expires).dividedBy(2));
            // A clock that stands before the issue is wrong; a new token costs little.
            return !now.isBefore(issued.minus(SKEW)) && now.isBefore(half);
        }
    }

    private static final Duration SKEW = Duration.ofMinutes(5);

    private final Map<String, Held> held = new TreeMap<>();
    private boolean changed;

    /** What a document of {@link #document} says. */
    static Tokens of(ObjectNode document) {
        Tokens tokens = new Tokens();
        for (Map.Entry<String, JsonNode> entry : document.properties()) {
            JsonNode token = entry.getValue();
            try {
                tokens.held.put(
                        entry.getKey(),
                        new Held(
                                token.path("token").asString(""),
                                Instant.parse(token.path("issued").asString("")),
                                Instant.parse(token.path("expires").asString(""))));
            } catch (DateTimeException e) {
                // Then it is asked for anew.
            }
        }
        return tokens;
    }

    ObjectNode document() {
        ObjectNode document = Trees.empty();
        held.forEach((name, one) -> document.putObject(name)
                .put("token", one.token())
                .put("issued", one.issued().toString())
                .put("expires", one.expires().toString()));
        return document;
    }

    /** There is a token that the disk does not have. */
    boolean changed() {
        return changed;
    }

    void written() {
        changed = false;
    }

    Optional<String> fresh(Need.Token need, Instant now) {
        return Optional.ofNullable(held.get(name(need)))
                .filter(one -> one.isFresh(now))
                .map(Held::token);
    }

    /** The last one, however old. */
    Optional<String> last(Need.Token need) {
        return Optional.ofNullable(held.get(name(need))).map(Held::token);
    }

    /** The answer to a TokenRequest. @return the token, empty if the answer holds none */
    Optional<String> keep(Need.Token need, JsonNode answer, Instant now) {
        String token = answer.path("status").path("token").asString("");
        try {
            Instant expires = Instant.parse(
                    answer.path("status").path("expirationTimestamp").asString(""));
            if (token.isEmpty() || !expires.isAfter(now)) {
                return Optional.empty();
            }
            held.put(name(need), new Held(token, now, expires));
            changed = true;
            return Optional.of(token);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** The body of a TokenRequest. */
    static ObjectNode request(Need.Token need, Duration atLeast) {
        Duration lifetime = need.lifetime().compareTo(atLeast) > 0 ? need.lifetime() : atLeast;
        return new TokenReference(need.audience(), lifetime.toSeconds()).request();
    }

    private static String name(Need.Token need) {
        return need.serviceAccount() + " " + need.audience() + " "
                + need.lifetime().toSeconds();
    }

    @Override
    public String toString() {
        return held.size() + " tokens";
    }

    /** For the memory of many pods. */
    static final class OfPods {
        private final Map<PodKey, Tokens> all = new TreeMap<>();

        Optional<Tokens> get(PodKey key) {
            return Optional.ofNullable(all.get(key));
        }

        void put(PodKey key, Tokens tokens) {
            all.put(key, tokens);
        }
    }
}
