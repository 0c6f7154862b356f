package dev.kip.controller.gc;

import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ownership.Provenance;
import java.time.Duration;
import java.util.Optional;

/**
 * What the gates are told of one instance. What has not been read yet, or is not read because no gate needs it, is empty.
 *
 * @param node ours
 * @param window how long an instance must have been seen unclaimed before anything is concluded from it
 */
public record Evidence(
        InstanceFacts instance,
        Provenance provenance,
        String node,
        Duration window,
        Sighting sighting,
        Optional<Claims> claims,
        Optional<LastLook> look,
        Optional<Incumbency> incumbency,
        Optional<Allowance> allowance) {

    static Evidence seen(
            InstanceFacts instance, Provenance provenance, String node, Duration window, Sighting sighting) {
        return new Evidence(
                instance,
                provenance,
                node,
                window,
                sighting,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    Evidence with(Claims next) {
        return new Evidence(
                instance, provenance, node, window, sighting, Optional.of(next), look, incumbency, allowance);
    }

    Evidence with(LastLook next) {
        return new Evidence(
                next.described().orElse(instance),
                provenance,
                node,
                window,
                sighting,
                claims,
                Optional.of(next),
                incumbency,
                allowance);
    }

    Evidence with(Incumbency next) {
        return new Evidence(instance, provenance, node, window, sighting, claims, look, Optional.of(next), allowance);
    }

    Evidence with(Allowance next) {
        return new Evidence(instance, provenance, node, window, sighting, claims, look, incumbency, Optional.of(next));
    }

    /**
     * How long it has been seen unclaimed, by the monotonic clock of this incarnation: no clock of another machine counts.
     *
     * @param lists whole lists of the cloud that showed it unclaimed, this one included
     * @param unclaimedFor since the first of them
     */
    public record Sighting(int lists, Duration unclaimedFor) {}

    /**
     * Whether we are still who may mutate.
     *
     * @param read the record could be read
     * @param epoch ours
     * @param recorded the shard's epoch by the record; empty if there is no record
     * @param leaseLeft until mutations must stop
     */
    public record Incumbency(boolean read, long epoch, Optional<Long> recorded, Duration leaseLeft) {}

    /**
     * How much may be ended.
     *
     * @param breaker why nothing may be ended at present; empty if it is closed
     */
    public record Allowance(Optional<String> breaker) {}
}
