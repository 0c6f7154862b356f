package dev.kip.sim.apiserver.schema;

import com.google.common.collect.ImmutableMap;
import dev.kip.quantity.Quantities;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * What a field of a built-in kind may hold. Fitting a value does what decoding into the server's Go type and encoding it
 * again does: unknown fields and nulls go, quantities and times get their canonical form, a wrong type is an error.
 */
abstract class Field {

    private static final DateTimeFormatter MICRO = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    static final Field ANY = new Field() {
        @Override
        JsonNode fit(JsonNode value, Path path, String owner, Findings findings) {
            return value;
        }
    };

    static final Field STRING = scalar("string", JsonNode::isString);
    static final Field BOOLEAN = scalar("bool", JsonNode::isBoolean);
    static final Field NUMBER = scalar("float64", JsonNode::isNumber);
    static final Field INT32 = integer("int32", JsonNode::canConvertToInt);
    static final Field INT64 = integer("int64", JsonNode::canConvertToLong);
    static final Field INT_OR_STRING = scalar(
            "intstr.IntOrString", value -> value.isString() || (value.isIntegralNumber() && value.canConvertToInt()));

    static final Field QUANTITY = new Field() {
        @Override
        JsonNode fit(JsonNode value, Path path, String owner, Findings findings) {
            String text = value.isValueNode() ? value.asString("") : "";
            try {
                return StringNode.valueOf(Quantities.canonical(text.strip()));
            } catch (IllegalArgumentException noQuantity) {
                throw new Mismatch("quantities must match the regular expression"
                        + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
            }
        }
    };

    static final Field TIME = new Field() {
        @Override
        JsonNode fit(JsonNode value, Path path, String owner, Findings findings) {
            return StringNode.valueOf(
                    instant(value, path, owner).truncatedTo(ChronoUnit.SECONDS).toString());
        }
    };

    static final Field MICRO_TIME = new Field() {
        @Override
        JsonNode fit(JsonNode value, Path path, String owner, Findings findings) {
            Instant instant = instant(value, path, owner);
            // Go reads this type by a layout with exactly six digits, unlike its other times.
            if (!value.stringValue().matches(".*T[0-9:]{8}\\.[0-9]{6}(Z|[+-].*)")) {
                throw new Mismatch("parsing time \"" + value.stringValue()
                        + "\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse \""
                        + value.stringValue().replaceFirst(".*T[0-9:]{8}", "") + "\" as \".000000\"");
            }
            return StringNode.valueOf(MICRO.format(instant));
        }
    };

    /**
     * @param path of the field as the client wrote it, for what strict validation reports
     * @param owner the Go type that has the field, for a decoding error
     * @throws Mismatch if the value does not fit
     */
    abstract JsonNode fit(JsonNode value, Path path, String owner, Findings findings);

    /** Whether an empty value is left out when the object is encoded. */
    boolean omitsEmpty() {
        return false;
    }

    private static Instant instant(JsonNode value, Path path, String owner) {
        if (!value.isString()) {
            throw wrongType(value, path, owner, "v1.Time");
        }
        try {
            return OffsetDateTime.parse(value.stringValue()).toInstant();
        } catch (DateTimeException unreadable) {
            throw new Mismatch("parsing time \"" + value.stringValue()
                    + "\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"" + value.stringValue() + "\" as \"2006\"");
        }
    }

    private static Field scalar(String goType, Predicate<JsonNode> fits) {
        return new Field() {
            @Override
            JsonNode fit(JsonNode value, Path path, String owner, Findings findings) {
                if (!fits.test(value)) {
                    throw wrongType(value, path, owner, goType);
                }
                return value;
            }
        };
    }

    /** Whole numbers are kept in one Java type each, so that trees built here and trees read compare equal. */
    private static Field integer(String goType, Predicate<JsonNode> inRange) {
        return new Field() {
            @Override
            JsonNode fit(JsonNode value, Path path, String owner, Findings findings) {
                if (!value.isIntegralNumber() || !inRange.test(value)) {
                    throw wrongType(value, path, owner, goType);
                }
                return value.isInt() || !value.canConvertToInt() ? value : IntNode.valueOf(value.intValue());
            }
        };
    }

    static Mismatch wrongType(JsonNode value, Path path, String owner, String goType) {
        return new Mismatch("json: cannot unmarshal " + jsonType(value, goType) + " into Go struct field " + owner + "."
                + path.fieldsOnly() + " of type " + goType);
    }

    private static String jsonType(JsonNode value, String goType) {
        if (value.isContainer()) {
            return value.isObject() ? "object" : "array";
        }
        if (value.isNumber()) {
            return goType.startsWith("int") ? "number " + value.asString() : "number";
        }
        return value.isString() ? "string" : "bool";
    }

    /** A list of elements that are all alike. */
    static final class ListOf extends Field {

        private final Field element;

        ListOf(Field element) {
            this.element = element;
        }

        Field element() {
            return element;
        }

        @Override
        JsonNode fit(JsonNode value, Path path, String owner, Findings findings) {
            if (!value.isArray()) {
                throw wrongType(value, path, owner, "[]" + element.getClass().getSimpleName());
            }
            ArrayNode fitted = JsonNodeFactory.instance.arrayNode();
            int index = 0;
            for (JsonNode item : value) {
                fitted.add(item.isNull() ? item : element.fit(item, path.item(index), owner, findings));
                index++;
            }
            return fitted;
        }

        @Override
        boolean omitsEmpty() {
            return true;
        }
    }

    /** Free keys, values that are all alike. */
    static final class MapOf extends Field {

        private final Field element;

        MapOf(Field element) {
            this.element = element;
        }

        Field element() {
            return element;
        }

        @Override
        JsonNode fit(JsonNode value, Path path, String owner, Findings findings) {
            if (!value.isObject()) {
                throw wrongType(value, path, owner, "map[string]string");
            }
            ObjectNode fitted = JsonNodeFactory.instance.objectNode();
            value.forEachEntry((key, inner) -> {
                if (!inner.isNull()) {
                    fitted.set(key, element.fit(inner, path.child(key), owner, findings));
                } else if (element == STRING) {
                    fitted.put(key, "");
                }
            });
            return fitted;
        }

        @Override
        boolean omitsEmpty() {
            return true;
        }
    }

    /** Named fields. */
    static final class ObjectOf extends Field {

        private final String goName;
        private final Class<?> model;

        ObjectOf(Class<?> model) {
            this.goName = model.getSimpleName();
            this.model = model;
        }

        String goName() {
            return goName;
        }

        ImmutableMap<String, Field> fields() {
            return ModelFields.of(model);
        }

        @Override
        JsonNode fit(JsonNode value, Path path, String owner, Findings findings) {
            if (!value.isObject()) {
                throw wrongType(value, path, owner, "v1." + goName);
            }
            ImmutableMap<String, Field> fields = fields();
            ObjectNode fitted = JsonNodeFactory.instance.objectNode();
            value.forEachEntry((name, inner) -> {
                Field field = fields.get(name);
                if (field == null) {
                    findings.unknownField(path.child(name).toString());
                } else if (!inner.isNull()) {
                    JsonNode fit = field.fit(inner, path.child(name), goName, findings);
                    if (!fit.isContainer() || !fit.isEmpty() || !field.omitsEmpty()) {
                        fitted.set(name, fit);
                    }
                }
            });
            return fitted;
        }
    }
}
