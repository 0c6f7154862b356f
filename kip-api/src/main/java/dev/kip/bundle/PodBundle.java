package dev.kip.bundle;

import com.google.common.collect.ImmutableList;

/**
 * A pod with everything it refers to, so that a kubelet can run it with no API server.
 *
 * @param generation grows when the pod's labels, annotations or the data it refers to change
 * @param manifest the static pod as JSON, with the API server's uid
 * @param files contents of its secrets, config maps, tokens and pull secrets
 * @param origin what it was made of, in words of the controller's own: the cell keeps it and says it again, so that a
 *     controller that is started anew knows what the cell has
 */
public record PodBundle(long generation, String manifest, ImmutableList<BundleFile> files, String origin) {

    /** Of an origin that nobody asks for. */
    public PodBundle(long generation, String manifest, ImmutableList<BundleFile> files) {
        this(generation, manifest, files, "");
    }

    public PodBundle withOrigin(String next) {
        return new PodBundle(generation, manifest, files, next);
    }

    /** Where a cell keeps the files; memory, readable by root alone. The manifest's hostPath volumes point there. */
    public static final String DIRECTORY = "/run/kip/bundle";

    /**
     * The file with the credentials by which the pod's images are pulled, as docker's {@code config.json}. The kubelet of a
     * cell reads it: its root directory has a link to it.
     */
    public static final String REGISTRIES = "registries/config.json";

    /**
     * A file of a volume, or {@link #REGISTRIES}.
     *
     * @param path relative to the bundle's directory
     * @param contentBase64 base64 of the content
     * @param mode for example 0644, octal
     */
    public record BundleFile(String path, String contentBase64, int mode) {}
}
