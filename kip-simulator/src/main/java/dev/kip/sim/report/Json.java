package dev.kip.sim.report;

import dev.kip.yaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** YAML as JSON: numbers and truth values as such where they are not quoted. */
public final class Json {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private Json() {}

    public static JsonNode of(Yaml yaml) {
        if (yaml instanceof Yaml.Mapping map) {
            ObjectNode node = JSON.objectNode();
            map.entries().forEach((key, value) -> node.set(key, of(value)));
            return node;
        }
        if (yaml instanceof Yaml.Sequence list) {
            ArrayNode node = JSON.arrayNode();
            list.items().forEach(item -> node.add(of(item)));
            return node;
        }
        Yaml.Scalar scalar = (Yaml.Scalar) yaml;
        if (scalar.isNull()) {
            return JSON.nullNode();
        }
        if (scalar.plain() && scalar.text().matches("-?[0-9]{1,15}")) {
            return JSON.numberNode(Long.parseLong(scalar.text()));
        }
        if (scalar.plain() && scalar.text().matches("true|false")) {
            return JSON.booleanNode(Boolean.parseBoolean(scalar.text()));
        }
        return JSON.stringNode(scalar.text());
    }
}
