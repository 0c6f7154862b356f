package dev.kip.crd;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.google.common.base.Splitter;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.Required;

/** The cluster record: who this installation is and which incarnation may mutate. Cluster-scoped. */
@JsonClassDescription(
        "Who this installation of Kip is, and which incarnation of its controller may act. Do not delete it.")
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public record Installation(
        ObjectMetadata metadata,

        @Required @JsonPropertyDescription("The record.") InstallationSpec spec,

        @JsonPropertyDescription("How it is, for people.") InstallationStatus status) {

    /** Keeps the object until everything that the installation has in the cloud is gone. */
    public static final String FINALIZER = "kip.elotl.co/installation";

    /** Annotation: names of virtual nodes, separated by commas, that are to be taken down while others live. */
    public static final String DRAIN_NODES = "kip.elotl.co/drain-nodes";

    /** Whether this virtual node is to be taken down, by itself or with all of them. */
    public boolean drains(String node) {
        String nodes = metadata.annotations().getOrDefault(DRAIN_NODES, "");
        return spec.draining()
                || Splitter.on(',').trimResults().splitToStream(nodes).anyMatch(node::equals);
    }
}
