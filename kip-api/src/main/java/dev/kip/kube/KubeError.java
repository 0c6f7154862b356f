package dev.kip.kube;

import java.time.Duration;
import java.util.Optional;

/**
 * What an API server, or the way to it, answers instead of a result. Reasons are those of {@code metav1.Status}
 * (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/).
 */
public sealed interface KubeError {

    /** For people: verb, object, what the server said. */
    String message();

    /** 404. */
    record NotFound(String message) implements KubeError {}

    /** 409, reason AlreadyExists. */
    record AlreadyExists(String message) implements KubeError {}

    /** 409, reason Conflict: a version or uid precondition failed. */
    record Conflict(String message) implements KubeError {}

    /** 410, as HTTP status or as an ERROR event, and 504 "Too large resource version": list again without a version. */
    record Expired(String message) implements KubeError {}

    /** 400, 422, 405, 406, 415: the same request will fail again. */
    record Invalid(int code, String reason, String message) implements KubeError {}

    /** 401. */
    record Unauthorized(String message) implements KubeError {}

    /** 403. */
    record Forbidden(String message) implements KubeError {}

    /** 429, and 5xx with a Status: not done, try later. */
    record Busy(int code, Optional<Duration> retryAfter, String message) implements KubeError {}

    /** The connection failed, or no whole answer came in time: the request may or may not have had its effect. */
    record NoAnswer(String message) implements KubeError {}

    /** An answer that is no answer of an API server: HTML, broken JSON, broken framing. The effect is unknown. */
    record Garbled(int code, String message) implements KubeError {}

    /** A watch that ended without error. */
    record Closed(String message) implements KubeError {}
}
