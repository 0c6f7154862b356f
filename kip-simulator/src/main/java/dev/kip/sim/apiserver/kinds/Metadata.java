package dev.kip.sim.apiserver.kinds;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.schema.FieldErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Rules of {@code metadata}, the same for every kind (apimachinery api/validation/objectmeta.go). */
public final class Metadata {

    private static final Pattern QUALIFIED_NAME = Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
    private static final Pattern LABEL_VALUE = Pattern.compile("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?");
    private static final int LONGEST_NAME = 63;
    private static final int MOST_ANNOTATION_BYTES = 256 * 1024;
    private static final ImmutableSet<String> STANDARD_FINALIZERS =
            ImmutableSet.of("kubernetes", "orphan", "foregroundDeletion", "customresourcecleanup.apiextensions.k8s.io");

    private Metadata() {}

    /** @param core whether the kind is compiled into the server; those of definitions are free in their finalizers */
    public static void validate(ObjectNode object, Traits traits, boolean core, FieldErrors errors) {
        JsonNode metadata = object.path("metadata");
        String name = metadata.path("name").asString("");
        if (name.isEmpty()) {
            errors.required("metadata.name", "name or generateName is required");
        } else {
            traits.names().check("metadata.name", name, errors);
        }
        validateLabels("metadata.labels", metadata.path("labels"), errors);
        validateAnnotations(metadata.path("annotations"), errors);
        validateOwners(metadata.path("ownerReferences"), errors);
        int index = 0;
        for (JsonNode finalizer : metadata.path("finalizers")) {
            validateFinalizer("metadata.finalizers[" + index++ + "]", finalizer.asString(""), core, errors);
        }
    }

    public static void validateLabels(String path, JsonNode labels, FieldErrors errors) {
        labels.forEachEntry((key, value) -> {
            keyProblem(key).ifPresent(problem -> errors.invalid(path, FieldErrors.quoted(key), problem));
            String text = value.asString("");
            if (text.length() > LONGEST_NAME) {
                errors.invalid(path, FieldErrors.quoted(text), "must be no more than 63 bytes");
            } else if (!LABEL_VALUE.matcher(text).matches()) {
                errors.invalid(
                        path,
                        FieldErrors.quoted(text),
                        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and"
                                + " must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or"
                                + " '12345', regex used for validation is '" + LABEL_VALUE.pattern() + "')");
            }
        });
    }

    private static void validateAnnotations(JsonNode annotations, FieldErrors errors) {
        int[] bytes = {0};
        annotations.forEachEntry((key, value) -> {
            keyProblem(key.toLowerCase(java.util.Locale.ROOT))
                    .ifPresent(problem -> errors.invalid("metadata.annotations", FieldErrors.quoted(key), problem));
            bytes[0] += key.length() + value.asString("").length();
        });
        if (bytes[0] > MOST_ANNOTATION_BYTES) {
            errors.tooLong("metadata.annotations", MOST_ANNOTATION_BYTES);
        }
    }

    private static Optional<String> keyProblem(String key) {
        int slash = key.indexOf('/');
        String name = key.substring(slash + 1);
        if (slash == 0) {
            return Optional.of("prefix part must be non-empty");
        }
        if (slash > 0) {
            Optional<String> prefix = Names.SUBDOMAIN.problem(key.substring(0, slash));
            if (prefix.isPresent()) {
                return Optional.of("prefix part " + prefix.get());
            }
        }
        if (name.isEmpty()) {
            return Optional.of("name part must be non-empty");
        }
        if (name.length() > LONGEST_NAME) {
            return Optional.of("name part must be no more than 63 bytes");
        }
        if (!QUALIFIED_NAME.matcher(name).matches()) {
            return Optional.of(
                    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
                            + " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for"
                            + " validation is '" + QUALIFIED_NAME.pattern() + "')");
        }
        return Optional.empty();
    }

    private static void validateFinalizer(String path, String finalizer, boolean core, FieldErrors errors) {
        Optional<String> problem = keyProblem(finalizer);
        if (problem.isPresent()) {
            errors.invalid(path, FieldErrors.quoted(finalizer), problem.get());
        } else if (core && !finalizer.contains("/") && !STANDARD_FINALIZERS.contains(finalizer)) {
            errors.invalid(
                    path,
                    FieldErrors.quoted(finalizer),
                    "name is neither a standard finalizer name nor is it fully qualified");
        }
    }

    private static void validateOwners(JsonNode owners, FieldErrors errors) {
        List<String> controllers = new ArrayList<>();
        String path = "metadata.ownerReferences";
        for (JsonNode owner : owners) {
            for (String field : List.of("apiVersion", "kind", "name", "uid")) {
                if (owner.path(field).asString("").isEmpty()) {
                    errors.invalid(
                            path + "." + field,
                            "\"\"",
                            field.equals("apiVersion") ? "version must not be empty" : "must not be empty");
                }
            }
            if (owner.path("controller").asBoolean(false)) {
                controllers.add(owner.path("name").asString(""));
            }
        }
        if (controllers.size() > 1) {
            errors.invalid(
                    "metadata.ownerReferences",
                    owners,
                    "Only one reference can have Controller set to true. Found \"true\" in references for "
                            + controllers.get(0) + " and " + controllers.get(1));
        }
    }

    /** What an update may not change about metadata. */
    public static void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        JsonNode metadata = object.path("metadata");
        JsonNode oldMetadata = old.path("metadata");
        for (String field : List.of("name", "namespace", "deletionTimestamp", "deletionGracePeriodSeconds")) {
            if (!metadata.path(field).equals(oldMetadata.path(field))) {
                errors.invalid("metadata." + field, metadata.path(field), "field is immutable");
            }
        }
        if (oldMetadata.has("deletionTimestamp")) {
            List<String> added = new ArrayList<>();
            List<JsonNode> known = List.copyOf(oldMetadata.path("finalizers").values());
            for (JsonNode finalizer : metadata.path("finalizers")) {
                if (!known.contains(finalizer)) {
                    added.add(FieldErrors.quoted(finalizer.asString("")));
                }
            }
            if (!added.isEmpty()) {
                errors.forbidden(
                        "metadata.finalizers",
                        "no new finalizers can be added if the object is being deleted, found new finalizers []string{"
                                + String.join(", ", added) + "}");
            }
        }
    }
}
