package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableMap;
import dev.kip.loop.Loop;
import java.util.Map;
import java.util.TreeMap;

/**
 * EC2's token buckets: of requests per action or class of actions, and of instances for RunInstances and
 * TerminateInstances.
 *
 * @see <a href="https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html">Request throttling for the EC2 API</a>
 */
final class RateLimits {

    private static final String FILTERED = "filtered";
    private static final String MUTATING = "mutating";
    private static final Rate FILTERED_READ = new Rate(100, 20);
    private static final Rate UNFILTERED_READ = new Rate(50, 10);
    private static final Rate MUTATION = new Rate(50, 5);
    private static final ImmutableMap<String, Rate> REQUESTS = ImmutableMap.of(
            "RunInstances", new Rate(5, 2),
            "TerminateInstances", new Rate(100, 5),
            "CreateTags", new Rate(100, 10));
    private static final ImmutableMap<String, Rate> RESOURCES =
            ImmutableMap.of("RunInstances", new Rate(1000, 2), "TerminateInstances", new Rate(1000, 20));

    private final Loop loop;
    private final boolean on;
    private final Map<String, Bucket> buckets = new TreeMap<>();
    private final Map<String, Integer> neighbours = new TreeMap<>();

    RateLimits(Loop loop, boolean on) {
        this.loop = loop;
        this.on = on;
    }

    /** @throws Ec2Failure RequestLimitExceeded */
    void request(String action, Params params) {
        boolean read = action.startsWith("Describe") || action.startsWith("Get");
        if (!read) {
            Rate own = REQUESTS.get(action);
            take(own == null ? MUTATING : action, own == null ? MUTATION : own, 1);
        } else if (params.has("Filter") || params.has("MaxResults")) {
            take(FILTERED, FILTERED_READ, 1);
        } else {
            take("unfiltered", UNFILTERED_READ, 1);
        }
    }

    /** @throws Ec2Failure RequestLimitExceeded, for an action that counts resources */
    void resources(String action, int count) {
        Rate rate = RESOURCES.get(action);
        if (rate != null) {
            take(action + " resources", rate, count);
        }
    }

    /**
     * From now on somebody else in the account makes such calls too, whenever there is a token for one.
     *
     * @param perThousandSeconds calls in a thousand seconds; 0 if nobody does any more
     */
    void neighbour(String action, int perThousandSeconds) {
        long now = loop.nanos();
        buckets.values().forEach(bucket -> bucket.refill(now));
        neighbours.put(bucketOf(action), perThousandSeconds);
    }

    void neighboursLeave() {
        long now = loop.nanos();
        buckets.values().forEach(bucket -> bucket.refill(now));
        neighbours.clear();
    }

    private static String bucketOf(String action) {
        if (action.startsWith("Describe") || action.startsWith("Get")) {
            return FILTERED;
        }
        return REQUESTS.containsKey(action) ? action : MUTATING;
    }

    private void take(String name, Rate rate, int count) {
        if (on
                && !buckets.computeIfAbsent(name, any -> new Bucket(name, rate, loop.nanos()))
                        .take(count, loop.nanos())) {
            throw new Ec2Failure(503, "RequestLimitExceeded", "Request limit exceeded.");
        }
    }

    private record Rate(int burst, int perSecond) {}

    /** Counts in billionths of a token, so that no rounding differs between machines. */
    private final class Bucket {

        private static final long TOKEN = 1_000_000_000L;
        private static final long MILLI = 1_000L;

        private final String name;
        private final Rate rate;
        private long level;
        private long asOf;

        Bucket(String name, Rate rate, long now) {
            this.name = name;
            this.rate = rate;
            this.level = rate.burst * TOKEN;
            this.asOf = now;
        }

        void refill(long now) {
            long full = rate.burst * TOKEN;
            long ours = rate.perSecond * MILLI - neighbours.getOrDefault(name, 0);
            long passed = ours == 0 ? 0 : Math.min(now - asOf, full / Math.abs(ours) * MILLI + MILLI);
            level = Math.max(0, Math.min(full, level + passed * ours / MILLI));
            asOf = now;
        }

        boolean take(int count, long now) {
            refill(now);
            if (level < count * TOKEN) {
                return false;
            }
            level -= count * TOKEN;
            return true;
        }
    }
}
