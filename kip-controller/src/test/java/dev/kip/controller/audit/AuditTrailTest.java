package dev.kip.controller.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class AuditTrailTest {

    private static String record(String event, String instance) {
        return ("{'event':'" + event + "','instance':'" + instance
                        + "','type':'t3.nano','launched':'2026-11-30T20:00:00Z',"
                        + "'node':'vk','epoch':3,'proof':'carries our id','unclaimedSeconds':400,'agent':'silent'}")
                .replace('\'', '"');
    }

    private static String line(long millis, String record) {
        return JsonMapper.shared()
                .createObjectNode()
                .put("timestamp", millis)
                .put("loggerName", "dev.kip.audit")
                .put("formattedMessage", record)
                .toString();
    }

    @Test
    void a_log_of_json_lines_is_read_in_the_order_of_time() {
        ImmutableList<AuditRecord> found = AuditTrail.ofLog(ImmutableList.of(
                "{\"loggerName\":\"dev.kip.controller.Controller\",\"formattedMessage\":\"{}\"}",
                line(2_000, record("InstanceTerminated", "i-0000000b")),
                line(500, record("InstanceTerminating", "i-0000000b")),
                line(1_000, record("InstanceWouldBeTerminated", "i-0000000a")),
                "no json at all",
                "{ broken"));

        assertThat(found).extracting(AuditRecord::instance).containsExactly("i-0000000a", "i-0000000b");
        assertThat(found.get(1).time()).contains(Instant.ofEpochMilli(2_000));
        assertThat(found.get(1).by()).isEqualTo("vk, epoch 3");
        assertThat(found.get(1).text()).contains("t3.nano", "carries our id", "unclaimed for 400 s", "silent");
    }

    @Test
    void an_end_whose_answer_is_not_recorded_is_shown_as_such() {
        ImmutableList<AuditRecord> found =
                AuditTrail.ofLog(ImmutableList.of(line(1, record("InstanceTerminating", "i-0000000c"))));

        assertThat(found).hasSize(1);
        assertThat(found.get(0).text()).contains("NO ANSWER WAS RECORDED");
    }

    @Test
    void a_log_for_people_is_read_too() {
        ImmutableList<AuditRecord> found = AuditTrail.ofLog(
                ImmutableList.of("2026-11-30T22:00:01.123Z INFO  audit " + record("InstanceTerminated", "i-0000000d")));

        assertThat(found).hasSize(1);
        assertThat(found.get(0).time()).contains(Instant.parse("2026-11-30T22:00:01.123Z"));
    }

    @Test
    void of_events_only_ends_are_records_unless_all_are_asked_for() {
        ImmutableList<ObjectNode> events = ImmutableList.of(
                event("InstanceTerminated", "Ended instance i-0818ee7df6e02247b (t3.nano)", "2026-11-30T22:00:02Z"),
                event("GarbageCollectionStopped", "4 of 5", "2026-11-30T22:00:01Z"));

        assertThat(AuditTrail.ofEvents(events, false))
                .extracting(AuditRecord::instance)
                .containsExactly("i-0818ee7df6e02247b");
        assertThat(AuditTrail.ofEvents(events, true))
                .extracting(AuditRecord::event)
                .containsExactly("GarbageCollectionStopped", "InstanceTerminated");
    }

    private static ObjectNode event(String reason, String message, String time) {
        ObjectNode event = JsonMapper.shared().createObjectNode();
        event.put("reason", reason).put("message", message).put("lastTimestamp", time);
        event.putObject("source").put("host", "vk");
        return event;
    }
}
