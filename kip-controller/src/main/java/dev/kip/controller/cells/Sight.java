package dev.kip.controller.cells;

import dev.kip.cloud.CloudApi.InstanceFacts;
import java.time.Duration;
import java.util.Optional;

/**
 * What EC2 last showed of an instance.
 *
 * @param ended it will never run again
 * @param ip private address; empty while none is known
 * @param zone empty while it has not been seen
 * @param missingSince since when full lists lack it; lists may be older than the instance
 */
record Sight(boolean ended, String ip, Optional<String> zone, Optional<Long> missingSince) {

    static Sight of(String ip) {
        return new Sight(false, ip, Optional.empty(), Optional.empty());
    }

    Sight seen(InstanceFacts facts) {
        if (facts.state().ended() == ended
                && missingSince.isEmpty()
                && zone.isPresent()
                && (facts.privateIp().isEmpty() || facts.privateIp().get().equals(ip))) {
            return this;
        }
        // Addresses vanish with termination, and appear late after a launch: the last one known counts.
        return new Sight(
                ended || facts.state().ended(),
                facts.privateIp().orElse(ip),
                Optional.of(facts.zone()),
                Optional.empty());
    }

    Sight missing(long now) {
        return missingSince.isPresent() ? this : new Sight(ended, ip, zone, Optional.of(now));
    }

    /** Ended, or missing for longer than EC2 takes to show an instance. */
    boolean gone(Duration consistency, long now) {
        return ended || (missingSince.isPresent() && now - missingSince.get() >= consistency.toNanos());
    }
}
