package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Sends whole answers. */
final class Answers {

    private Answers() {}

    static void json(HttpCall call, int status, byte[] body, List<String> warnings) {
        call.respond(status, headers(warnings), body);
    }

    static void json(HttpCall call, int status, JsonNode body) {
        json(call, status, Presentation.utf8(body.toString()), List.of());
    }

    static void failure(HttpCall call, ApiFailure failure) {
        ImmutableMap.Builder<String, String> headers =
                ImmutableMap.<String, String>builder().put("Content-Type", "application/json");
        JsonNode status = failure.status();
        int retryAfter = status.path("details").path("retryAfterSeconds").asInt(0);
        if (retryAfter > 0) {
            headers.put("Retry-After", Integer.toString(retryAfter));
        }
        call.respond(status.path("code").asInt(500), headers.buildOrThrow(), Presentation.utf8(status.toString()));
    }

    static void text(HttpCall call, int status, String text) {
        call.respond(status, ImmutableMap.of("Content-Type", "text/plain; charset=utf-8"), Presentation.utf8(text));
    }

    /** A Status that says all is well. */
    static ObjectNode success(int code) {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Success");
        if (code == 201) {
            status.put("code", code);
        }
        return status;
    }

    static ObjectNode deleted(ResourceType type, ObjectNode object) {
        ObjectNode status = success(200);
        ObjectNode details = status.putObject("details");
        JsonNode metadata = object.path("metadata");
        details.put("name", metadata.path("name").asString(""));
        if (!type.group().isEmpty()) {
            details.put("group", type.group());
        }
        details.put("kind", type.plural()).put("uid", metadata.path("uid").asString(""));
        return status;
    }

    private static ImmutableMap<String, String> headers(List<String> warnings) {
        if (warnings.isEmpty()) {
            return ImmutableMap.of("Content-Type", "application/json");
        }
        // One header, since a map holds one: several warning values are joined by commas (RFC 7234).
        String joined = warnings.stream()
                .distinct()
                .map(text -> "299 - \"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"")
                .collect(java.util.stream.Collectors.joining(", "));
        return ImmutableMap.of("Content-Type", "application/json", "Warning", joined);
    }
}
