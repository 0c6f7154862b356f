package dev.kip.controller.launch;

import dev.kip.cloud.CloudApi.Market;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the cloud had no room for lately: type, subnet (and so zone) and market. Confined to the loop. */
public final class Avoided {

    private record Place(String type, String subnet, Market market) {}

    private final Map<Place, Long> until = new LinkedHashMap<>();

    public void avoid(LaunchKey key, long now, Duration pause) {
        until.values().removeIf(end -> end - now <= 0);
        until.put(new Place(key.instanceType(), key.subnetId(), key.market()), now + pause.toNanos());
    }

    public boolean avoids(String type, String subnet, Market market, long now) {
        if (until.isEmpty()) {
            return false;
        }
        @Nullable Long end = until.get(new Place(type, subnet, market));
        return end != null && end - now > 0;
    }

    /** Until something is worth another try; zero if nothing is avoided. */
    public Duration shortestPause(long now) {
        return Duration.ofNanos(until.values().stream()
                .mapToLong(end -> end - now)
                .filter(left -> left > 0)
                .min()
                .orElse(0));
    }
}
