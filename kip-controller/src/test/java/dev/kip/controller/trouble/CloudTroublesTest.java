package dev.kip.controller.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cloud.CloudError;
import dev.kip.controller.world.FakeProcess;
import dev.kip.controller.world.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class CloudTroublesTest {

    private static final CloudError NO_ANSWER = new CloudError.NoAnswer("ec2.DescribeInstances: no answer");
    private static final CloudError FORBIDDEN =
            new CloudError.Forbidden("ec2:RunInstances", Optional.of("encoded"), "ec2.RunInstances: no");
    private static final CloudError EXPIRED = new CloudError.CredentialsExpired("ec2.RunInstances: ExpiredToken");

    private final VirtualTime time = new VirtualTime();
    private final List<String> said = new ArrayList<>();
    private final CloudTroubles troubles = new CloudTroubles(new FakeProcess(time), new CloudTroubles.Voice() {
        @Override
        public void warn(String reason, String message) {
            said.add("warn " + reason + ": " + message);
        }

        @Override
        public void note(String reason, String message) {
            said.add("note " + reason);
        }

        @Override
        public void condition(boolean works, String reason, String message) {
            said.add("condition " + works + " " + reason);
        }

        @Override
        public void metric(String kind, boolean there) {
            said.add("metric " + kind + " " + there);
        }

        @Override
        public void explain(String encoded, Consumer<String> text) {
            text.accept("decoded " + encoded);
        }
    });

    @Test
    void a_missing_permission_is_said_at_once_by_name_and_explained_once() {
        troubles.failed("launch", FORBIDDEN);
        troubles.failed("launch", FORBIDDEN);

        assertThat(said)
                .containsExactly(
                        "metric Forbidden true",
                        "warn CloudForbidden: the call to launch ends in Forbidden of ec2:RunInstances. To mend it: "
                                + FORBIDDEN.remedy(),
                        "condition false Forbidden",
                        "warn CloudForbidden: ec2:RunInstances: decoded encoded");
    }

    @Test
    void it_is_over_when_that_call_is_answered_and_not_when_another_one_is() {
        troubles.failed("launch", FORBIDDEN);
        said.clear();

        troubles.answered("describe");
        assertThat(said).isEmpty();
        troubles.answered("launch");
        assertThat(said).containsExactly("metric Forbidden false", "note CloudWorks", "condition true Works");
    }

    @Test
    void silence_is_said_when_it_lasts_and_any_answer_ends_it() {
        troubles.failed("describe", NO_ANSWER);
        time.advance(Duration.ofSeconds(59));
        troubles.failed("describe", NO_ANSWER);
        assertThat(said).isEmpty();
        time.advance(Duration.ofSeconds(1));
        troubles.failed("launch", NO_ANSWER);
        assertThat(said).hasSize(3).last().isEqualTo("condition false NoAnswer");
        said.clear();

        troubles.answered("terminate");
        assertThat(said).containsExactly("metric NoAnswer false", "note CloudWorks", "condition true Works");
    }

    @Test
    void silence_that_passes_is_not_said_at_all() {
        troubles.failed("describe", NO_ANSWER);
        troubles.answered("describe");
        time.advance(Duration.ofMinutes(2));
        troubles.failed("describe", NO_ANSWER);

        assertThat(said).containsExactly("metric NoAnswer false");
    }

    @Test
    void the_trouble_that_remains_is_shown_when_another_is_over() {
        troubles.failed("launch", EXPIRED);
        troubles.failed("launch", new CloudError.VcpuQuotaReached("ec2.RunInstances: VcpuLimitExceeded"));
        said.clear();

        troubles.answered("describe");
        assertThat(said).containsExactly("metric CredentialsExpired false", "condition false VcpuQuotaReached");
    }

    @Test
    void what_concerns_one_pod_is_the_pods_own() {
        troubles.failed("launch", new CloudError.InsufficientCapacity("ec2.RunInstances: no room"));
        troubles.failed("launch", new CloudError.Refused("InvalidParameterValue", "ec2.RunInstances: no"));
        troubles.failed("describe", new CloudError.NotFound("ec2.DescribeInstances: no"));

        assertThat(said).isEmpty();
    }
}
