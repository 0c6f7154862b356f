package dev.kip.crd;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;

/** What the cluster record says. */
public record InstallationSpec(
        @Required
        @PrinterColumn(name = "Installation ID")
        @JsonPropertyDescription("128 random bits, minted once: 26 characters of lower-case base32.")
        String installationID,

        @Required
        @Min(0) @PrinterColumn(name = "Epoch")
        @JsonPropertyDescription("Number of the incarnation that may mutate; raised before any mutation.")
        long epoch,

        @Required @JsonPropertyDescription("Uid of the namespace kube-system: the cluster's identity.")
        String clusterUID,

        @PrinterColumn(name = "Region") @JsonPropertyDescription("Region that the instances are in.")
        String region,

        @PrinterColumn(name = "VPC", priority = 1) @JsonPropertyDescription("VPC that the instances are in.")
        String vpc,

        @PrinterColumn(name = "Holder") @JsonPropertyDescription("Who raised the epoch last, for people.")
        String holder) {}
