package dev.kip.checkpointer.standing;

import java.time.Duration;

/**
 * How long to wait for what.
 *
 * @param grace a parent that is gone from the API for so long takes its checkpoint with it
 * @param firstAnswer at start, for the API server: one that is there decides better than one that is not
 * @param absence for a parent that ran before: kubelet may be starting it anew
 * @param start for kubelet to start a parent that the API server has
 * @param crash a parent that does not run for so long, though kubelet tries, is not waited for
 * @param proof a pod that runs for so long is proven
 * @param restore for kubelet to run a checkpoint, until it is asked again
 */
public record Policy(
        Duration grace,
        Duration firstAnswer,
        Duration absence,
        Duration start,
        Duration crash,
        Duration proof,
        Duration restore) {

    public static Policy withGrace(Duration grace) {
        return new Policy(
                grace,
                Duration.ofSeconds(3),
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                Duration.ofMinutes(2),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60));
    }
}
