package dev.kip.crd;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.generator.annotation.Min;

/**
 * The columns of the original, and what binds the pod attempt to the instance. A field that an object lacks reads as empty
 * or 0: Cells of the original have the first eight only.
 */
public record CellStatus(
        @PrinterColumn(name = "Pod Name") @JsonPropertyDescription("Name of the pod.")
        String podName,

        @PrinterColumn(name = "Pod Namespace") @JsonPropertyDescription("Namespace of the pod.")
        String podNamespace,

        @PrinterColumn(name = "Node") @JsonPropertyDescription("The virtual node that the pod is bound to.")
        String node,

        @JsonPropertyDescription("Id of the installation that owns the instance.")
        String controllerID,

        @PrinterColumn(name = "Launch Type") @JsonPropertyDescription("On-Demand or Spot.")
        String launchType,

        @PrinterColumn(name = "Instance Type") @JsonPropertyDescription("Type of the instance.")
        String instanceType,

        @PrinterColumn(name = "Instance ID") @JsonPropertyDescription("Id of the instance.")
        String instanceID,

        @PrinterColumn(name = "IP") @JsonPropertyDescription("Private address of the instance.")
        String ip,

        @JsonPropertyDescription("Uid of the pod.") String podUID,

        @Min(0) @JsonPropertyDescription("Number of the cell tried for the pod, from 0.")
        int attempt,

        @Min(0) @JsonPropertyDescription("Epoch of the controller that bound it.")
        long epoch,

        @JsonPropertyDescription("Name of the LaunchBatch that the instance came from.")
        String batch,

        @JsonPropertyDescription("Client token of the instance.")
        String clientToken) {}
