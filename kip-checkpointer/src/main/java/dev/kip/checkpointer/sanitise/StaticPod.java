package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is written to disk.
 *
 * @param manifest the static pod; its hostPath volumes point to {@link Sanitiser.Site#volumes}
 * @param volumes one for each directory that the manifest points to, also the empty ones
 */
public record StaticPod(ObjectNode manifest, ImmutableList<Volume> volumes) {

    /**
     * A directory that stands for a secret, a config map or a projected volume.
     *
     * @param name a path segment
     */
    public record Volume(String name, ImmutableList<File> files) {}

    /**
     * A file of a volume.
     *
     * @param path relative to the volume, without {@code ..}
     * @param contentBase64 base64 of the content
     * @param mode for example 0400, octal
     */
    public record File(String path, String contentBase64, int mode, int uid, int gid) {

        /** Without the content: it may be secret. */
        @Override
        public String toString() {
            return "File[" + path + ", " + Integer.toOctalString(mode) + ", " + uid + ":" + gid + "]";
        }
    }
}
