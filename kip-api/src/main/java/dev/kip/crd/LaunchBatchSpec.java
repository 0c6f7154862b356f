package dev.kip.crd;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.google.common.collect.ImmutableList;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import java.util.Optional;

/** What the launch call says. */
public record LaunchBatchSpec(
        @Required @JsonPropertyDescription("Id of the installation that sends it.")
        String installationID,

        @Required @PrinterColumn(name = "Node") @JsonPropertyDescription("The virtual node.")
        String node,

        @Required
        @Min(0) @PrinterColumn(name = "Epoch")
        @JsonPropertyDescription("Epoch of the controller that sends it.")
        long epoch,

        @Required @JsonPropertyDescription("Random; never used again.")
        String nonce,

        @Required @JsonPropertyDescription("Digest of the launch parameters.")
        String digest,

        @Required @JsonPropertyDescription("Client token of the call.")
        String token,

        @PrinterColumn(name = "Launch Key", priority = 1)
        @JsonPropertyDescription("What all instances of the call have in common.")
        String launchKey,

        @Required @JsonPropertyDescription("The pods, in launch order; places of a warm pool have no namespace.")
        ImmutableList<PlannedPod> pods) {

    /** The warm pool that the call is for; empty if it is for pods. A call is never for both. */
    public Optional<String> warmPool() {
        return pods.stream()
                .findFirst()
                .filter(pod -> pod.namespace().isEmpty())
                .map(PlannedPod::name);
    }

    /** A pod attempt that waits for an instance of this call. */
    public record PlannedPod(
            @Required @JsonPropertyDescription("Namespace of the pod.")
            String namespace,

            @Required @JsonPropertyDescription("Name of the pod.")
            String name,

            @Required @JsonPropertyDescription("Uid of the pod.")
            String uid,

            @Required @Min(0) @JsonPropertyDescription("Number of the cell tried for it, from 0.")
            int attempt) {}
}
