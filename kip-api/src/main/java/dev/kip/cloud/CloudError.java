package dev.kip.cloud;

import java.time.Duration;

/** What the cloud, or the way to it, answers instead of a result. */
public sealed interface CloudError {

    /** For people: the action, the object, what the cloud said. */
    String message();

    /** No room for this type, zone and market now. Nothing was started. */
    record InsufficientCapacity(String message) implements CloudError {}

    /** A quota of the account or a subnet without addresses. Nothing was started. */
    record LimitReached(String message) implements CloudError {}

    /** Too many calls. Nothing was done. */
    record Throttled(Duration retryAfter, String message) implements CloudError {}

    record NotFound(String message) implements CloudError {}

    record AlreadyExists(String message) implements CloudError {}

    /** The object is no longer (or not yet) of the version that was expected. Nothing was done. */
    record Changed(String message) implements CloudError {}

    /** The token was used before with other parameters. */
    record TokenMismatch(String message) implements CloudError {}

    /** Credentials missing, expired or refused, or the clock is wrong. */
    record Unauthorized(String message) implements CloudError {}

    /** The request itself is wrong: the same request will fail again. */
    record Refused(String code, String message) implements CloudError {}

    /** The service said that it failed; the request may or may not have had its effect. */
    record Failing(String message) implements CloudError {}

    /** No answer: the request may or may not have had its effect. */
    record NoAnswer(String message) implements CloudError {}

    /** Whether the request may have had its effect all the same. */
    default boolean effectUnknown() {
        return this instanceof NoAnswer || this instanceof Failing;
    }
}
