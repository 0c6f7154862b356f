package dev.kip.sim.apiserver.schema;

import com.google.common.collect.ImmutableList;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** What one schema node asks of a value itself, in the words of kube-openapi's validation. */
final class ValueRules {

    private final String type;
    private final boolean intOrString;
    private final ImmutableList<String> required;
    private final ImmutableList<JsonNode> allowed;
    private final Optional<Pattern> pattern;
    private final OptionalInt minLength;
    private final OptionalInt maxLength;
    private final OptionalInt minItems;
    private final OptionalInt maxItems;
    private final OptionalInt minProperties;
    private final OptionalInt maxProperties;
    private final Optional<BigDecimal> minimum;
    private final Optional<BigDecimal> maximum;
    private final boolean exclusiveMinimum;
    private final boolean exclusiveMaximum;
    private final Optional<BigDecimal> multipleOf;
    private final ImmutableList<ValueRules> allOf;
    private final ImmutableList<ValueRules> anyOf;
    private final ImmutableList<ValueRules> oneOf;
    private final Optional<ValueRules> not;

    ValueRules(JsonNode schema) {
        type = schema.path("type").asString("");
        intOrString = schema.path("x-kubernetes-int-or-string").asBoolean(false);
        ImmutableList.Builder<String> names = ImmutableList.builder();
        schema.path("required").forEach(name -> names.add(name.asString("")));
        required = names.build();
        allowed = ImmutableList.copyOf(schema.path("enum").values());
        pattern = Optional.of(schema.path("pattern").asString(""))
                .filter(text -> !text.isEmpty())
                .map(Pattern::compile);
        minLength = bound(schema, "minLength");
        maxLength = bound(schema, "maxLength");
        minItems = bound(schema, "minItems");
        maxItems = bound(schema, "maxItems");
        minProperties = bound(schema, "minProperties");
        maxProperties = bound(schema, "maxProperties");
        minimum = schema.path("minimum").asDecimalOpt();
        maximum = schema.path("maximum").asDecimalOpt();
        exclusiveMinimum = schema.path("exclusiveMinimum").asBoolean(false);
        exclusiveMaximum = schema.path("exclusiveMaximum").asBoolean(false);
        multipleOf = schema.path("multipleOf").asDecimalOpt();
        allOf = all(schema.path("allOf"));
        // With x-kubernetes-int-or-string the anyOf of the two types says nothing more.
        anyOf = intOrString ? ImmutableList.of() : all(schema.path("anyOf"));
        oneOf = all(schema.path("oneOf"));
        not = schema.path("not").isObject() ? Optional.of(new ValueRules(schema.path("not"))) : Optional.empty();
    }

    private static OptionalInt bound(JsonNode schema, String name) {
        return schema.path(name).isIntegralNumber()
                ? OptionalInt.of(schema.path(name).intValue())
                : OptionalInt.empty();
    }

    private static ImmutableList<ValueRules> all(JsonNode schemas) {
        return schemas.valueStream().map(ValueRules::new).collect(ImmutableList.toImmutableList());
    }

    /** @return whether the type is right, so that the rest can be checked */
    boolean type(JsonNode value, Path path, FieldErrors errors) {
        if (fitsType(value)) {
            return true;
        }
        String wanted = intOrString ? "integer or string" : type;
        errors.typeInvalid(
                path.toString(),
                value.isString() ? FieldErrors.quoted(value.stringValue()) : FieldErrors.quoted(typeOf(value)),
                path + " in body must be of type " + wanted + ": " + FieldErrors.quoted(typeOf(value)));
        return false;
    }

    private boolean fitsType(JsonNode value) {
        if (intOrString) {
            return value.isString() || value.isIntegralNumber();
        }
        return switch (type) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isString();
            case "boolean" -> value.isBoolean();
            case "integer" -> value.isIntegralNumber() || (value.isNumber() && value.canConvertToExactIntegral());
            case "number" -> value.isNumber();
            default -> true;
        };
    }

    private static String typeOf(JsonNode value) {
        if (value.isContainer()) {
            return value.isObject() ? "object" : "array";
        }
        if (value.isNumber()) {
            return value.isIntegralNumber() ? "integer" : "number";
        }
        return value.isString() ? "string" : value.isBoolean() ? "boolean" : "null";
    }

    void required(JsonNode object, Path path, FieldErrors errors) {
        for (String name : required) {
            if (!object.has(name)) {
                errors.required(path.child(name).toString(), "");
            }
        }
    }

    void value(JsonNode value, Path path, FieldErrors errors) {
        String at = path.toString();
        if (!allowed.isEmpty() && !allowed.contains(value)) {
            errors.notSupported(
                    at,
                    value.asString(""),
                    allowed.stream().map(each -> each.asString("")).collect(ImmutableList.toImmutableList()));
        }
        if (value.isString()) {
            text(value, at, errors);
        } else if (value.isNumber()) {
            number(value, at, errors);
        } else if (value.isArray()) {
            size(value, at, minItems, maxItems, "items", errors);
        } else if (value.isObject()) {
            size(value, at, minProperties, maxProperties, "properties", errors);
        }
        combined(value, path, at, errors);
    }

    private void text(JsonNode value, String at, FieldErrors errors) {
        String text = value.stringValue();
        int length = text.codePointCount(0, text.length());
        if (minLength.isPresent() && length < minLength.getAsInt()) {
            errors.invalid(at, value, at + " in body should be at least " + minLength.getAsInt() + " chars long");
        }
        if (maxLength.isPresent() && length > maxLength.getAsInt()) {
            errors.tooLong(at, maxLength.getAsInt());
        }
        pattern.filter(form -> !form.matcher(text).find())
                .ifPresent(form -> errors.invalid(at, value, at + " in body should match '" + form + "'"));
    }

    private void number(JsonNode value, String at, FieldErrors errors) {
        BigDecimal number = value.decimalValue();
        minimum.filter(bound -> exclusiveMinimum ? number.compareTo(bound) <= 0 : number.compareTo(bound) < 0)
                .ifPresent(bound -> errors.invalid(
                        at,
                        value,
                        at + " in body should be greater than " + (exclusiveMinimum ? "" : "or equal to ")
                                + bound.toPlainString()));
        maximum.filter(bound -> exclusiveMaximum ? number.compareTo(bound) >= 0 : number.compareTo(bound) > 0)
                .ifPresent(bound -> errors.invalid(
                        at,
                        value,
                        at + " in body should be less than " + (exclusiveMaximum ? "" : "or equal to ")
                                + bound.toPlainString()));
        multipleOf
                .filter(factor -> number.remainder(factor).signum() != 0)
                .ifPresent(factor ->
                        errors.invalid(at, value, at + " in body should be a multiple of " + factor.toPlainString()));
    }

    private static void size(
            JsonNode value, String at, OptionalInt least, OptionalInt most, String what, FieldErrors errors) {
        if (least.isPresent() && value.size() < least.getAsInt()) {
            errors.invalid(at, value, at + " in body should have at least " + least.getAsInt() + " " + what);
        }
        if (most.isPresent() && value.size() > most.getAsInt()) {
            errors.tooMany(at, value.size(), most.getAsInt());
        }
    }

    private void combined(JsonNode value, Path path, String at, FieldErrors errors) {
        for (ValueRules rules : allOf) {
            rules.whole(value, path, errors);
        }
        if (!anyOf.isEmpty() && anyOf.stream().noneMatch(rules -> rules.holds(value, path))) {
            errors.invalid(at, value, at + " in body must validate at least one schema (anyOf)");
        }
        if (!oneOf.isEmpty()
                && oneOf.stream().filter(rules -> rules.holds(value, path)).count() != 1) {
            errors.invalid(at, value, at + " in body must validate one and only one schema (oneOf)");
        }
        if (not.isPresent() && not.get().holds(value, path)) {
            errors.invalid(at, value, at + " in body must not validate the schema (not)");
        }
    }

    private boolean holds(JsonNode value, Path path) {
        FieldErrors found = new FieldErrors();
        whole(value, path, found);
        return found.isEmpty();
    }

    private void whole(JsonNode value, Path path, FieldErrors errors) {
        if (type(value, path, errors)) {
            if (value.isObject()) {
                required(value, path, errors);
            }
            value(value, path, errors);
        }
    }
}
