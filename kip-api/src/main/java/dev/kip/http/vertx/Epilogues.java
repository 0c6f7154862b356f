package dev.kip.http.vertx;

import com.google.common.collect.ImmutableSet;
import io.vertx.core.http.HttpClientResponse;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Which {@link Epilogue} an upgraded stream has, by what the server said when it took the upgrade. */
final class Epilogues {

    private static final ImmutableSet<String> CHANNELS = ImmutableSet.of("v4.channel.k8s.io", "v5.channel.k8s.io");

    private Epilogues() {}

    /** @param problem one sentence, for a person */
    static Epilogue of(HttpClientResponse upgraded, String problem) {
        String to = header(upgraded, "upgrade");
        if (to.equalsIgnoreCase("SPDY/3.1")) {
            boolean status = CHANNELS.contains(header(upgraded, "x-stream-protocol-version"));
            return new SpdyEpilogue(status ? status(problem) : problem);
        }
        return to.equalsIgnoreCase("websocket") && CHANNELS.contains(header(upgraded, "sec-websocket-protocol"))
                ? new WebSocketEpilogue(status(problem))
                : Epilogue.NONE;
    }

    private static String header(HttpClientResponse response, String name) {
        return Optional.ofNullable(response.getHeader(name)).orElse("");
    }

    /** As the API server says that something failed. */
    private static String status(String problem) {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Failure").put("message", problem);
        return status.put("reason", "InternalError").put("code", 500).toString();
    }
}
