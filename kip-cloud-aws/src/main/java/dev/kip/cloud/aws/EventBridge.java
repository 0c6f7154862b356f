package dev.kip.cloud.aws;

import dev.kip.cloud.CloudEvent;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Events of EC2 as EventBridge words them.
 *
 * @see <a href="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html">Spot interruption notices</a>
 */
final class EventBridge {

    private static final int SHOWN = 200;

    private EventBridge() {}

    static CloudEvent event(String body) {
        JsonNode event;
        try {
            event = JsonMapper.shared().readTree(body);
        } catch (JacksonException e) {
            return new CloudEvent.Poison("no JSON: " + shown(body));
        }
        String type = event.path("detail-type").asString("");
        if (type.isEmpty()) {
            return new CloudEvent.Poison("no detail-type: " + shown(body));
        }
        if (!event.path("source").asString("").equals("aws.ec2")) {
            return new CloudEvent.Unknown(type);
        }
        JsonNode detail = event.path("detail");
        String instance = detail.path("instance-id").asString("");
        return switch (type) {
            case "EC2 Spot Instance Interruption Warning" ->
                time(event)
                        .filter(at -> !instance.isEmpty())
                        .<CloudEvent>map(at -> new CloudEvent.Interruption(
                                instance, at, detail.path("instance-action").asString("terminate")))
                        .orElseGet(() -> new CloudEvent.Poison("no instance or no time: " + shown(body)));
            case "EC2 Instance Rebalance Recommendation" ->
                instance.isEmpty()
                        ? new CloudEvent.Poison("no instance: " + shown(body))
                        : new CloudEvent.Rebalance(instance);
            case "EC2 Instance State-change Notification" ->
                instance.isEmpty()
                        ? new CloudEvent.Poison("no instance: " + shown(body))
                        : new CloudEvent.StateChange(
                                instance, detail.path("state").asString(""));
            default -> new CloudEvent.Unknown(type);
        };
    }

    private static Optional<Instant> time(JsonNode event) {
        try {
            return Optional.of(Instant.parse(event.path("time").asString("")));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static String shown(String body) {
        return body.substring(0, Math.min(body.length(), SHOWN));
    }
}
