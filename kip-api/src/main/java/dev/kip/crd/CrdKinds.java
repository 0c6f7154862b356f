package dev.kip.crd;

import dev.kip.kube.ResourceKind;

/** Our kinds as {@link dev.kip.kube.KubeApi} takes them. */
public final class CrdKinds {

    public static final String GROUP = "kip.elotl.co";
    public static final String VERSION = "v1";

    public static final ResourceKind<Cell> CELLS = kind("Cell", "cells", Cell.class);
    public static final ResourceKind<Installation> INSTALLATIONS =
            kind("Installation", "installations", Installation.class);
    public static final ResourceKind<LaunchBatch> LAUNCH_BATCHES =
            kind("LaunchBatch", "launchbatches", LaunchBatch.class);

    private CrdKinds() {}

    private static <T extends Record> ResourceKind<T> kind(String kind, String plural, Class<T> type) {
        return new ResourceKind<>(
                GROUP, VERSION, kind, plural, false, new RecordCodec<>(GROUP + "/" + VERSION, kind, type));
    }
}
