package dev.kip.controller.launch;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Multiset;
import dev.kip.controller.launch.Spread.Constraint;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * In which zone each pod's cell is, or will be: what is chosen counts at once, or a burst would be chosen for one zone. What
 * is counted for a constraint is counted once, then kept. Confined to the loop.
 */
final class ZoneLedger {

    /** Each rollout may bring a selector of its own; what is not asked for any more is found anew when it is. */
    private static final int MOST_GROUPS = 1_000;

    private final Map<String, Placed> pods = new LinkedHashMap<>();
    private final Map<Group, Multiset<String>> groups = new LinkedHashMap<>();

    private record Placed(String namespace, ImmutableMap<String, String> labels, String zone) {}

    private record Group(String namespace, Constraint constraint) {
        boolean counts(Placed pod) {
            return pod.namespace.equals(namespace) && constraint.counts(pod.labels);
        }
    }

    /** The pod's cell is, or will be, there. */
    void place(String uid, String namespace, ImmutableMap<String, String> labels, String zone) {
        Placed now = new Placed(namespace, labels, zone);
        @Nullable Placed before = pods.put(uid, now);
        if (!now.equals(before)) {
            count(before, -1);
            count(now, 1);
        }
    }

    /** It has none, or is over. */
    void remove(String uid) {
        count(pods.remove(uid), -1);
    }

    private void count(@Nullable Placed pod, int by) {
        if (pod == null) {
            return;
        }
        groups.forEach((group, zones) -> {
            if (group.counts(pod)) {
                if (by > 0) {
                    zones.add(pod.zone);
                } else {
                    zones.remove(pod.zone);
                }
            }
        });
    }

    private Multiset<String> zones(Group group) {
        @Nullable Multiset<String> known = groups.get(group);
        if (known != null) {
            return known;
        }
        if (groups.size() >= MOST_GROUPS) {
            groups.clear();
        }
        Multiset<String> zones = HashMultiset.create();
        for (Placed pod : pods.values()) {
            if (group.counts(pod)) {
                zones.add(pod.zone);
            }
        }
        groups.put(group, zones);
        return zones;
    }

    /**
     * The zones that the pod may, or would rather, be in.
     *
     * @param domains those that it could be in for all else that it asks; none may be missing
     * @param wishes whether constraints that are only wishes count, too
     */
    ImmutableSet<String> allowed(String namespace, Spread spread, ImmutableSet<String> domains, boolean wishes) {
        ImmutableSet<String> allowed = domains;
        for (Constraint constraint : spread.constraints()) {
            if (constraint.required() || wishes) {
                Multiset<String> counts = zones(new Group(namespace, constraint));
                int least = domains.size() < constraint.minDomains()
                        ? 0
                        : domains.stream().mapToInt(counts::count).min().orElse(0);
                int self = constraint.counts(spread.labels()) ? 1 : 0;
                allowed = allowed.stream()
                        .filter(zone -> counts.count(zone) + self - least <= constraint.maxSkew())
                        .collect(ImmutableSet.toImmutableSet());
            }
        }
        return allowed;
    }
}
