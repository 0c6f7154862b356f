package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi.Offering;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** How many more instances there is room for: by pool (type, zone, market) and by the account's vCPU quotas. */
public final class Capacity {

    private static final ImmutableSet<Character> STANDARD =
            ImmutableSet.of('a', 'c', 'd', 'h', 'i', 'm', 'r', 't', 'z');

    private final Map<String, Integer> left = new TreeMap<>();
    private final Map<String, Integer> vcpus = new TreeMap<>();
    private int limit;

    Capacity(int vcpuLimit) {
        this.limit = vcpuLimit;
    }

    /**
     * From now on the pool has room for {@code count} more.
     *
     * @param type an instance type, or {@code *}
     * @param zone a zone, or {@code *}
     * @param market {@code on-demand}, {@code spot}, or {@code *}
     */
    public void leave(String type, String zone, String market, int count) {
        left.put(type + " " + zone + " " + market, count);
    }

    /** Every pool has room again. */
    public void restore() {
        left.clear();
    }

    /** The vCPU quota of each class of families and market. */
    public void limitVcpus(int limit) {
        this.limit = limit;
    }

    /**
     * How many of {@code most} there is room for.
     *
     * @throws Ec2Failure if not for {@code least}
     */
    int grant(Offering type, String zone, boolean spot, int least, int most) {
        String market = spot ? "spot" : "on-demand";
        int pool = room(type.type(), zone, market);
        if (pool < least) {
            throw new Ec2Failure(
                    500,
                    "InsufficientInstanceCapacity",
                    "We currently do not have sufficient " + type.type()
                            + " capacity in the Availability Zone you requested (" + zone
                            + "). Our system will be working on provisioning additional capacity. You can currently get "
                            + type.type() + " capacity by not specifying an Availability Zone in your request.");
        }
        int quota = (limit - vcpus.getOrDefault(quota(type.type(), market), 0)) / type.vcpus();
        if (quota < least) {
            throw spot
                    ? new Ec2Failure("MaxSpotInstanceCountExceeded", "Max spot instance count exceeded")
                    : new Ec2Failure(
                            "VcpuLimitExceeded",
                            "You have requested more vCPU capacity than your current vCPU limit of " + limit
                                    + " allows for the instance bucket that the specified instance type belongs to."
                                    + " Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.");
        }
        return Math.min(most, Math.min(pool, quota));
    }

    void take(Offering type, String zone, boolean spot, int count) {
        String market = spot ? "spot" : "on-demand";
        keys(type.type(), zone, market).forEach(key -> left.computeIfPresent(key, (any, room) -> room - count));
        hold(type, spot, count);
    }

    void hold(Offering type, boolean spot, int count) {
        vcpus.merge(quota(type.type(), spot ? "spot" : "on-demand"), type.vcpus() * count, Integer::sum);
    }

    void release(Offering type, boolean spot) {
        vcpus.merge(quota(type.type(), spot ? "spot" : "on-demand"), -type.vcpus(), Integer::sum);
    }

    private int room(String type, String zone, String market) {
        return keys(type, zone, market).stream()
                .map(key -> Optional.ofNullable(left.get(key)))
                .flatMap(Optional::stream)
                .min(Integer::compare)
                .orElse(Integer.MAX_VALUE);
    }

    private static ImmutableSet<String> keys(String type, String zone, String market) {
        ImmutableSet.Builder<String> keys = ImmutableSet.builder();
        for (String t : ImmutableSet.of(type, "*")) {
            for (String z : ImmutableSet.of(zone, "*")) {
                for (String m : ImmutableSet.of(market, "*")) {
                    keys.add(t + " " + z + " " + m);
                }
            }
        }
        return keys.build();
    }

    /** Standard families share one quota, others have one for each letter. */
    private static String quota(String type, String market) {
        char family = type.charAt(0);
        return (STANDARD.contains(family) ? "standard" : String.valueOf(family)) + " " + market;
    }
}
