package dev.kip.kube.elect;

import com.google.common.base.Preconditions;
import dev.kip.kube.ObjectRef;
import java.time.Duration;

/**
 * How to elect. The defaults are client-go's.
 *
 * @param lease the Lease that the replicas share
 * @param leaseDuration how long others keep away from a lease that is not renewed
 * @param renewDeadline a leader that could not renew for so long steps down
 * @param retryPeriod between two tries
 * @param attemptTimeout a try that is not answered within this is given up, its effect unknown
 * @param margin how much before the lease runs out a leader must have stopped mutating
 */
public record ElectionSettings(
        ObjectRef lease,
        Duration leaseDuration,
        Duration renewDeadline,
        Duration retryPeriod,
        Duration attemptTimeout,
        Duration margin) {

    public ElectionSettings {
        Preconditions.checkArgument(
                leaseDuration.compareTo(renewDeadline.plus(margin)) > 0,
                "lease duration %s must be longer than renew deadline %s and margin %s together",
                leaseDuration,
                renewDeadline,
                margin);
        Preconditions.checkArgument(
                renewDeadline.compareTo(retryPeriod.plus(attemptTimeout)) > 0,
                "renew deadline %s must leave time for a retry: period %s, attempt %s",
                renewDeadline,
                retryPeriod,
                attemptTimeout);
        Preconditions.checkArgument(
                leaseDuration.toSeconds() > 0, "lease duration %s must be a second at least", leaseDuration);
    }

    public static ElectionSettings of(ObjectRef lease) {
        return new ElectionSettings(
                lease,
                Duration.ofSeconds(15),
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofSeconds(3),
                Duration.ofSeconds(2));
    }
}
