package dev.kip.sim.apiserver.kinds;

import com.google.common.collect.ImmutableSet;
import dev.kip.sim.apiserver.kinds.Traits.Generation;
import dev.kip.sim.apiserver.schema.FieldErrors;
import dev.kip.sim.apiserver.schema.StructuralSchema;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.PatternSyntaxException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Custom resource definitions. */
public final class CustomResourceDefinitions implements Strategy {

    private static final Traits TRAITS =
            Traits.PLAIN.withStatus().generation(Generation.SPEC).versionRequired();

    private final Supplier<Instant> now;

    public CustomResourceDefinitions(Supplier<Instant> now) {
        this.now = now;
    }

    @Override
    public Traits traits() {
        return TRAITS;
    }

    @Override
    public void fillDefaults(ObjectNode definition) {
        ObjectNode spec = PodDefaults.object(definition, "spec");
        ObjectNode names = PodDefaults.object(spec, "names");
        String kind = names.path("kind").asString("");
        if (!kind.isEmpty()) {
            PodDefaults.text(names, "singular", kind.toLowerCase(Locale.ROOT));
            PodDefaults.text(names, "listKind", kind + "List");
        }
        PodDefaults.text(PodDefaults.object(spec, "conversion"), "strategy", "None");
    }

    @Override
    public void beforeCreate(ObjectNode definition) {
        ObjectNode status = definition.putObject("status").putNull("conditions");
        status.putObject("acceptedNames").put("plural", "").put("kind", "");
        noteStoredVersion(definition);
    }

    @Override
    public void beforeUpdate(ObjectNode definition, ObjectNode old) {
        definition.set("status", old.path("status").deepCopy());
        noteStoredVersion(definition);
    }

    private static void noteStoredVersion(ObjectNode definition) {
        ArrayNode stored = PodDefaults.object(definition, "status").withArrayProperty("storedVersions");
        for (JsonNode version : definition.path("spec").path("versions")) {
            boolean known = stored.valueStream().anyMatch(each -> each.equals(version.path("name")));
            if (version.path("storage").asBoolean(false) && !known) {
                stored.add(version.path("name"));
            }
        }
    }

    /** Whether the names have been accepted as they are now. */
    public static boolean isEstablished(ObjectNode definition) {
        JsonNode status = definition.path("status");
        return status.path("acceptedNames").equals(definition.path("spec").path("names"))
                && !status.path("conditions").isEmpty();
    }

    /** Accepts the names, in place. */
    public void establish(ObjectNode definition) {
        ObjectNode status = PodDefaults.object(definition, "status");
        status.set("acceptedNames", definition.path("spec").path("names").deepCopy());
        if (status.path("conditions").isEmpty()) {
            ArrayNode conditions = status.putArray("conditions");
            condition(conditions, "NamesAccepted", "NoConflicts", "no conflicts found");
            condition(conditions, "Established", "InitialNamesAccepted", "the initial names have been accepted");
        }
    }

    private void condition(ArrayNode conditions, String type, String reason, String message) {
        conditions
                .addObject()
                .put("type", type)
                .put("status", "True")
                .put(
                        "lastTransitionTime",
                        now.get().truncatedTo(ChronoUnit.SECONDS).toString())
                .put("reason", reason)
                .put("message", message);
    }

    @Override
    public void validate(ObjectNode definition, FieldErrors errors) {
        JsonNode spec = definition.path("spec");
        JsonNode names = spec.path("names");
        String group = spec.path("group").asString("");
        String plural = names.path("plural").asString("");
        String name = definition.path("metadata").path("name").asString("");
        if (!name.equals(plural + "." + group)) {
            errors.invalid("metadata.name", FieldErrors.quoted(name), "must be spec.names.plural+\".\"+spec.group");
        }
        if (group.isEmpty()) {
            errors.required("spec.group", "");
        } else if (!group.contains(".")) {
            errors.invalid("spec.group", FieldErrors.quoted(group), "should be a domain with at least one dot");
        }
        String scope = spec.path("scope").asString("");
        if (scope.isEmpty()) {
            errors.required("spec.scope", "");
        } else if (!scope.equals("Cluster") && !scope.equals("Namespaced")) {
            errors.notSupported("spec.scope", scope, ImmutableSet.of("Cluster", "Namespaced"));
        }
        if (plural.isEmpty()) {
            errors.required("spec.names.plural", "");
        }
        if (names.path("kind").asString("").isEmpty()) {
            errors.required("spec.names.kind", "");
        }
        validateVersions(spec.path("versions"), errors);
    }

    private static void validateVersions(JsonNode versions, FieldErrors errors) {
        int storage = 0;
        int index = 0;
        for (JsonNode version : versions) {
            String at = "spec.versions[" + index++ + "]";
            storage += version.path("storage").asBoolean(false) ? 1 : 0;
            Names.SERVICE.check(at + ".name", version.path("name").asString(""), errors);
            JsonNode schema = version.path("schema").path("openAPIV3Schema");
            if (!schema.isObject()) {
                errors.required(at + ".schema.openAPIV3Schema", "");
            } else if (!schema.path("type").asString("").equals("object")) {
                errors.invalid(
                        at + ".schema.openAPIV3Schema.type",
                        FieldErrors.quoted(schema.path("type").asString("")),
                        "must be object at the root");
            }
            validateSchema(at + ".schema.openAPIV3Schema", schema, errors);
        }
        if (storage != 1) {
            errors.invalid("spec.versions", versions, "must have exactly one version marked as storage version");
        }
        if (storage == 0) {
            errors.invalid("status.storedVersions", "null", "must have at least one stored version");
        }
    }

    private static void validateSchema(String path, JsonNode schema, FieldErrors errors) {
        try {
            StructuralSchema.of(schema);
        } catch (PatternSyntaxException broken) {
            errors.invalid(
                    path,
                    FieldErrors.quoted(broken.getPattern()),
                    "must be a valid regular expression, but isn't: " + broken.getDescription());
        }
    }

    @Override
    public void validateUpdate(ObjectNode definition, ObjectNode old, FieldErrors errors) {
        for (String field : ImmutableSet.of("group", "scope")) {
            JsonNode now = definition.path("spec").path(field);
            if (!now.equals(old.path("spec").path(field))) {
                errors.invalid("spec." + field, now, "field is immutable");
            }
        }
        for (String field : ImmutableSet.of("plural", "kind")) {
            JsonNode now = definition.path("spec").path("names").path(field);
            if (!now.equals(old.path("spec").path("names").path(field))) {
                errors.invalid("spec.names." + field, now, "field is immutable");
            }
        }
    }
}
