package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.kinds.CustomResources;
import dev.kip.sim.apiserver.managed.Applied;
import dev.kip.sim.apiserver.managed.ApplyConflict;
import dev.kip.sim.apiserver.managed.ManagedObject;
import dev.kip.sim.apiserver.managed.Untyped;
import dev.kip.sim.apiserver.schema.Cause;
import dev.kip.sim.apiserver.schema.ModelFields;
import dev.kip.sim.apiserver.schema.Shape;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps {@code metadata.managedFields}. Unless {@link ApiServerSettings#tracksManagers}, an object has none until it is
 * applied for the first time, as one that was stored before servers tracked them.
 */
final class FieldManagers {

    /** Fields whose Go type is no pointer, so that an object of the kind that has nothing in it has them all the same. */
    private static final ImmutableList<String> ALWAYS_THERE = ImmutableList.of(
            "metadata",
            "spec",
            "status",
            "template",
            "jobTemplate",
            "strategy",
            "updateStrategy",
            "loadBalancer",
            "daemonEndpoints",
            "kubeletEndpoint",
            "nodeInfo");

    private static final String MANAGED = "managedFields";

    private final Core core;

    FieldManagers(Core core) {
        this.core = core;
    }

    void onCreate(Resource resource, ObjectNode object, WriteContext context) {
        if (context.applies()) {
            return;
        }
        object.withObjectProperty("metadata").remove(MANAGED);
        if (core.settings().tracksManagers() && !context.manager().isEmpty()) {
            ManagedObject managed = managed(resource, JsonNodeFactory.instance.arrayNode());
            managed.update(context.manager(), context.subresource(), blank(resource), object);
            managed.writeTo(object);
        }
    }

    /** @param replaces whether the body stands for itself (PUT), so that silence about managers leaves them as they are */
    void onUpdate(Resource resource, boolean replaces, ObjectNode next, ObjectNode before, WriteContext context) {
        if (context.applies()) {
            return;
        }
        ObjectNode metadata = next.withObjectProperty("metadata");
        JsonNode given = metadata.path(MANAGED);
        Writes.restore(metadata, before.path("metadata"), MANAGED);
        if (context.manager().isEmpty()) {
            return;
        }
        boolean reset = given.size() == 1 && given.path(0).isEmpty();
        boolean emptied = !replaces && given.isEmpty() && context.subresource().isEmpty();
        if (reset || emptied) {
            metadata.remove(MANAGED);
            return;
        }
        JsonNode known = given.isEmpty() || !context.subresource().isEmpty() ? metadata.path(MANAGED) : given;
        if (!known.isEmpty()) {
            ManagedObject managed = managed(resource, known);
            managed.update(context.manager(), context.subresource(), before, next);
            managed.writeTo(next);
        }
    }

    /** The object as it is to be, with its managed fields. */
    ObjectNode apply(Resource resource, Optional<ObjectNode> live, ObjectNode given, Applied how) {
        ObjectNode applied = given.deepCopy();
        if (resource.strategy().traits().status() && how.subresource().isEmpty()) {
            applied.remove("status");
        } else if (how.subresource().equals("status")) {
            applied.retain("apiVersion", "kind", "metadata", "status");
        }
        JsonNode known = live.map(object -> object.path("metadata").path(MANAGED))
                .orElseGet(JsonNodeFactory.instance::arrayNode);
        ManagedObject managed = managed(resource, known);
        try {
            return managed.apply(
                    how, live.orElseGet(() -> blank(resource)), live.isPresent(), blank(resource), applied);
        } catch (ApplyConflict conflict) {
            throw Failures.applyConflict(
                    conflict.text(),
                    conflict.conflicts().stream()
                            .map(each ->
                                    new Cause("FieldManagerConflict", "conflict with " + each.manager(), each.field()))
                            .collect(ImmutableList.toImmutableList()));
        } catch (Untyped untyped) {
            JsonNode metadata = applied.path("metadata");
            String namespace = metadata.path("namespace").asString("");
            throw Failures.unknown("failed to create typed patch object (" + namespace + "/"
                    + metadata.path("name").asString("") + "; " + full(resource.apiVersion()) + ", Kind="
                    + resource.type().kind() + "): " + untyped.getMessage());
        }
    }

    private ManagedObject managed(Resource resource, JsonNode known) {
        return new ManagedObject(shape(resource), known, resource.apiVersion(), core.timestamp());
    }

    /** A group and version as Go prints them: {@code /v1} for the core group's. */
    static String full(String apiVersion) {
        return apiVersion.contains("/") ? apiVersion : "/" + apiVersion;
    }

    private static Shape shape(Resource resource) {
        if (resource.strategy() instanceof CustomResources custom) {
            return custom.schema().shape();
        }
        return resource.model().map(ModelFields::shape).orElse(Shape.UNTYPED);
    }

    private static ObjectNode blank(Resource resource) {
        ObjectNode blank = JsonNodeFactory.instance.objectNode();
        if (!resource.custom()) {
            fillBlank(shape(resource), blank);
        }
        return blank;
    }

    private static void fillBlank(Shape shape, ObjectNode blank) {
        for (String field : ALWAYS_THERE) {
            if (shape.declares(field)) {
                fillBlank(shape.of(field), blank.putObject(field));
            }
        }
        if (shape.declares("containers")) {
            blank.putNull("containers");
        }
    }
}
