package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import java.time.Duration;

/**
 * How this EC2 behaves where EC2 leaves room.
 *
 * @param throttling whether the token buckets of requests and instances count
 * @param describeLag an instance may stay unseen by Describe for up to this long after its launch; drawn for each
 * @param startsWithin from pending to running, at most; drawn for each, at least a quarter of it
 * @param endsWithin from shutting-down to terminated, at most; drawn for each, at least a quarter of it
 * @param interfaceLingers a network interface outlives its instance, at most by this; drawn for each, at least a quarter
 *     of it; as long, its security groups cannot be deleted
 * @param rememberedFor a terminated instance is described for this long
 * @param tagsLostAfter a terminated instance has its tags for this long
 * @param endedTokenFails a launch token whose instances have all ended fails ({@code IdempotentInstanceTerminated}, EC2
 *     since 2025) or answers with them (before)
 * @param vcpuLimit on-demand and spot each, for each class of instance families
 * @param mostVcpus instance types with more are not offered
 * @param images beside Amazon Linux and the cell images
 */
public record Ec2Settings(
        String region,
        String accountId,
        boolean throttling,
        Duration describeLag,
        Duration startsWithin,
        Duration endsWithin,
        Duration interfaceLingers,
        Duration rememberedFor,
        Duration tagsLostAfter,
        boolean endedTokenFails,
        int vcpuLimit,
        int mostVcpus,
        ImmutableList<SimImage> images) {

    private static final int AMPLE = 1_000_000;

    /** As EC2 is on an ordinary day: throttled, slow to start, slow to show. */
    public static Ec2Settings realistic() {
        return new Ec2Settings(
                "us-east-1",
                "123456789012",
                true,
                Duration.ofSeconds(3),
                Duration.ofSeconds(20),
                Duration.ofSeconds(40),
                Duration.ofSeconds(10),
                Duration.ofHours(1),
                Duration.ofMinutes(10),
                true,
                AMPLE,
                AMPLE,
                ImmutableList.of());
    }

    /** For people who wait: starts and ends within a second or two, shows at once, never throttles. */
    public static Ec2Settings quick() {
        Ec2Settings usual = realistic();
        return usual.withThrottling(false)
                .withTimes(Duration.ZERO, Duration.ofMillis(1500), Duration.ofMillis(1500))
                .withInterfaceLingers(Duration.ofMillis(500));
    }

    public Ec2Settings withThrottling(boolean on) {
        return new Ec2Settings(
                region,
                accountId,
                on,
                describeLag,
                startsWithin,
                endsWithin,
                interfaceLingers,
                rememberedFor,
                tagsLostAfter,
                endedTokenFails,
                vcpuLimit,
                mostVcpus,
                images);
    }

    public Ec2Settings withTimes(Duration lag, Duration start, Duration end) {
        return new Ec2Settings(
                region,
                accountId,
                throttling,
                lag,
                start,
                end,
                interfaceLingers,
                rememberedFor,
                tagsLostAfter,
                endedTokenFails,
                vcpuLimit,
                mostVcpus,
                images);
    }

    public Ec2Settings withInterfaceLingers(Duration most) {
        return new Ec2Settings(
                region,
                accountId,
                throttling,
                describeLag,
                startsWithin,
                endsWithin,
                most,
                rememberedFor,
                tagsLostAfter,
                endedTokenFails,
                vcpuLimit,
                mostVcpus,
                images);
    }

    public Ec2Settings withVcpuLimit(int limit) {
        return new Ec2Settings(
                region,
                accountId,
                throttling,
                describeLag,
                startsWithin,
                endsWithin,
                interfaceLingers,
                rememberedFor,
                tagsLostAfter,
                endedTokenFails,
                limit,
                mostVcpus,
                images);
    }

    public Ec2Settings withMostVcpus(int most) {
        return new Ec2Settings(
                region,
                accountId,
                throttling,
                describeLag,
                startsWithin,
                endsWithin,
                interfaceLingers,
                rememberedFor,
                tagsLostAfter,
                endedTokenFails,
                vcpuLimit,
                most,
                images);
    }

    public Ec2Settings withEndedTokenFails(boolean fails) {
        return new Ec2Settings(
                region,
                accountId,
                throttling,
                describeLag,
                startsWithin,
                endsWithin,
                interfaceLingers,
                rememberedFor,
                tagsLostAfter,
                fails,
                vcpuLimit,
                mostVcpus,
                images);
    }

    public Ec2Settings withImages(ImmutableList<SimImage> more) {
        return new Ec2Settings(
                region,
                accountId,
                throttling,
                describeLag,
                startsWithin,
                endsWithin,
                interfaceLingers,
                rememberedFor,
                tagsLostAfter,
                endedTokenFails,
                vcpuLimit,
                mostVcpus,
                more);
    }

    /**
     * A machine image.
     *
     * @param created as EC2 writes it, for example {@code 2025-05-01T12:00:00.000Z}
     */
    public record SimImage(
            String id,
            String name,
            String architecture,
            String created,
            String ownerId,
            String ownerAlias,
            String rootDevice,
            int rootGib) {}
}
