package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.schema.Cause;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The answers that say no, word for word as a kube-apiserver gives them (k8s.io/apimachinery/pkg/api/errors). */
public final class Failures {

    private Failures() {}

    public static ApiFailure notFound(ResourceType type, String name) {
        return failure(404, "NotFound", qualified(type) + " \"" + name + "\" not found", details(type, name));
    }

    /** No such path: the whole resource is unknown. */
    public static ApiFailure noSuchResource() {
        ObjectNode details = details();
        return failure(404, "NotFound", "the server could not find the requested resource", details);
    }

    public static ApiFailure alreadyExists(ResourceType type, String name) {
        return failure(409, "AlreadyExists", qualified(type) + " \"" + name + "\" already exists", details(type, name));
    }

    public static ApiFailure conflict(ResourceType type, String name, String why) {
        return conflict(type, "", name, why);
    }

    public static ApiFailure conflict(ResourceType type, String subresource, String name, String why) {
        String resource = qualified(type) + (subresource.isEmpty() ? "" : "/" + subresource);
        ObjectNode details = details(type, name);
        if (!subresource.isEmpty()) {
            details.put("kind", type.plural() + "/" + subresource);
        }
        return failure(
                409, "Conflict", "Operation cannot be fulfilled on " + resource + " \"" + name + "\": " + why, details);
    }

    /** Server-side apply would change what others own. */
    static ApiFailure applyConflict(String message, ImmutableList<Cause> causes) {
        ObjectNode details = details();
        add(details, causes);
        return failure(409, "Conflict", message, details);
    }

    public static ApiFailure modified(ResourceType type, String name) {
        return conflict(
                type,
                name,
                "the object has been modified; please apply your changes to the latest version and try again");
    }

    /** A precondition of a deletion failed; the real server names no resource here. */
    public static ApiFailure preconditionFailed(String name, String why) {
        return failure(
                409,
                "Conflict",
                "Operation cannot be fulfilled on  \"" + name + "\": " + why,
                details().put("name", name));
    }

    public static ApiFailure invalid(String group, String kind, String name, ImmutableList<Cause> causes) {
        ObjectNode details = details();
        if (!name.isEmpty()) {
            details.put("name", name);
        }
        if (!group.isEmpty()) {
            details.put("group", group);
        }
        if (!kind.isEmpty()) {
            details.put("kind", kind);
        }
        add(details, causes);
        ImmutableList<String> texts = causes.stream()
                .map(cause -> cause.field().isEmpty() ? cause.message() : cause.field() + ": " + cause.message())
                .distinct()
                .collect(ImmutableList.toImmutableList());
        String text = texts.size() == 1 ? texts.get(0) : "[" + String.join(", ", texts) + "]";
        String subject = group.isEmpty() ? kind : kind + "." + group;
        return failure(422, "Invalid", subject + " \"" + name + "\" is invalid: " + text, details);
    }

    public static ApiFailure badRequest(String message) {
        return failure(400, "BadRequest", message, null);
    }

    public static ApiFailure forbidden(ResourceType type, String name, String why, ImmutableList<Cause> causes) {
        ObjectNode details = details(type, name);
        add(details, causes);
        return failure(403, "Forbidden", qualified(type) + " \"" + name + "\" is forbidden: " + why, details);
    }

    /** What a kubelet refused in plain text, as the API server passes it on. */
    static ApiFailure ofNode(int status, String message) {
        String reason = switch (status) {
            case 400 -> "BadRequest";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "NotFound";
            case 422 -> "Invalid";
            default -> "InternalError";
        };
        return failure(status, reason, message, null);
    }

    public static ApiFailure unauthorized() {
        return failure(401, "Unauthorized", "Unauthorized", null);
    }

    public static ApiFailure methodNotAllowed() {
        return failure(
                405, "MethodNotAllowed", "the server does not allow this method on the requested resource", details());
    }

    public static ApiFailure unsupportedMediaType(ImmutableList<String> accepted) {
        return unsupportedMediaType(
                "the body of the request was in an unknown format - accepted media types include: ", accepted);
    }

    static ApiFailure unsupportedMediaType(String why, ImmutableList<String> accepted) {
        return failure(415, "UnsupportedMediaType", why + String.join(", ", accepted), null);
    }

    /** Refused before the request reaches its resource: the words are the router's. */
    static ApiFailure unroutedMediaType() {
        return failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", details());
    }

    /** History is gone: the client must list anew. */
    public static ApiFailure expired(String message) {
        return failure(410, "Expired", message, null);
    }

    /** A page can no longer be had at the revision of the first; {@code inconsistent} continues with what there is now. */
    public static ApiFailure expiredPage(String inconsistent) {
        ApiFailure failure = expired(
                "The provided continue parameter is too old to display a consistent list result. You can start a new list"
                        + " without the continue parameter, or use the continue token in this response to retrieve the"
                        + " remainder of the results. Continuing with the provided token results in an inconsistent list -"
                        + " objects that were created, modified, or deleted between the time the first chunk was returned"
                        + " and now may show up in the list.");
        failure.status().withObjectProperty("metadata").put("continue", inconsistent);
        return failure;
    }

    public static ApiFailure tooLargeResourceVersion(long asked, long current) {
        ObjectNode details = details();
        add(details, ImmutableList.of(new Cause("ResourceVersionTooLarge", "Too large resource version", "")));
        details.put("retryAfterSeconds", 1);
        return failure(
                504, "Timeout", "Timeout: Too large resource version: " + asked + ", current: " + current, details);
    }

    public static ApiFailure tooManyRequests(String message, Optional<Cause> cause, int retryAfterSeconds) {
        ObjectNode details = details();
        cause.ifPresent(why -> add(details, ImmutableList.of(why)));
        if (retryAfterSeconds > 0) {
            details.put("retryAfterSeconds", retryAfterSeconds);
        }
        return failure(429, "TooManyRequests", message, details);
    }

    /** The server knows the path and does not do this. */
    public static ApiFailure notImplemented(String message) {
        return failure(501, "NotImplemented", message, null);
    }

    /** An error that the real server wraps in no reason. */
    public static ApiFailure unknown(String message) {
        return failure(500, "", message, null);
    }

    public static ApiFailure internal(String message) {
        ObjectNode details = details();
        add(details, ImmutableList.of(new Cause("", message, "")));
        return failure(500, "InternalError", "Internal error occurred: " + message, details);
    }

    public static ApiFailure unprocessable() {
        return failure(422, "Invalid", "the server rejected our request due to an error in our request", details());
    }

    /** {@code deployments.apps}, or {@code pods} for the core group. */
    static String qualified(ResourceType type) {
        return type.group().isEmpty() ? type.plural() : type.plural() + "." + type.group();
    }

    private static ObjectNode details() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static ObjectNode details(ResourceType type, String name) {
        ObjectNode details = details();
        if (!name.isEmpty()) {
            details.put("name", name);
        }
        if (!type.group().isEmpty()) {
            details.put("group", type.group());
        }
        return details.put("kind", type.plural());
    }

    private static void add(ObjectNode details, ImmutableList<Cause> causes) {
        if (causes.isEmpty()) {
            return;
        }
        var list = details.putArray("causes");
        for (Cause cause : causes) {
            ObjectNode entry = list.addObject();
            if (!cause.reason().isEmpty()) {
                entry.put("reason", cause.reason());
            }
            entry.put("message", cause.message());
            if (!cause.field().isEmpty()) {
                entry.put("field", cause.field());
            }
        }
    }

    private static ApiFailure failure(int code, String reason, String message, @Nullable ObjectNode details) {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Failure").put("message", message);
        if (!reason.isEmpty()) {
            status.put("reason", reason);
        }
        if (details != null) {
            status.set("details", details);
        }
        status.put("code", code);
        return new ApiFailure(status);
    }
}
