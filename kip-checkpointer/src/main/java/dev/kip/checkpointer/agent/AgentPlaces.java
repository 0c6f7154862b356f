package dev.kip.checkpointer.agent;

import java.nio.file.Path;

/**
 * Where an agent keeps what.
 *
 * @param state on the disk that survives: what must never be forgotten, of root alone
 * @param run in memory: the pod's files, its manifest, the sign that kubelet may start
 */
public record AgentPlaces(Path state, Path run) {

    /** As on a cell. */
    public static final AgentPlaces USUAL = new AgentPlaces(Path.of("/var/lib/kip"), Path.of("/run/kip"));

    /** Kubelet's staticPodPath. In memory, so that a machine that boots has no pod before the agent has laid out its files. */
    public Path manifests() {
        return run.resolve("manifests");
    }

    Path bundle() {
        return run.resolve("bundle");
    }

    /** Exists once kubelet may start: what must lie in its directory is there. */
    public Path ready() {
        return run.resolve("ready");
    }

    /** Kubelet's serving certificate, its key, and the certificates that it obeys. */
    public Path kubeletKeys() {
        return state.resolve("kubelet");
    }
}
