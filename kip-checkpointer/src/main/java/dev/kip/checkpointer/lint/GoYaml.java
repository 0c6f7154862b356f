package dev.kip.checkpointer.lint;

import com.google.common.collect.ImmutableSet;
import dev.kip.yaml.Yaml;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * From YAML to JSON as kubelet does it, by YAML 1.1 (sigs.k8s.io/yaml): a bare {@code y} is true, and a key that is bare and no
 * word becomes the text of what it is.
 */
final class GoYaml {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ImmutableSet<String> TRUE =
            ImmutableSet.of("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
    private static final ImmutableSet<String> FALSE =
            ImmutableSet.of("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
    private static final Pattern DECIMAL = Pattern.compile("[-+]?(0|[1-9][0-9_]*)");
    private static final Pattern OCTAL = Pattern.compile("0o?[0-7_]+");
    private static final Pattern HEX = Pattern.compile("0x[0-9a-fA-F_]+");
    private static final Pattern FLOAT = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?");

    private GoYaml() {}

    static JsonNode json(Yaml yaml) {
        if (yaml instanceof Yaml.Mapping mapping) {
            ObjectNode object = NODES.objectNode();
            mapping.entries().forEach((key, value) -> object.set(key, json(value)));
            return object;
        }
        if (yaml instanceof Yaml.Sequence sequence) {
            ArrayNode array = NODES.arrayNode();
            sequence.items().forEach(item -> array.add(json(item)));
            return array;
        }
        Yaml.Scalar scalar = (Yaml.Scalar) yaml;
        return scalar.plain() ? plain(scalar) : NODES.stringNode(scalar.text());
    }

    private static JsonNode plain(Yaml.Scalar scalar) {
        String text = scalar.text();
        if (scalar.isNull() || text.equals("Null") || text.equals("NULL")) {
            return NODES.nullNode();
        }
        if (TRUE.contains(text) || FALSE.contains(text)) {
            return NODES.booleanNode(TRUE.contains(text));
        }
        if (DECIMAL.matcher(text).matches()) {
            return number(new BigInteger(text.replace("_", "").replaceFirst("^\\+", "")));
        }
        if (OCTAL.matcher(text).matches()) {
            return number(new BigInteger(text.replace("_", "").replaceFirst("^0o?", ""), 8));
        }
        if (HEX.matcher(text).matches()) {
            return number(new BigInteger(text.replace("_", "").substring(2), 16));
        }
        return FLOAT.matcher(text).matches() ? NODES.numberNode(new BigDecimal(text)) : NODES.stringNode(text);
    }

    private static JsonNode number(BigInteger value) {
        return value.bitLength() < Long.SIZE ? NODES.numberNode(value.longValue()) : NODES.numberNode(value);
    }
}
