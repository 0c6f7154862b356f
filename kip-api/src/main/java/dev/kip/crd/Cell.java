package dev.kip.crd;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;

/**
 * The binding of one pod attempt to one instance. Named from the pod's uid and the attempt, so that the API server's name
 * uniqueness makes it at most once. Cluster-scoped. Everything is in {@code status}, as in the original, so that one POST
 * writes it; columns read it from there.
 *
 * @param metadata name, uid and version as the API server has them
 */
@JsonClassDescription(
        "The binding of one attempt to run a pod to one instance. Written by Kip; read it, do not edit it.")
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(name = "Controller ID", jsonPath = ".status.controllerID", priority = 1)
public record Cell(
        ObjectMetadata metadata,

        @PreserveUnknownFields @JsonPropertyDescription("What runs where.")
        CellStatus status) {

    public static String nameOf(String podUid, int attempt) {
        return podUid + "-" + attempt;
    }
}
