package dev.kip.cell.wire;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads the fields of one JSON object; every error names the field, what was wanted and what was found. */
record Fields(String what, JsonNode json) {

    static final JsonMapper JSON = JsonMapper.builder().build();

    static Fields of(String what, byte[] body) {
        try {
            return of(what, JSON.readTree(body));
        } catch (JacksonException e) {
            throw new IllegalArgumentException(what + ": not JSON: " + e.getOriginalMessage(), e);
        }
    }

    static Fields of(String what, JsonNode json) {
        if (!json.isObject()) {
            throw new IllegalArgumentException(what + ": wanted an object, found " + json.getNodeType());
        }
        return new Fields(what, json);
    }

    String text(String name) {
        JsonNode value = value(name);
        if (!value.isString()) {
            throw wrong(name, "a string", value);
        }
        return value.stringValue();
    }

    /** Empty if it is missing: older programs do not say it. */
    String textOrEmpty(String name) {
        return has(name) ? text(name) : "";
    }

    long number(String name) {
        JsonNode value = value(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw wrong(name, "an integer", value);
        }
        return value.longValue();
    }

    int smallNumber(String name) {
        long value = number(name);
        if (value != (int) value) {
            throw wrong(name, "an integer of 32 bits", value(name));
        }
        return (int) value;
    }

    boolean flag(String name) {
        JsonNode value = value(name);
        if (!value.isBoolean()) {
            throw wrong(name, "true or false", value);
        }
        return value.booleanValue();
    }

    byte[] base64(String name) {
        try {
            return Base64.getDecoder().decode(text(name).getBytes(StandardCharsets.US_ASCII));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(what + "." + name + ": wanted base64 (" + e.getMessage() + ")", e);
        }
    }

    boolean has(String name) {
        @Nullable JsonNode value = json.get(name);
        return value != null && !value.isNull();
    }

    Fields object(String name) {
        return of(what + "." + name, value(name));
    }

    ObjectNode tree(String name) {
        JsonNode value = value(name);
        if (!(value instanceof ObjectNode object)) {
            throw wrong(name, "an object", value);
        }
        return object;
    }

    JsonNode array(String name) {
        JsonNode value = value(name);
        if (!value.isArray()) {
            throw wrong(name, "an array", value);
        }
        return value;
    }

    private JsonNode value(String name) {
        @Nullable JsonNode value = json.get(name);
        if (value == null) {
            throw new IllegalArgumentException(what + "." + name + ": missing");
        }
        return value;
    }

    private IllegalArgumentException wrong(String name, String wanted, JsonNode found) {
        return new IllegalArgumentException(what + "." + name + ": wanted " + wanted + ", found "
                + (found.isContainer() ? found.getNodeType() : found));
    }
}
