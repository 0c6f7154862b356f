package dev.kip.controller.ownership;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the anchor says of one virtual node's controller. Pure.
 *
 * @param epoch that was taken last
 * @param confirmed the highest epoch that may have mutated anything
 * @param nonce of the incarnation that wrote it
 * @param clusterUid uid of its cluster's kube-system
 * @param holder who it is, for people
 * @param renewedAt when it was written, by the store's clock, or a little later
 * @param mark the highest resourceVersion of what its incarnations wrote in the cluster; empty if none is known
 */
public record ShardAnchor(
        long epoch,
        State state,
        long confirmed,
        String nonce,
        String clusterUid,
        String holder,
        Instant renewedAt,
        String mark) {

    /** How far the incarnation has come. */
    public enum State {
        /** It means to take over, and has changed nothing yet. */
        CLAIMED,
        /** It acts. */
        CONFIRMED,
        /** It has stopped in good order. */
        RELEASED
    }

    public String toJson() {
        return JsonMapper.shared()
                .createObjectNode()
                .put("epoch", epoch)
                .put("state", state.name().toLowerCase(Locale.ROOT))
                .put("confirmed", confirmed)
                .put("nonce", nonce)
                .put("clusterUID", clusterUid)
                .put("holder", holder)
                .put("renewedAt", renewedAt.toString())
                .put("mark", mark)
                .toString();
    }

    /** Empty if it is not one. */
    public static Optional<ShardAnchor> parse(String content) {
        try {
            JsonNode json = JsonMapper.shared().readTree(content);
            return Optional.of(new ShardAnchor(
                    json.path("epoch").longValue(),
                    State.valueOf(json.path("state").asString("").toUpperCase(Locale.ROOT)),
                    json.path("confirmed").longValue(),
                    json.path("nonce").asString(""),
                    json.path("clusterUID").asString(""),
                    json.path("holder").asString(""),
                    Instant.parse(json.path("renewedAt").asString("")),
                    json.path("mark").asString("")));
        } catch (JacksonException | DateTimeException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
