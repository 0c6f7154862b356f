package dev.kip.sim.apiserver.table;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** A custom resource in the columns that its CRD declares. */
final class CustomPrinter {

    private CustomPrinter() {}

    /** @param columns none means the age alone */
    static Printer of(List<PrinterColumn> columns) {
        Printer.Builder printer = Printer.named();
        List<PrinterColumn> all = columns.isEmpty()
                ? List.of(new PrinterColumn("Age", "date", "", "", 0, ".metadata.creationTimestamp"))
                : columns;
        for (PrinterColumn column : all) {
            JsonPath path = JsonPath.parse(column.jsonPath());
            printer.add(
                    new Printer.Column(
                            column.name(), column.type(), column.format(), column.description(), column.priority()),
                    (item, now) -> cell(column.type(), path.first(item), now));
        }
        return printer.build();
    }

    /** A value that is not of the declared type is not shown. */
    private static JsonNode cell(String type, Optional<JsonNode> found, Instant now) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        if (found.isEmpty()) {
            return json.nullNode();
        }
        JsonNode value = found.get();
        return switch (type) {
            case "integer" -> value.isNumber() ? json.numberNode(value.asLong()) : json.nullNode();
            case "number", "boolean" -> value.isNumber() || value.isBoolean() ? value : json.nullNode();
            case "date" -> json.stringNode(HumanDuration.since(value.asString("<none>"), now));
            default -> json.stringNode(value.isValueNode() ? value.asString("") : value.toString());
        };
    }
}
