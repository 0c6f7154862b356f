package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ResourceType.Subresource;
import dev.kip.sim.apiserver.Writes.Part;
import dev.kip.sim.apiserver.kinds.CustomResourceDefinitions;
import dev.kip.sim.apiserver.kinds.CustomResources;
import dev.kip.sim.apiserver.schema.Findings;
import dev.kip.sim.apiserver.schema.StructuralSchema;
import dev.kip.sim.apiserver.selector.SelectableFields;
import dev.kip.sim.apiserver.store.Change;
import dev.kip.sim.apiserver.store.Shelf;
import dev.kip.sim.apiserver.store.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Custom resource definitions at work: serves what they define, and empties it before a definition goes. */
final class Definitions implements Shelf.ChangeListener {

    private static final String CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

    private final Core core;
    private final Writes writes;
    private final Deletions deletions;
    private final Resource definitions;
    /** Shelves of instances that are being watched for the last one to go. */
    private final Set<String> emptying = new TreeSet<>();

    Definitions(Core core, Writes writes, Deletions deletions) {
        this.core = core;
        this.writes = writes;
        this.deletions = deletions;
        this.definitions = core.resource("apiextensions.k8s.io", "customresourcedefinitions");
        definitions.shelf().listen(this);
    }

    @Override
    public void changed(Change change) {
        change.after()
                .ifPresentOrElse(
                        after -> appeared(change.key(), after.object()),
                        () -> core.registry().undefine(change.key()));
    }

    /** Served at once; the names are accepted a moment later, in a write of its own, as on a real server. */
    private void appeared(String name, ObjectNode definition) {
        core.registry().define(name, served(definition));
        if (!CustomResourceDefinitions.isEstablished(definition)) {
            core.loop().post(() -> establish(name));
        }
    }

    private void establish(String name) {
        if (definitions.find("", name).isEmpty()) {
            return;
        }
        change(name, definition -> {
            if (definitions.strategy() instanceof CustomResourceDefinitions kind) {
                kind.establish(definition);
            }
        });
    }

    private void change(String name, Consumer<ObjectNode> change) {
        writes.update(
                definitions,
                "",
                name,
                Part.ANY,
                false,
                present -> {
                    ObjectNode next = Trees.changing(present, "metadata", "status");
                    change.accept(next);
                    return next;
                },
                WriteContext.internal());
    }

    @Override
    public void restored(NavigableMap<String, Versioned> before) {
        core.registry().undefineAll();
        definitions
                .shelf()
                .now()
                .forEach((name, definition) -> core.registry().define(name, served(definition.object())));
    }

    private List<Resource> served(ObjectNode definition) {
        JsonNode spec = definition.path("spec");
        String group = spec.path("group").asString("");
        String plural = spec.path("names").path("plural").asString("");
        Shelf shelf = core.store().shelf(group + "/" + plural);
        String stored = spec.path("versions")
                .valueStream()
                .filter(version -> version.path("storage").asBoolean(false))
                .map(version -> group + "/" + version.path("name").asString(""))
                .findFirst()
                .orElse("");
        StructuralSchema storedSchema = spec.path("versions")
                .valueStream()
                .filter(version -> version.path("storage").asBoolean(false))
                .map(version -> StructuralSchema.of(version.path("schema").path("openAPIV3Schema")))
                .findFirst()
                .orElse(StructuralSchema.of(spec.path("none")));
        List<Resource> resources = new ArrayList<>();
        for (JsonNode version : spec.path("versions")) {
            if (version.path("served").asBoolean(false)) {
                resources.add(resource(spec, version, shelf, stored, storedSchema));
            }
        }
        return resources;
    }

    private static Resource resource(
            JsonNode spec, JsonNode version, Shelf shelf, String stored, StructuralSchema storedSchema) {
        ResourceType type = type(spec, version);
        StructuralSchema schema = StructuralSchema.of(version.path("schema").path("openAPIV3Schema"));
        JsonNode scale = version.path("subresources").path("scale");
        boolean isStored = type.apiVersion().equals(stored);
        return new Resource(
                type,
                shelf,
                type.apiVersion(),
                stored,
                new CustomResources(schema, version.path("subresources").has("status")),
                Optional.empty(),
                object -> isStored ? object : inVersion(object, stored, storedSchema),
                object -> inVersion(object.deepCopy(), type.apiVersion(), schema),
                SelectableFields.of(shelf.name(), type.namespaced()),
                version,
                scale.isObject() ? Optional.of(scale) : Optional.empty());
    }

    /** No conversion but of the name, in place; what the version's schema does not know goes, what it defaults comes. */
    private static ObjectNode inVersion(ObjectNode object, String apiVersion, StructuralSchema schema) {
        object.put("apiVersion", apiVersion);
        schema.prune(object, new Findings());
        schema.fillDefaults(object);
        return object;
    }

    private static ResourceType type(JsonNode spec, JsonNode version) {
        JsonNode names = spec.path("names");
        String group = spec.path("group").asString("");
        String name = version.path("name").asString("");
        String kind = names.path("kind").asString("");
        ImmutableList.Builder<Subresource> subresources = ImmutableList.builder();
        if (version.path("subresources").has("status")) {
            subresources.add(new Subresource("status", group, name, kind, BuiltinTypes.GET_PATCH_UPDATE));
        }
        if (version.path("subresources").has("scale")) {
            subresources.add(new Subresource("scale", "autoscaling", "v1", "Scale", BuiltinTypes.GET_PATCH_UPDATE));
        }
        return new ResourceType(
                group,
                name,
                kind,
                names.path("plural").asString(""),
                names.path("singular").asString(""),
                spec.path("scope").asString("").equals("Namespaced"),
                strings(names.path("shortNames")),
                strings(names.path("categories")),
                BuiltinTypes.ALL_VERBS,
                subresources.build());
    }

    private static ImmutableList<String> strings(JsonNode list) {
        return list.valueStream().map(each -> each.asString("")).collect(ImmutableList.toImmutableList());
    }

    /** Deletes a definition: first all that it defines, then itself, now or when the last instance's finalizers are gone. */
    Deletions.Deleted delete(String name, DeleteRequest request) {
        Versioned present = definitions.existing("", name);
        boolean begun = present.object().path("metadata").has("deletionTimestamp");
        if (request.dryRun() || begun) {
            return deletions.delete(definitions, "", name, request);
        }
        change(
                name,
                definition -> definition
                        .withObjectProperty("metadata")
                        .withArrayProperty("finalizers")
                        .add(CLEANUP));
        // A resourceVersion in the preconditions named the version before the finalizer was added.
        DeleteRequest rest = new DeleteRequest(
                request.gracePeriodSeconds(), request.propagation(), request.uid(), Optional.empty(), false);
        Deletions.Deleted deleted = deletions.delete(definitions, "", name, rest);
        core.registry().defined(name).stream().findFirst().ifPresent(resource -> empty(name, resource));
        return deleted;
    }

    private void empty(String definition, Resource resource) {
        Shelf shelf = resource.shelf();
        for (Versioned instance : List.copyOf(shelf.now().values())) {
            JsonNode metadata = instance.object().path("metadata");
            deletions.delete(
                    resource,
                    metadata.path("namespace").asString(""),
                    metadata.path("name").asString(""),
                    DeleteRequest.of(core.emptyObject()));
        }
        if (shelf.size() == 0) {
            core.loop().post(() -> finish(definition));
        } else if (emptying.add(shelf.name())) {
            shelf.listen(new LastOne(shelf, definition));
        }
    }

    /** The last instance is gone. */
    private void finish(String name) {
        boolean going = definitions
                .find("", name)
                .filter(found -> found.object().path("metadata").has("deletionTimestamp"))
                .isPresent();
        if (!going) {
            return;
        }
        change(
                name,
                definition -> definition
                        .withObjectProperty("metadata")
                        .withArrayProperty("finalizers")
                        .removeIf(finalizer -> finalizer.asString("").equals(CLEANUP)));
    }

    /** Waits for the last instance to go. */
    private final class LastOne implements Shelf.ChangeListener {

        private final Shelf shelf;
        private final String definition;

        LastOne(Shelf shelf, String definition) {
            this.shelf = shelf;
            this.definition = definition;
        }

        @Override
        public void changed(Change change) {
            if (shelf.size() == 0) {
                core.loop().post(() -> finish(definition));
            }
        }

        @Override
        public void restored(NavigableMap<String, Versioned> before) {}
    }
}
