package dev.kip.sim.apiserver.table;

import com.google.common.collect.ImmutableList;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** How one kind is printed: its columns and what stands in them. */
final class Printer {

    /**
     * @param type of the cells as declared, which for some built-in columns is not the type of the values
     * @param format {@code name} for the column that names the object
     */
    record Column(String name, String type, String format, String description, int priority) {}

    private final ImmutableList<Column> columns;
    private final ImmutableList<BiFunction<JsonNode, Instant, Object>> values;

    private Printer(Builder builder) {
        columns = builder.columns.build();
        values = builder.values.build();
    }

    ImmutableList<Column> columns() {
        return columns;
    }

    /** A string, a number, a boolean or a {@link JsonNode} for each column. */
    List<Object> cells(ObjectNode item, Instant now) {
        List<Object> cells = new ArrayList<>();
        values.forEach(value -> cells.add(value.apply(item, now)));
        return cells;
    }

    /** Begins with the Name column. */
    static Builder named() {
        return new Builder().name();
    }

    /** Begins without columns. */
    static Builder empty() {
        return new Builder();
    }

    /** Collects columns from left to right. */
    static final class Builder {

        private static final String NAME = "Name must be unique within a namespace.";

        private final ImmutableList.Builder<Column> columns = ImmutableList.builder();
        private final ImmutableList.Builder<BiFunction<JsonNode, Instant, Object>> values = ImmutableList.builder();

        private Builder() {}

        Builder name() {
            return add(
                    new Column("Name", "string", "name", NAME, 0), (item, now) -> Cells.text(item, "/metadata/name"));
        }

        Builder text(String name, String pointer) {
            return value(name, "string", item -> Cells.text(item, pointer));
        }

        Builder number(String name, String pointer) {
            return value(name, "integer", item -> item.at(pointer).asLong(0));
        }

        Builder value(String name, Function<JsonNode, Object> value) {
            return value(name, "string", value);
        }

        Builder value(String name, String type, Function<JsonNode, Object> value) {
            return add(new Column(name, type, "", name, 0), (item, now) -> value.apply(item));
        }

        Builder wide(String name, Function<JsonNode, Object> value) {
            return add(new Column(name, "string", "", name, 1), (item, now) -> value.apply(item));
        }

        Builder timed(String name, BiFunction<JsonNode, Instant, Object> value) {
            return add(new Column(name, "string", "", name, 0), value);
        }

        Builder age() {
            return timed("Age", (item, now) -> Cells.age(item, now));
        }

        /** The columns that all kinds with a pod template end with. */
        Builder template(String containers) {
            wide("Containers", item -> Cells.joined(item.at(containers), "name"));
            return wide("Images", item -> Cells.joined(item.at(containers), "image"));
        }

        Builder selector(String pointer) {
            return wide("Selector", item -> Cells.selector(item.at(pointer)));
        }

        Builder add(Column column, BiFunction<JsonNode, Instant, Object> value) {
            columns.add(column);
            values.add(value);
            return this;
        }

        Printer build() {
            return new Printer(this);
        }
    }
}
