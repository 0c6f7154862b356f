package dev.kip.loop.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SystemLoopTest {

    private final SystemLoop loop = SystemLoop.start("test");

    @AfterEach
    void stop() {
        loop.close();
    }

    @Test
    void tasks_run_one_at_a_time_in_the_order_in_which_they_were_posted() {
        List<Integer> ran = new CopyOnWriteArrayList<>();
        IntStream.range(0, 1000).forEach(i -> loop.post(() -> ran.add(i)));
        settle();

        assertThat(ran).isEqualTo(IntStream.range(0, 1000).boxed().toList());
    }

    @Test
    void timers_fire_in_the_order_of_their_time_and_then_of_their_setting() {
        List<String> ran = new CopyOnWriteArrayList<>();
        var done = new CompletableFuture<Void>();
        loop.post(() -> {
            loop.after(Duration.ofMillis(30), () -> done.complete(null));
            loop.after(Duration.ofMillis(20), () -> ran.add("20"));
            loop.after(Duration.ofMillis(10), () -> ran.add("10"));
            loop.after(Duration.ofMillis(-5), () -> ran.add("now"));
        });
        done.orTimeout(10, TimeUnit.SECONDS).join();

        assertThat(ran).containsExactly("now", "10", "20");
    }

    @Test
    void a_timer_never_fires_early() {
        var took = new CompletableFuture<Long>();
        loop.post(() -> {
            long began = loop.nanos();
            loop.after(Duration.ofMillis(15), () -> took.complete(loop.nanos() - began));
        });

        assertThat(took.orTimeout(10, TimeUnit.SECONDS).join()).isGreaterThanOrEqualTo(15_000_000L);
    }

    @Test
    void a_cancelled_timer_does_not_fire() {
        List<String> ran = new CopyOnWriteArrayList<>();
        var done = new CompletableFuture<Void>();
        loop.post(() -> {
            Loop.Timer cancelled = loop.after(Duration.ofMillis(5), () -> ran.add("cancelled"));
            loop.after(Duration.ofMillis(1), cancelled::cancel);
            loop.after(Duration.ofMillis(20), () -> done.complete(null));
        });
        done.orTimeout(10, TimeUnit.SECONDS).join();

        assertThat(ran).isEmpty();
    }

    @Test
    void a_task_that_throws_does_not_end_the_loop() {
        loop.post(() -> {
            throw new IllegalStateException("a bug");
        });
        settle();
    }

    @Test
    void timers_are_not_starved_by_tasks_that_post_more() {
        var fired = new CompletableFuture<Void>();
        loop.post(new Runnable() {
            @Override
            public void run() {
                if (!fired.isDone()) {
                    loop.post(this);
                }
            }
        });
        loop.post(() -> loop.after(Duration.ofMillis(1), () -> fired.complete(null)));

        fired.orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Test
    void after_close_nothing_runs() {
        loop.close();
        List<String> ran = new CopyOnWriteArrayList<>();
        loop.post(() -> ran.add("late"));

        assertThat(ran).isEmpty();
    }

    private void settle() {
        var done = new CompletableFuture<Void>();
        loop.post(() -> done.complete(null));
        done.orTimeout(10, TimeUnit.SECONDS).join();
    }
}
