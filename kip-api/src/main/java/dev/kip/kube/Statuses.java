package dev.kip.kube;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What an answer that is not the wanted object means. Follows {@code metav1.StatusReason}; only an answer that carries a
 * {@code Status} is taken for the API server's word about an object: a proxy's 404 page must not make a pod gone.
 */
final class Statuses {

    private Statuses() {}

    /** @param what verb and object, for the message */
    static KubeError read(String what, boolean mutates, HttpAnswer answer) {
        Optional<ObjectNode> status = KubeJson.object(answer.body()).filter(Statuses::isStatus);
        return status.map(s -> ofStatus(what, mutates, answer.code(), answer.retryAfter(), s))
                .orElseGet(() -> withoutStatus(what, answer));
    }

    /** A {@code Status} from inside a watch; its own code stands for the HTTP status. */
    static KubeError read(String what, JsonNode status) {
        return status instanceof ObjectNode object && isStatus(object)
                ? ofStatus(what, false, object.path("code").asInt(500), Optional.empty(), object)
                : new KubeError.Garbled(200, what + ": ERROR event without a Status");
    }

    /** For answers whose body is not to be had, as with a refused WebSocket. */
    static KubeError ofCode(String what, int code, Optional<Duration> retryAfter) {
        String message = what + ": HTTP " + code;
        return switch (code) {
            case 401 -> new KubeError.Unauthorized(message);
            case 403 -> new KubeError.Forbidden(message);
            case 410 -> new KubeError.Expired(message);
            case 400, 404, 405, 406, 415, 422 -> new KubeError.Invalid(code, "", message);
            case 429, 500, 503, 504 -> new KubeError.Busy(code, retryAfter, message);
            default -> new KubeError.Garbled(code, message);
        };
    }

    private static boolean isStatus(ObjectNode object) {
        return object.path("kind").asString("").equals("Status");
    }

    private static KubeError ofStatus(
            String what, boolean mutates, int code, Optional<Duration> header, ObjectNode status) {
        String reason = status.path("reason").asString("");
        String said = status.path("message").asString("");
        String message = what + ": " + (said.isEmpty() ? "HTTP " + code + " " + reason : said);
        int seconds = status.path("details").path("retryAfterSeconds").asInt(0);
        Optional<Duration> retryAfter = seconds > 0 ? Optional.of(Duration.ofSeconds(seconds)) : header;
        if (code == 504 && tooLargeResourceVersion(status)) {
            return new KubeError.Expired(message);
        }
        return switch (code) {
            case 401 -> new KubeError.Unauthorized(message);
            case 403 -> new KubeError.Forbidden(message);
            case 404 -> new KubeError.NotFound(message);
            case 409 ->
                reason.equals("AlreadyExists") ? new KubeError.AlreadyExists(message) : new KubeError.Conflict(message);
            case 410 -> new KubeError.Expired(message);
            case 429 -> new KubeError.Busy(code, retryAfter, message);
            default -> {
                if (code >= 500) {
                    yield mutates && mayHaveHappened(code, reason, said)
                            ? new KubeError.NoAnswer(message)
                            : new KubeError.Busy(code, retryAfter, message);
                }
                yield code >= 400 ? new KubeError.Invalid(code, reason, message) : new KubeError.Garbled(code, message);
            }
        };
    }

    /** The cause is missing from some servers' answers (kubernetes-client/java#2190). */
    private static boolean tooLargeResourceVersion(ObjectNode status) {
        for (JsonNode cause : status.path("details").path("causes")) {
            if (cause.path("reason").asString("").equals("ResourceVersionTooLarge")) {
                return true;
            }
        }
        return status.path("message").asString("").toLowerCase(Locale.ROOT).contains("too large resource version");
    }

    /** The server gave up waiting for its storage: the write may yet be done. */
    private static boolean mayHaveHappened(int code, String reason, String message) {
        return code == 504
                || reason.equals("Timeout")
                || message.contains("etcdserver: request timed out")
                || message.contains("etcdserver: leader changed")
                || message.contains("context deadline exceeded");
    }

    private static KubeError withoutStatus(String what, HttpAnswer answer) {
        int code = answer.code();
        String excerpt = KubeJson.excerpt(answer.body());
        String message = what + ": HTTP " + code + " with " + excerpt;
        return switch (code) {
            case 401 -> new KubeError.Unauthorized(message);
            case 403 -> new KubeError.Forbidden(message);
            case 410 -> new KubeError.Expired(message);
            // The server's own filters answer these two in plain text.
            case 429 -> new KubeError.Busy(code, answer.retryAfter(), message);
            case 404 ->
                excerpt.contains("404 page not found")
                        ? new KubeError.Invalid(code, "NotServed", message)
                        : new KubeError.Garbled(code, message);
            default -> new KubeError.Garbled(code, message + ", wanted a Kubernetes object");
        };
    }
}
