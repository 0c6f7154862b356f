package dev.kip.cloud;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A queue that the cloud's events are put into. What was received comes again after a while unless it is deleted. Every
 * method sends exactly one request and returns at once; its stage completes on the loop, never exceptionally. Called on the
 * loop.
 */
public interface EventQueue {

    /** At most as many come with one call, and may be deleted with one. */
    int MOST = 10;

    /** Where it is, for people. */
    String location();

    /** Tags on the queue itself. */
    CompletionStage<Outcome<ImmutableMap<String, String>, CloudError>> tags();

    /** Adds tags to the queue itself, or changes their values. */
    CompletionStage<Outcome<Boolean, CloudError>> tag(ImmutableMap<String, String> tags);

    /** Up to {@link #MOST} messages; waits for the first one, at most so long (20 s is the most that SQS takes). */
    CompletionStage<Outcome<ImmutableList<Message>, CloudError>> receive(Duration wait);

    /** Up to {@link #MOST} of those that were received; one that is gone already is no error. */
    CompletionStage<Outcome<Boolean, CloudError>> delete(ImmutableList<String> receipts);

    /** @param receipt names this reception of the message */
    record Message(String receipt, CloudEvent event) {}
}
