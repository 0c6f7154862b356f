package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.function.Consumer;

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
        return with(next -> next.throttling = on);
    }

    public Ec2Settings withTimes(Duration lag, Duration start, Duration end) {
        return with(next -> {
            next.describeLag = lag;
            next.startsWithin = start;
            next.endsWithin = end;
        });
    }

    public Ec2Settings withInterfaceLingers(Duration most) {
        return with(next -> next.interfaceLingers = most);
    }

    public Ec2Settings withVcpuLimit(int limit) {
        return with(next -> next.vcpuLimit = limit);
    }

    public Ec2Settings withMostVcpus(int most) {
        return with(next -> next.mostVcpus = most);
    }

    public Ec2Settings withEndedTokenFails(boolean fails) {
        return with(next -> next.endedTokenFails = fails);
    }

    public Ec2Settings withImages(ImmutableList<SimImage> more) {
        return with(next -> next.images = more);
    }

    private Ec2Settings with(Consumer<Draft> change) {
        Draft next = new Draft(this);
        change.accept(next);
        return next.settings();
    }

    /** What of the settings can be chosen. */
    private static final class Draft {

        private final Ec2Settings from;
        private boolean throttling;
        private Duration describeLag;
        private Duration startsWithin;
        private Duration endsWithin;
        private Duration interfaceLingers;
        private boolean endedTokenFails;
        private int vcpuLimit;
        private int mostVcpus;
        private ImmutableList<SimImage> images;

        Draft(Ec2Settings from) {
            this.from = from;
            this.throttling = from.throttling;
            this.describeLag = from.describeLag;
            this.startsWithin = from.startsWithin;
            this.endsWithin = from.endsWithin;
            this.interfaceLingers = from.interfaceLingers;
            this.endedTokenFails = from.endedTokenFails;
            this.vcpuLimit = from.vcpuLimit;
            this.mostVcpus = from.mostVcpus;
            this.images = from.images;
        }

        Ec2Settings settings() {
            return new Ec2Settings(
                    from.region,
                    from.accountId,
                    throttling,
                    describeLag,
                    startsWithin,
                    endsWithin,
                    interfaceLingers,
                    from.rememberedFor,
                    from.tagsLostAfter,
                    endedTokenFails,
                    vcpuLimit,
                    mostVcpus,
                    images);
        }
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
