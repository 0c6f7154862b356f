package dev.kip.controller.launch;

import dev.kip.cloud.CloudApi.Market;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a pod asks of its instance, read from its resources, annotations, node selector and node affinity.
 *
 * @param anyResources whether it asks for cpu, memory or GPUs at all; if not it gets the default instance type
 * @param memoryBytes with nothing added for the cell itself
 * @param gpuKind as the pod names it, such as {@code nvidia-tesla-v100}
 * @param instanceType a type, or a glob with {@code *}
 * @param market that an annotation names; if empty, the selection decides, and on demand if it says nothing
 * @param volumeGib rounded up; the default's if empty
 * @param privateIpOnly the configuration decides if empty
 * @param problem why the pod cannot be launched as it is; then nothing else counts
 */
public record PodNeeds(
        boolean anyResources,
        long milliCpus,
        long memoryBytes,
        int gpus,
        Optional<String> gpuKind,
        Optional<String> instanceType,
        Optional<Market> market,
        OptionalInt volumeGib,
        Optional<Boolean> privateIpOnly,
        Selection selection,
        Spread spread,
        Optional<Problem> problem) {

    /** The same, but it cannot be launched. */
    public PodNeeds refused(Problem why) {
        return new PodNeeds(
                anyResources,
                milliCpus,
                memoryBytes,
                gpus,
                gpuKind,
                instanceType,
                market,
                volumeGib,
                privateIpOnly,
                selection,
                spread,
                Optional.of(why));
    }
}
