package dev.kip.controller.launch;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ListMultimap;
import dev.kip.cloud.CloudApi.Market;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the cloud had no room for lately: type, subnet (and so zone) and market; subnets without addresses; and quotas that
 * were reached, with all types that count against them. A market that has been found full in many places within a minute is left alone as a whole for a
 * while: there is a shortage, and each further place would cost a call to learn of (kubernetes-sigs/karpenter#3198).
 * Confined to the loop.
 */
public final class Avoided {

    /** So many places of a market within {@link #WINDOW} are a shortage. */
    static final int SHORTAGE = 30;

    private static final Duration WINDOW = Duration.ofMinutes(1);

    private record Place(String type, String subnet, Market market) {}

    private final Map<Place, Long> until = new LinkedHashMap<>();
    private final Map<VcpuQuota, Long> quotas = new LinkedHashMap<>();
    private final Map<String, Long> fullSubnets = new LinkedHashMap<>();
    private final ListMultimap<Market, Long> found = ArrayListMultimap.create();
    private final Map<Market, Long> shortUntil = new EnumMap<>(Market.class);

    public void avoid(LaunchKey key, long now, Duration pause) {
        avoid(key.instanceType(), key.subnetId(), key.market(), now, pause);
        List<Long> times = found.get(key.market());
        times.removeIf(time -> now - time > WINDOW.toNanos());
        times.add(now);
        if (times.size() >= SHORTAGE) {
            shortUntil.put(key.market(), now + WINDOW.toNanos());
        }
    }

    /** Not a refusal: it does not tell of a shortage. */
    void avoid(String type, String subnet, Market market, long now, Duration pause) {
        until.values().removeIf(end -> end - now <= 0);
        until.put(new Place(type, subnet, market), now + pause.toNanos());
    }

    /** The quota that this counts against is used up. */
    public void avoidQuota(LaunchKey key, long now, Duration pause) {
        quotas.values().removeIf(end -> end - now <= 0);
        quotas.put(VcpuQuota.of(key.instanceType(), key.market()), now + pause.toNanos());
    }

    /** The subnet has no addresses left for so many: it is left alone for any type and market. */
    public void avoidSubnet(LaunchKey key, long now, Duration pause) {
        fullSubnets.values().removeIf(end -> end - now <= 0);
        fullSubnets.put(key.subnetId(), now + pause.toNanos());
    }

    private static boolean holds(@Nullable Long end, long now) {
        return end != null && end - now > 0;
    }

    /** The quota that stands in the way, by its name; empty if none does. */
    Optional<String> quotaReached(String type, Market market, long now) {
        if (quotas.isEmpty()) {
            return Optional.empty();
        }
        VcpuQuota quota = VcpuQuota.of(type, market);
        return holds(quotas.get(quota), now) ? Optional.of(quota.text()) : Optional.empty();
    }

    public boolean avoids(String type, String subnet, Market market, long now) {
        if (quotaReached(type, market, now).isPresent()) {
            return true;
        }
        if (!fullSubnets.isEmpty() && holds(fullSubnets.get(subnet), now)) {
            return true;
        }
        if (until.isEmpty()) {
            return false;
        }
        return holds(shortUntil.get(market), now) || holds(until.get(new Place(type, subnet, market)), now);
    }

    /** Until something is worth another try; zero if nothing is avoided. */
    public Duration shortestPause(long now) {
        return Duration.ofNanos(Stream.of(until, quotas, fullSubnets)
                .flatMap(ends -> ends.values().stream())
                .mapToLong(end -> end - now)
                .filter(left -> left > 0)
                .min()
                .orElse(0));
    }
}
