package dev.kip.checkpointer.generation;

import java.nio.file.Path;

/**
 * Where what is.
 *
 * @param state our own directory, of root alone; on the disk, not in memory
 * @param manifests where kubelet looks for static pods
 */
public record Layout(Path state, Path manifests) {

    static final String GENERATION_FILE = "generation";
    static final String PROVEN_FILE = "proven";
    static final String VOLUMES = "volumes";
    static final String MAKING = ".making-";

    Path pods() {
        return state.resolve("pods");
    }

    Path trash() {
        return state.resolve("trash");
    }

    Path pod(PodKey key) {
        return pods().resolve(key.segment());
    }

    Path generation(PodKey key, String id) {
        return pod(key).resolve(id);
    }

    /** Where the volumes of a generation will be, for its manifest. */
    public Path volumes(PodKey key, String id) {
        return generation(key, id).resolve(VOLUMES);
    }

    public Path tokens(PodKey key) {
        return pod(key).resolve("tokens");
    }

    /** What the running checkpointer has to say. */
    public Path report() {
        return state.resolve("report");
    }

    /** Under which uid the API server knows the node. */
    public Path node() {
        return state.resolve("node");
    }

    /** The manifest that kubelet runs. The prefix tells our files from those of others. */
    Path active(PodKey key) {
        return manifests.resolve(ACTIVE_PREFIX + key.segment() + ".json");
    }

    static final String ACTIVE_PREFIX = "kip-checkpoint_";
}
