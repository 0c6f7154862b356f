package dev.kip.crd;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.Required;

/** The write-ahead record of one launch call. Written before the call; deleted when every pod in it is bound or voided. Cluster-scoped. */
@JsonClassDescription(
        "The write-ahead record of one launch call. Written before the call, gone when every pod in it is bound or given up.")
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public record LaunchBatch(
        ObjectMetadata metadata,
        @Required @JsonPropertyDescription("The call.") LaunchBatchSpec spec) {}
