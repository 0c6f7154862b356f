package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableMap;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** EC2's events as EventBridge words them. */
public final class Ec2Events {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Ec2Events() {}

    public static String stateChange(String instanceId, String state, Instant at) {
        return event(
                "EC2 Instance State-change Notification",
                instanceId,
                at,
                ImmutableMap.of("instance-id", instanceId, "state", state));
    }

    public static String interruption(String instanceId, Instant at) {
        return event(
                "EC2 Spot Instance Interruption Warning",
                instanceId,
                at,
                ImmutableMap.of("instance-id", instanceId, "instance-action", "terminate"));
    }

    public static String rebalance(String instanceId, Instant at) {
        return event(
                "EC2 Instance Rebalance Recommendation", instanceId, at, ImmutableMap.of("instance-id", instanceId));
    }

    private static String event(String type, String instanceId, Instant at, Map<String, String> detail) {
        ObjectNode event = JSON.createObjectNode()
                .put("version", "0")
                .put("id", "12345678-1234-1234-1234-123456789012")
                .put("detail-type", type)
                .put("source", "aws.ec2")
                .put("account", "123456789012")
                .put("time", at.truncatedTo(ChronoUnit.SECONDS).toString())
                .put("region", "us-east-1");
        event.putArray("resources").add("arn:aws:ec2:us-east-1:123456789012:instance/" + instanceId);
        ObjectNode details = event.putObject("detail");
        detail.forEach(details::put);
        return event.toString();
    }
}
