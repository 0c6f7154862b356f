package dev.kip.checkpointer.cri;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** A container runtime whose containers may also be ended. Each method blocks and sends one request: called inside an offloaded call only. */
public interface PodRuntime extends Cri {

    /** How a container stands, or ended. */
    Standing standing(String container) throws IOException;

    /** TERM, and KILL once the grace is over; returns when it has ended. One that has ended is left as it is. */
    void stopContainer(String container, Duration grace) throws IOException;

    /** Kills what runs in the sandbox and takes its network down. */
    void stopSandbox(String sandbox) throws IOException;

    /**
     * A container as the runtime knows it.
     *
     * @param started the epoch if it never was
     * @param finished the epoch while it runs
     * @param reason as kubelet shows it: {@code Completed}, {@code Error}, {@code OOMKilled}
     */
    record Standing(
            String id,
            boolean exited,
            int exitCode,
            Instant started,
            Instant finished,
            String reason,
            String message) {}
}
