package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.disk.Fate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The machines of a control plane that hosts itself, as far as words can do something to them or see something of them.
 * A node is named exactly.
 */
public interface Nodes {

    /** In their order. */
    ImmutableList<String> names();

    /**
     * The power fails.
     *
     * @param unsynced what becomes of that which the disk had not written
     */
    void powerOff(String node, Fate unsynced);

    /** Nothing, if it is on. */
    void powerOn(String node);

    /** Runs it when the time has passed. */
    void after(Duration time, Runnable task);

    /** Kubelet is killed and started again; containers go on. */
    void restartKubelet(String node);

    /** Whether the container runtime answers; what runs goes on. */
    void runtimeAnswers(String node, boolean answers);

    /** The programs of the pods of this name end by themselves, and not well. */
    void crash(String node, String podGlob);

    /** A new version of the checkpointer takes the place of its pod on the node. */
    void rollCheckpointer(String node);

    /** Whether an API server runs on a machine elsewhere, which everybody then asks. */
    void apiServerElsewhere(boolean runs);

    /** From now on the wall clock shows this instant and goes on from there; the right time if empty. */
    void clock(String node, Optional<Instant> shows);

    /** From now on nobody takes the certificate, until it is renewed. */
    void certificate(Holder of, String node, boolean good);

    /** Somebody removes manifests from kubelet's directory. */
    void removeManifests(String node, String fileGlob);

    /** Somebody removes all that the checkpointer stored; kubelet's manifests stay. */
    void removeCheckpoints(String node);

    void disk(String node, DiskState state);

    /** Whether an API server runs on the node. */
    boolean serves(String node);

    /** The names of the pods all of whose containers run, as the container runtime has them. */
    ImmutableList<String> running(String node);

    /** What every kubelet of this machine logged. */
    ImmutableList<String> log(String node);

    /** What {@code kip-checkpointer status} says there, by pod: empty if it would come back, else why not. */
    ImmutableMap<String, String> checkpoints(String node);

    /** What {@code kip-checkpointer status} says there beside that. */
    ImmutableList<String> remarks(String node);

    /** Whose certificate. */
    enum Holder {
        KUBELET("kubelet"),
        CHECKPOINTER("checkpointer"),
        API_SERVER("apiServer");

        private final String word;

        Holder(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    /** How a disk does. */
    enum DiskState {
        WELL("well"),
        FULL("full"),
        READ_ONLY("read-only");

        private final String word;

        DiskState(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }
}
