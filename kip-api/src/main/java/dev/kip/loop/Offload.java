package dev.kip.loop;

import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

/**
 * Blocking calls, off the loop. One call sends exactly one request; paging and retrying are decisions on the loop, so
 * that a fault can fall between any two requests.
 */
public interface Offload {

    /**
     * Runs {@code call} on one of a bounded number of slots. The stage completes on the loop: with what the call
     * returned, with the exception that it threw, or with {@link Abandoned.DeadlinePassed} once {@code deadline} has
     * passed since this method was called, whether the call ever returns or not (its slot stays taken until it does).
     *
     * @param name what is called, for logs, metrics and simulation, for example {@code ec2.RunInstances}
     */
    <T> CompletionStage<Outcome<T, Abandoned>> call(String name, Duration deadline, Callable<T> call);

    /** Why there is no value. */
    sealed interface Abandoned {

        /** No answer in time: the request may or may not have had its effect. */
        record DeadlinePassed(String name, Duration deadline) implements Abandoned {}

        /** The call threw. */
        record Threw(String name, Exception exception) implements Abandoned {}
    }
}
