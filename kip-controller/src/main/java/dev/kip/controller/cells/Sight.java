package dev.kip.controller.cells;

import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import java.time.Duration;
import java.util.Optional;

/**
 * What EC2 last showed of an instance.
 *
 * @param ended it will never run again
 * @param ip private address; empty while none is known
 * @param zone empty while it has not been seen
 * @param missingSince since when full lists lack it; lists may be older than the instance
 * @param stoppedSince since when it is seen to be stopped, which is never our doing
 */
record Sight(
        boolean ended, String ip, Optional<String> zone, Optional<Long> missingSince, Optional<Long> stoppedSince) {

    static Sight of(String ip) {
        return new Sight(false, ip, Optional.empty(), Optional.empty(), Optional.empty());
    }

    Sight seen(InstanceFacts facts, long now) {
        boolean stopped = facts.state() == InstanceState.STOPPING || facts.state() == InstanceState.STOPPED;
        // Addresses vanish with termination, and appear late after a launch: the last one known counts.
        String known = facts.privateIp().orElse(ip);
        boolean over = ended || facts.state().ended();
        if (over == ended
                && known.equals(ip)
                && zone.isPresent()
                && zone.get().equals(facts.zone())
                && missingSince.isEmpty()
                && stopped == stoppedSince.isPresent()) {
            return this; // nearly always: thousands are seen at a time
        }
        Optional<Long> since = stopped ? stoppedSince.or(() -> Optional.of(now)) : Optional.empty();
        return new Sight(over, known, Optional.of(facts.zone()), Optional.empty(), since);
    }

    Sight missing(long now) {
        return missingSince.isPresent() ? this : new Sight(ended, ip, zone, Optional.of(now), stoppedSince);
    }

    /** Ended, or missing for longer than EC2 takes to show an instance. */
    boolean gone(Duration consistency, long now) {
        return ended || (missingSince.isPresent() && now - missingSince.get() >= consistency.toNanos());
    }

    boolean stoppedFor(Duration time, long now) {
        return stoppedSince.isPresent() && now - stoppedSince.get() >= time.toNanos();
    }
}
