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

    RateLimits(Loop loop, boolean on) {
        this.loop = loop;
        this.on = on;
    }

    /** @throws Ec2Failure RequestLimitExceeded */
    void request(String action, Params params) {
        boolean read = action.startsWith("Describe") || action.startsWith("Get");
        if (!read) {
            Rate own = REQUESTS.get(action);
            take(own == null ? "mutating" : action, own == null ? MUTATION : own, 1);
        } else if (params.has("Filter") || params.has("MaxResults")) {
            take("filtered", FILTERED_READ, 1);
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

    private void take(String name, Rate rate, int count) {
        if (on
                && !buckets.computeIfAbsent(name, any -> new Bucket(rate, loop.nanos()))
                        .take(count, loop.nanos())) {
            throw new Ec2Failure(503, "RequestLimitExceeded", "Request limit exceeded.");
        }
    }

    private record Rate(int burst, int perSecond) {}

    /** Counts in billionths of a token, so that no rounding differs between machines. */
    private static final class Bucket {

        private static final long TOKEN = 1_000_000_000L;

        private final Rate rate;
        private long level;
        private long asOf;

        Bucket(Rate rate, long now) {
            this.rate = rate;
            this.level = rate.burst * TOKEN;
            this.asOf = now;
        }

        boolean take(int count, long now) {
            long full = rate.burst * TOKEN;
            long passed = Math.min(now - asOf, full / rate.perSecond + 1);
            level = Math.min(full, level + passed * rate.perSecond);
            asOf = now;
            if (level < count * TOKEN) {
                return false;
            }
            level -= count * TOKEN;
            return true;
        }
    }
}
