package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableSet;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One instance: what it was launched as, and how it is now. */
final class SimInstance {

    private final Launch launch;
    private State state;
    private String transitionReason = "";
    private Optional<Reason> reason = Optional.empty();
    private Optional<Instant> endedAt = Optional.empty();
    private long visibleFrom;
    private boolean booted;
    private boolean interfaceGone;

    SimInstance(Launch launch, State state, long visibleFrom) {
        this.launch = launch;
        this.state = state;
        this.visibleFrom = visibleFrom;
    }

    /** EC2's states and their codes. */
    enum State {
        PENDING(0, "pending"),
        RUNNING(16, "running"),
        SHUTTING_DOWN(32, "shutting-down"),
        TERMINATED(48, "terminated"),
        STOPPING(64, "stopping"),
        STOPPED(80, "stopped");

        private static final ImmutableSet<State> ENDED = ImmutableSet.of(SHUTTING_DOWN, TERMINATED);

        private final int code;
        private final String label;

        State(int code, String label) {
            this.code = code;
            this.label = label;
        }

        int code() {
            return code;
        }

        String label() {
            return label;
        }

        boolean ended() {
            return ENDED.contains(this);
        }
    }

    /** Why an instance left its state, as EC2 says it. Part of a snapshot. */
    record Reason(String code, String message) {
        static final Reason USER =
                new Reason("Client.UserInitiatedShutdown", "Client.UserInitiatedShutdown: User initiated shutdown");
        static final Reason INSTANCE = new Reason(
                "Client.InstanceInitiatedShutdown", "Client.InstanceInitiatedShutdown: Instance initiated shutdown");
        static final Reason SPOT = new Reason(
                "Server.SpotInstanceTermination", "Server.SpotInstanceTermination: Spot instance termination");
    }

    /**
     * What never changes. Part of a snapshot.
     *
     * @param sequence its place among all launches
     * @param userData in base64, as given
     */
    record Launch(
            String id,
            long sequence,
            String reservationId,
            String clientToken,
            int launchIndex,
            String imageId,
            String architecture,
            String rootDevice,
            String type,
            boolean spot,
            String subnetId,
            String zone,
            String privateIp,
            Optional<String> publicIp,
            List<String> groups,
            String userData,
            String shutdownBehavior,
            Optional<String> profile,
            String volumeId,
            int volumeGib,
            String volumeType,
            boolean encrypted,
            String interfaceId,
            String httpTokens,
            int hopLimit,
            Instant launchTime) {}

    /** As it is now. Part of a snapshot. */
    record Saved(
            Launch launch, State state, String transitionReason, Optional<Reason> reason, Optional<Instant> endedAt) {}

    Launch launch() {
        return launch;
    }

    String id() {
        return launch.id;
    }

    State state() {
        return state;
    }

    void become(State next) {
        state = next;
    }

    void end(Reason why, String transition, Instant at) {
        reason = Optional.of(why);
        transitionReason = transition;
        endedAt = Optional.of(at);
    }

    String transitionReason() {
        return transitionReason;
    }

    Optional<Reason> reason() {
        return reason;
    }

    Optional<Instant> endedAt() {
        return endedAt;
    }

    boolean visible(long nanos) {
        return nanos - visibleFrom >= 0;
    }

    boolean booted() {
        return booted;
    }

    void booted(boolean now) {
        booted = now;
    }

    boolean hasVolume() {
        return state != State.TERMINATED;
    }

    boolean hasInterface() {
        return !interfaceGone;
    }

    void loseInterface() {
        interfaceGone = true;
    }

    Saved save() {
        return new Saved(launch, state, transitionReason, reason, endedAt);
    }

    static SimInstance restore(Saved saved, long now) {
        SimInstance instance = new SimInstance(saved.launch, saved.state, now);
        instance.transitionReason = saved.transitionReason;
        instance.reason = saved.reason;
        instance.endedAt = saved.endedAt;
        instance.interfaceGone = saved.state == State.TERMINATED;
        return instance;
    }
}
