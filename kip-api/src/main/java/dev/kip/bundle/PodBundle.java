package dev.kip.bundle;

import com.google.common.collect.ImmutableList;

/**
 * A pod with everything it refers to, so that a kubelet can run it with no API server.
 *
 * @param generation grows when the pod's labels, annotations or the data it refers to change
 * @param manifest the static pod as JSON, with the API server's uid
 * @param files contents of its secrets, config maps and tokens
 */
public record PodBundle(long generation, String manifest, ImmutableList<BundleFile> files) {

    /** Where a cell keeps the files; memory, readable by root alone. The manifest's hostPath volumes point there. */
    public static final String DIRECTORY = "/run/kip/bundle";

    /**
     * A file of a volume.
     *
     * @param path relative to the bundle's directory
     * @param contentBase64 base64 of the content
     * @param mode for example 0644, octal
     */
    public record BundleFile(String path, String contentBase64, int mode) {}
}
