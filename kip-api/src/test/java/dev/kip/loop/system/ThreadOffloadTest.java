package dev.kip.loop.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.loop.Offload.Abandoned;
import dev.kip.outcome.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ThreadOffloadTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final SystemLoop loop = SystemLoop.start("process");
    private final ThreadOffload offload = new ThreadOffload(loop, "slot", 1);

    @AfterEach
    void stop() {
        offload.close();
        loop.close();
    }

    @Test
    void the_answer_comes_back_on_the_loop() {
        var where = new CompletableFuture<String>();
        loop.post(() -> offload.call(
                        "ec2.RunInstances", LONG, () -> Thread.currentThread().getName())
                .thenAccept(outcome -> where.complete(outcome.value().orElseThrow() + " -> "
                        + Thread.currentThread().getName())));

        assertThat(where.orTimeout(10, TimeUnit.SECONDS).join()).isEqualTo("slot-1 -> process");
    }

    @Test
    void what_a_call_throws_is_its_outcome() {
        Outcome<String, Abandoned> outcome = call(LONG, () -> {
            throw new IOException("refused");
        });

        assertThat(outcome.error())
                .hasValueSatisfying(error -> assertThat(error)
                        .isInstanceOfSatisfying(
                                Abandoned.Threw.class,
                                threw -> assertThat(threw.exception()).hasMessage("refused")));
    }

    @Test
    void an_error_of_the_machine_is_an_outcome_too() {
        assertThat(call(LONG, () -> {
                            throw new NoClassDefFoundError("x");
                        })
                        .error())
                .isPresent();
    }

    @Test
    void a_call_that_never_returns_is_abandoned_at_its_deadline() {
        var release = new CountDownLatch(1);
        Duration deadline = Duration.ofMillis(50);
        Outcome<String, Abandoned> stuck = call(deadline, () -> {
            release.await();
            return "late";
        });

        assertThat(stuck.error()).contains(new Abandoned.DeadlinePassed("a call", deadline));
        release.countDown();
    }

    @Test
    void a_call_keeps_its_slot_until_it_returns() throws Exception {
        var begun = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        Duration deadline = Duration.ofMillis(50);
        loop.post(() -> offload.call("stuck", LONG, () -> {
            begun.countDown();
            release.await();
            return "late";
        }));
        begun.await(); // a thread may take longer to start than the deadline
        Outcome<String, Abandoned> behind = call(deadline, () -> "never begun");

        assertThat(behind.error())
                .as("the only slot is taken")
                .contains(new Abandoned.DeadlinePassed("a call", deadline));
        release.countDown();
        assertThat(call(LONG, () -> "free again").value()).contains("free again");
    }

    @Test
    void a_call_after_close_has_an_outcome() {
        offload.close();

        assertThat(call(LONG, () -> "x").error()).isPresent();
    }

    private <T> Outcome<T, Abandoned> call(Duration deadline, Callable<T> call) {
        var outcome = new CompletableFuture<Outcome<T, Abandoned>>();
        loop.post(() -> offload.call("a call", deadline, call).thenAccept(outcome::complete));
        return outcome.orTimeout(25, TimeUnit.SECONDS).join();
    }
}
