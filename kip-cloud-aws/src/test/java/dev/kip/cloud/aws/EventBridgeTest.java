package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cloud.CloudEvent;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventBridgeTest {

    private static String event(String type, String detail) {
        return """
                {"version": "0", "id": "12345678-1234-1234-1234-123456789012", "detail-type": "%s", "source": "aws.ec2",
                 "account": "123456789012", "time": "2030-01-01T00:02:03Z", "region": "us-east-1",
                 "resources": ["arn:aws:ec2:us-east-1a:instance/i-0123456789abcdef0"], "detail": %s, "more": {"of": "it"}}
                """.formatted(type, detail);
    }

    @Test
    void an_interruption_warning_has_its_instance_time_and_action() {
        assertThat(EventBridge.event(event(
                        "EC2 Spot Instance Interruption Warning",
                        "{\"instance-id\": \"i-0123456789abcdef0\", \"instance-action\": \"stop\"}")))
                .isEqualTo(new CloudEvent.Interruption(
                        "i-0123456789abcdef0", Instant.parse("2030-01-01T00:02:03Z"), "stop"));
    }

    @Test
    void a_rebalance_recommendation_and_a_state_change_have_theirs() {
        assertThat(EventBridge.event(event("EC2 Instance Rebalance Recommendation", "{\"instance-id\": \"i-1\"}")))
                .isEqualTo(new CloudEvent.Rebalance("i-1"));
        assertThat(EventBridge.event(event(
                        "EC2 Instance State-change Notification",
                        "{\"instance-id\": \"i-1\", \"state\": \"shutting-down\"}")))
                .isEqualTo(new CloudEvent.StateChange("i-1", "shutting-down"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"abcd", "{}", "", "[]", "null", "{\"detail-type\": \"\"}"})
    void what_is_no_event_is_poison(String body) {
        assertThat(EventBridge.event(body)).isInstanceOf(CloudEvent.Poison.class);
    }

    @Test
    void a_warning_without_instance_is_poison_and_an_event_of_another_kind_or_service_is_unknown() {
        assertThat(EventBridge.event(event("EC2 Spot Instance Interruption Warning", "{}")))
                .isInstanceOf(CloudEvent.Poison.class);
        assertThat(EventBridge.event(event("EC2 Fast Launch State-change Notification", "{}")))
                .isInstanceOf(CloudEvent.Unknown.class);
        assertThat(EventBridge.event(event("AWS Health Event", "{}").replace("aws.ec2", "aws.health")))
                .isInstanceOf(CloudEvent.Unknown.class);
    }
}
