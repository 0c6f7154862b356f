package dev.kip.sim.apiserver.table;

import com.google.common.collect.ImmutableList;
import tools.jackson.databind.JsonNode;

/**
 * A column that a CRD version declares in {@code additionalPrinterColumns}.
 *
 * @param type {@code string}, {@code integer}, {@code number}, {@code boolean} or {@code date}
 * @param priority 0 to be printed always, more for {@code -o wide} only
 */
public record PrinterColumn(
        String name, String type, String format, String description, int priority, String jsonPath) {

    /** @param version an element of a CRD's {@code spec.versions} */
    public static ImmutableList<PrinterColumn> ofVersion(JsonNode version) {
        ImmutableList.Builder<PrinterColumn> columns = ImmutableList.builder();
        for (JsonNode column : version.path("additionalPrinterColumns")) {
            columns.add(new PrinterColumn(
                    column.path("name").asString(""),
                    column.path("type").asString("string"),
                    column.path("format").asString(""),
                    column.path("description").asString(""),
                    column.path("priority").asInt(0),
                    column.path("jsonPath").asString("")));
        }
        return columns.build();
    }
}
