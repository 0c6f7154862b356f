package dev.kip.sim.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.loop.Offload;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Two bugs that only show between two requests, or in a request that never returns: Offload must be able to say both. */
class OffloadFaultsTest {

    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final ImmutableList<ImmutableList<String>> PAGES =
            ImmutableList.of(ImmutableList.of("i-1", "i-2"), ImmutableList.of("i-3"));

    private final Kernel kernel = new Kernel(1, Instant.parse("2030-01-01T00:00:00Z"), new Trace(false));
    private final SimProcess process = new SimProcess(kernel, "controller");
    private final List<String> gone = new ArrayList<>();

    @Test
    void a_lister_that_takes_a_failed_page_for_the_last_one_is_caught_by_a_fault_between_pages() {
        list(page -> page == 1, true);
        assertThat(gone).as("the planted bug believes that i-3 is gone").containsExactly("i-3");

        gone.clear();
        list(page -> page == 1, false);
        assertThat(gone).as("a failed page proves nothing").isEmpty();
    }

    @Test
    void a_caller_that_waits_for_ever_is_caught_by_a_call_that_never_returns() {
        Offload offload = new SimOffload(process, 4, Duration.ofSeconds(1));
        List<String> decided = new ArrayList<>();

        // Right: the deadline's answer is a fact, and something is decided.
        offload.call("ec2.RunInstances", DEADLINE, () -> {
                    throw new SimNetwork.Silence();
                })
                .thenAccept(answer ->
                        decided.add(answer.error().orElseThrow().getClass().getSimpleName()));
        // Planted bug: only an answer of the cloud counts, so after the silence nothing is ever decided.
        List<String> buggy = new ArrayList<>();
        offload.call("ec2.RunInstances", DEADLINE, () -> {
                    throw new SimNetwork.Silence();
                })
                .thenAccept(answer -> answer.on(launched -> buggy.add("launched"), error -> {
                    if (error instanceof Offload.Abandoned.Threw) {
                        buggy.add("refused");
                    }
                }));
        kernel.runFor(Duration.ofHours(1));

        assertThat(decided).containsExactly("DeadlinePassed");
        assertThat(buggy).as("the planted bug waits for ever").isEmpty();
    }

    @Test
    void a_second_request_inside_one_call_is_an_error() {
        SimOffload offload = new SimOffload(process, 1, Duration.ofSeconds(1));
        offload.call("ec2.DescribeInstances", DEADLINE, () -> {
            offload.countRequest();
            offload.countRequest();
            return "two pages";
        });

        org.assertj.core.api.Assertions.assertThatThrownBy(() -> kernel.runFor(Duration.ofSeconds(5)))
                .hasMessage("a second request inside the one call ec2.DescribeInstances");
    }

    private interface Breaks {
        boolean page(int number);
    }

    private void list(Breaks breaks, boolean planted) {
        Offload offload = new SimOffload(process, 1, Duration.ofSeconds(1));
        List<String> seen = new ArrayList<>();
        page(offload, breaks, planted, 0, seen, complete -> {
            for (String id : ImmutableList.of("i-1", "i-2", "i-3")) {
                if (!complete.contains(id)) {
                    gone.add(id);
                }
            }
        });
        kernel.runFor(Duration.ofMinutes(1));
    }

    private void page(
            Offload offload,
            Breaks breaks,
            boolean planted,
            int number,
            List<String> seen,
            Consumer<List<String>> done) {
        offload.call("ec2.DescribeInstances", DEADLINE, () -> {
                    if (breaks.page(number)) {
                        throw new IOException("connection reset");
                    }
                    return PAGES.get(number);
                })
                .thenAccept(answer -> answer.on(
                        page -> {
                            seen.addAll(page);
                            if (number + 1 < PAGES.size()) {
                                page(offload, breaks, planted, number + 1, seen, done);
                            } else {
                                done.accept(seen);
                            }
                        },
                        error -> {
                            if (planted) {
                                done.accept(seen);
                            }
                        }));
    }
}
