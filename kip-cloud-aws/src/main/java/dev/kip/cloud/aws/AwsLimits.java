package dev.kip.cloud.aws;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CallKind;
import dev.kip.cloud.CallLimits;
import dev.kip.cloud.CallLimits.Bucket;
import dev.kip.cloud.CallLimits.Cost;
import java.util.Optional;

/**
 * EC2's token buckets of an account in a region, as they are by default. Whether CreateFleet counts against the instances
 * of RunInstances is not documented: it is taken to.
 *
 * @see <a href="https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html">Request throttling for the EC2 API</a>
 */
final class AwsLimits {

    private static final Bucket CHANGES = new Bucket("mutating", 50, 5);
    private static final Bucket LAUNCHED = new Bucket("RunInstances resources", 1000, 2);

    static final CallLimits TABLE = new CallLimits(ImmutableMap.<CallKind, Cost>builder()
            .put(
                    CallKind.END,
                    counting(
                            new Bucket("TerminateInstances", 100, 5),
                            new Bucket("TerminateInstances resources", 1000, 20)))
            .put(CallKind.STOP, counting(CHANGES, new Bucket("StopInstances resources", 1000, 20)))
            .put(CallKind.TAG, plain(new Bucket("CreateTags", 100, 10)))
            .put(CallKind.CHANGE, plain(CHANGES))
            .put(CallKind.LAUNCH, counting(new Bucket("RunInstances", 5, 2), LAUNCHED))
            .put(CallKind.FLEET, counting(CHANGES, LAUNCHED))
            .put(
                    CallKind.START,
                    counting(new Bucket("StartInstances", 5, 2), new Bucket("StartInstances resources", 1000, 2)))
            .put(CallKind.LOOK, plain(new Bucket("unfiltered", 50, 10)))
            .put(CallKind.LIST, plain(new Bucket("filtered", 100, 20)))
            .buildOrThrow());

    private AwsLimits() {}

    private static Cost plain(Bucket requests) {
        return new Cost(requests, Optional.empty());
    }

    private static Cost counting(Bucket requests, Bucket resources) {
        return new Cost(requests, Optional.of(resources));
    }
}
