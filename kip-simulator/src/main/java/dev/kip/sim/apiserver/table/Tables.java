package dev.kip.sim.apiserver.table;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.apiserver.ResourceType;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Answers in the form {@code as=Table;v=v1;g=meta.k8s.io}. Columns and cells are those of the real server. */
public final class Tables {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private static final ImmutableMap<String, Printer> BUILT_IN = ImmutableMap.<String, Printer>builder()
            .putAll(CorePrinters.printers())
            .putAll(WorkloadPrinters.printers())
            .putAll(OtherPrinters.printers())
            .buildOrThrow();

    private static final Printer SCALE = OtherPrinters.scale();

    private Tables() {}

    /**
     * The table of {@code items}, one row each. Its {@code metadata} is empty: the caller puts the list's there (or, for
     * a single object, its resourceVersion). In a watch only the first frame of a stream keeps its
     * {@code columnDefinitions}, in later ones they are null.
     *
     * @param columns what the CRD version declares; not looked at for built-in types, and none means Name and Age
     * @param fullObject whether rows carry whole objects ({@code includeObject=Object}) rather than their metadata
     * @param now for ages
     */
    public static ObjectNode render(
            ResourceType type, List<PrinterColumn> columns, List<ObjectNode> items, boolean fullObject, Instant now) {
        Printer printer = printer(type, columns, items);
        ObjectNode table = JSON.objectNode().put("kind", "Table").put("apiVersion", "meta.k8s.io/v1");
        table.putObject("metadata");
        ArrayNode definitions = table.putArray("columnDefinitions");
        printer.columns()
                .forEach(column -> definitions
                        .addObject()
                        .put("name", column.name())
                        .put("type", column.type())
                        .put("format", column.format())
                        .put("description", column.description())
                        .put("priority", column.priority()));
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode item : items) {
            ObjectNode row = rows.addObject();
            ArrayNode cells = row.putArray("cells");
            printer.cells(item, now).forEach(cell -> cells.add(node(cell)));
            addConditions(type, item, row);
            row.set("object", fullObject ? item : metadata(item));
        }
        return table;
    }

    private static Printer printer(ResourceType type, List<PrinterColumn> columns, List<ObjectNode> items) {
        if (!items.isEmpty() && items.get(0).path("kind").asString("").equals("Scale")) {
            return SCALE;
        }
        Printer printer = BUILT_IN.get(type.group() + "/" + type.plural());
        return printer != null ? printer : CustomPrinter.of(columns);
    }

    /** By them kubectl hides or greys out pods that have ended. */
    private static void addConditions(ResourceType type, ObjectNode item, ObjectNode row) {
        if (!type.group().isEmpty() || !type.plural().equals("pods")) {
            return;
        }
        String phase = item.at("/status/phase").asString("");
        boolean succeeded = phase.equals("Succeeded");
        if (succeeded || phase.equals("Failed")) {
            row.putArray("conditions")
                    .addObject()
                    .put("type", "Completed")
                    .put("status", "True")
                    .put("reason", phase)
                    .put("message", succeeded ? "The pod has completed successfully." : "The pod failed.");
        }
    }

    private static ObjectNode metadata(ObjectNode item) {
        ObjectNode partial =
                JSON.objectNode().put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
        partial.set("metadata", item.path("metadata"));
        return partial;
    }

    private static JsonNode node(Object cell) {
        if (cell instanceof JsonNode node) {
            return node;
        } else if (cell instanceof Boolean flag) {
            return JSON.booleanNode(flag);
        } else if (cell instanceof Number number) {
            return JSON.numberNode(number.longValue());
        }
        return JSON.stringNode(cell.toString());
    }
}
