package dev.kip.sim.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.kernel.SimProcess;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole program on a node that comes back, and the API server does not, or not as it was. */
class OutageTest {

    private static final String SYSTEM = "kube-system";

    private final Bench bench = new Bench();
    private SimProcess before;

    @BeforeEach
    void a_pod_is_stored() {
        bench.pod(SYSTEM, "apiserver", "");
        bench.runs(SYSTEM, "apiserver", bench.uid(SYSTEM, "apiserver"));
        before = bench.start();
        bench.pass(60);
        bench.powerCycle(before);
    }

    /** Goal B14. */
    @Test
    void from_its_start_to_activation_less_than_a_second_goes_by() {
        bench.apiDown();
        bench.start();
        bench.pass(Duration.ofSeconds(1));

        assertThat(bench.active()).containsExactly("apiserver");
    }

    /** bootkube#824: what was stored does not wait for what cannot be fetched; what was not is told. */
    @Test
    void a_pod_whose_secret_was_never_stored_does_not_hold_up_the_others() {
        bench.pod(SYSTEM, "other", "\"volumes\": [{\"name\": \"v\", \"secret\": {\"secretName\": \"never\"}}],");
        SimProcess checkpointer = bench.start();
        bench.pass(60);
        assertThat(bench.status().problems())
                .anyMatch(text -> text.contains("kube-system/other asks for a checkpoint"));
        bench.powerCycle(checkpointer);
        bench.apiDown();
        bench.start();
        bench.pass(2);

        assertThat(bench.active()).containsExactly("apiserver");
    }

    @Test
    void what_was_unscheduled_while_the_node_was_off_comes_back_and_goes_when_the_api_server_is_there() {
        bench.pod(SYSTEM, "scheduler", "");
        bench.delete("pods", SYSTEM, "apiserver");
        bench.apiDown();
        bench.start();
        bench.pass(10);
        assertThat(bench.active()).as("nobody says otherwise").containsExactly("apiserver");

        bench.apiUp();
        bench.runs(SYSTEM, "scheduler", bench.uid(SYSTEM, "scheduler"));
        bench.pass(180);

        assertThat(bench.active()).isEmpty();
        assertThat(bench.stored()).containsExactly("kube-system/scheduler");
    }

    /**
     * Certificates and tokens expired while the node was off: every request is refused for ever. The process makes way from
     * time to time, and kubelet starts it again; what it brought back goes on.
     */
    @Test
    void credentials_that_expired_meanwhile_bring_the_pod_back_and_leave_it_there() {
        bench.apiAnswers(401, "Unauthorized");
        SimProcess checkpointer = bench.start();
        bench.pass(6);
        assertThat(bench.active()).containsExactly("apiserver");
        bench.runs(SYSTEM, "apiserver-node-1", "static");

        for (int minute = 0; minute < 120; minute++) {
            bench.pass(60);
            assertThat(bench.active()).containsExactly("apiserver");
            if (!checkpointer.alive()) {
                checkpointer = bench.start();
            }
        }
        assertThat(bench.stored()).containsExactly("kube-system/apiserver");
        assertThat(bench.status().problems()).anyMatch(text -> text.contains("the API server does not answer"));
    }

    /** Then the clock is set: neither way is anything forgotten or asked for in a storm. */
    @Test
    void the_clock_stands_in_1970_at_first_and_is_set_later() {
        bench.apiDown();
        SimProcess checkpointer = bench.start();
        checkpointer.skewClock(Duration.ofDays(-56 * 365L));
        bench.pass(10);
        assertThat(bench.active()).containsExactly("apiserver");
        bench.apiUp();
        bench.pass(30);
        checkpointer.skewClock(Duration.ZERO);
        bench.pass(300);

        assertThat(bench.stored()).containsExactly("kube-system/apiserver");
        assertThat(bench.status().flaws()).isEmpty();
    }

    /** So no token is sent to it either, over a connection that nobody verified. */
    @Test
    void d22_kubelet_is_asked_nothing() {
        bench.kubeletListens();
        SimProcess checkpointer = bench.start();
        bench.pass(120);
        bench.apiDown();
        bench.pass(120);
        bench.powerCycle(checkpointer);
        bench.start();
        bench.pass(120);

        assertThat(bench.askedOf).contains("apiserver").doesNotContain("kubelet");
    }
}
