package dev.kip.sim.apiserver.schema;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Collects what is wrong with an object's fields, in the words of k8s.io/apimachinery/pkg/util/validation/field. */
public final class FieldErrors {

    private final List<Cause> causes = new ArrayList<>();

    public void required(String path, String detail) {
        add("FieldValueRequired", path, detail.isEmpty() ? "Required value" : "Required value: " + detail);
    }

    public void invalid(String path, JsonNode value, String detail) {
        invalid(
                path,
                value.isContainer()
                        ? value.toString()
                        : value.isString() ? quoted(value.stringValue()) : value.toString(),
                detail);
    }

    public void invalid(String path, String shownValue, String detail) {
        add("FieldValueInvalid", path, "Invalid value: " + shownValue + ": " + detail);
    }

    /** The value has the wrong JSON type. */
    public void typeInvalid(String path, String shownValue, String detail) {
        add("FieldValueTypeInvalid", path, "Invalid value: " + shownValue + ": " + detail);
    }

    public void duplicate(String path, String value) {
        add("FieldValueDuplicate", path, "Duplicate value: " + value);
    }

    public void notSupported(String path, String value, Collection<String> supported) {
        notSupportedValue(path, quoted(value), supported);
    }

    /** @param shownValue as it is to be shown, for a value that is no string */
    public void notSupportedValue(String path, String shownValue, Collection<String> supported) {
        String list = supported.stream().map(FieldErrors::quoted).collect(Collectors.joining(", "));
        add("FieldValueNotSupported", path, "Unsupported value: " + shownValue + ": supported values: " + list);
    }

    public void forbidden(String path, String detail) {
        add("FieldValueForbidden", path, "Forbidden: " + detail);
    }

    public void notFound(String path, String value) {
        add("FieldValueNotFound", path, "Not found: " + quoted(value));
    }

    public void tooLong(String path, int limit) {
        add("FieldValueTooLong", path, "Too long: may not be more than " + limit + " bytes");
    }

    public void tooMany(String path, int actual, int limit) {
        add("FieldValueTooMany", path, "Too many: " + actual + ": must have at most " + limit + " items");
    }

    public boolean isEmpty() {
        return causes.isEmpty();
    }

    public ImmutableList<Cause> causes() {
        return ImmutableList.copyOf(causes);
    }

    public static String quoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private void add(String reason, String path, String message) {
        causes.add(new Cause(reason, message, path));
    }
}
