package dev.kip.controller.config;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/** Keys of the original that have no meaning any more, and what to do instead. Setting one is an error, never ignored. */
public final class RetiredKeys {

    private static final ImmutableMap<String, String> ADVICE = ImmutableMap.<String, String>builder()
            .put("cloud.gce", "Kip runs cells on AWS only. Write cloud.aws.")
            .put("cloud.azure", "Kip runs cells on AWS only. Write cloud.aws.")
            .put("cloud.aws.ecsClusterName", "It never had an effect. Remove the line.")
            .put("etcd", "Kip keeps no state of its own: everything is in the Kubernetes API. Remove the section.")
            .put("cells.standbyCells", "Warm cells are not kept by this version. Remove the section.")
            .put(
                    "cells.cloudInitFile",
                    "Cells boot an image that is complete. Build your changes into it and choose it with"
                            + " cells.bootImageSpec.")
            .put("cells.itzo", "Cells run a stock kubelet and the agent of this version. Remove the section.")
            .put("itzo", "Cells run a stock kubelet and the agent of this version. Remove the section.")
            .put("cells.statusInterval", "Cells report changes as they happen. Remove the line.")
            .put(
                    "cells.healthcheck",
                    "Cells are watched without pause and their instances looked at when one is silent. How long a cell may"
                            + " take to boot is cells.bootDeadline.")
            .put("cells.cellConfig", "Its keys were for the original's agent. Remove the section.")
            .put(
                    "cells.useCloudParameterStore",
                    "User data holds no key of the controller, so there is nothing to hide. Remove the line.")
            .put("kubelet.cpu", "Write kubelet.capacity.cpu.")
            .put("kubelet.memory", "Write kubelet.capacity.memory.")
            .put("kubelet.pods", "Write kubelet.capacity.pods.")
            .put("testing", "The controller id is in the Installation object. Remove the section.")
            .buildOrThrow();

    private RetiredKeys() {}

    /** By path, in the order of the reference. */
    public static ImmutableMap<String, String> all() {
        return ADVICE;
    }

    static Optional<String> advice(String path) {
        return Optional.ofNullable(ADVICE.get(path));
    }
}
