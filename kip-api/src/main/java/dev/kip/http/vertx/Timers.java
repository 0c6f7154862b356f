package dev.kip.http.vertx;

import io.vertx.core.Vertx;
import java.time.Duration;

/** What a {@link Splice} measures time by. Any thread. */
interface Timers {

    /** Runs the task again and again. @return what cancels it */
    Runnable every(Duration period, Runnable task);

    /** Runs the task once. @return what cancels it */
    Runnable after(Duration delay, Runnable task);

    static Timers of(Vertx vertx) {
        return new Timers() {
            @Override
            public Runnable every(Duration period, Runnable task) {
                long id = vertx.setPeriodic(Math.max(1, period.toMillis()), due -> task.run());
                return () -> vertx.cancelTimer(id);
            }

            @Override
            public Runnable after(Duration delay, Runnable task) {
                long id = vertx.setTimer(Math.max(1, delay.toMillis()), due -> task.run());
                return () -> vertx.cancelTimer(id);
            }
        };
    }
}
