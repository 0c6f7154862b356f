package dev.kip.controller.launch;

import dev.kip.cloud.CloudApi.Offering;

/**
 * What of an instance's memory a pod can have. EC2 advertises what the machine has; the hypervisor, the kernel and its
 * page tables take a share that grows with it, and the kernel itself, containerd, kubelet and the agent a fixed part.
 * Set so that it promises no more than the figures that users measured: i4i.32xlarge has 1,007,423 MiB of 1,048,576
 * (aws/karpenter-provider-aws#6611).
 */
final class CellMemory {

    private static final long FIXED_MIB = 192;
    private static final long SHARE = 425;
    private static final long OF = 10_000;

    private CellMemory() {}

    /** In MiB: all but 192 MiB and 4.25 %, rounded up. */
    static long usableMib(Offering offering) {
        long share = (offering.memoryMib() * SHARE + OF - 1) / OF;
        return Math.max(0, offering.memoryMib() - FIXED_MIB - share);
    }
}
