package dev.kip.sim.apiserver.managed;

import dev.kip.sim.apiserver.schema.Shape;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** One write of one object, as far as the managers of its fields are concerned. */
public final class ManagedObject {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    /** Whom the annotation of client-side apply lets take over what it says. */
    private static final String KUBECTL = "kubectl";

    private final Shape shape;
    private final String apiVersion;
    private final Managers managers;

    /** @param now as RFC 3339 */
    public ManagedObject(Shape shape, JsonNode managedFields, String apiVersion, String now) {
        this.shape = shape;
        this.apiVersion = apiVersion;
        this.managers = new Managers(shape, managedFields, now);
    }

    public void update(String manager, String subresource, ObjectNode before, ObjectNode after) {
        managers.update(new Manager(manager, false, subresource, apiVersion), before, after, subresource);
    }

    public void writeTo(ObjectNode object) {
        ObjectNode metadata = object.withObjectProperty("metadata");
        if (managers.isEmpty()) {
            metadata.remove("managedFields");
        } else {
            metadata.set("managedFields", managers.toJson());
        }
    }

    /**
     * @param live the present object, or a blank one
     * @param blank an object of the kind with nothing in it
     */
    public ObjectNode apply(Applied how, ObjectNode live, boolean present, ObjectNode blank, ObjectNode applied) {
        if (present && managers.isEmpty()) {
            managers.assumeUpdater(apiVersion, blank, live);
        }
        Manager manager = new Manager(how.manager(), true, how.subresource(), apiVersion);
        String annotation =
                live.path("metadata").path("annotations").path(LAST_APPLIED).asString("");
        JsonNode next;
        try {
            next = managers.apply(manager, live, applied, how.subresource(), how.force());
        } catch (ApplyConflict conflict) {
            if (!how.manager().equals(KUBECTL) || !conflict.within(said(annotation))) {
                throw conflict;
            }
            next = managers.apply(manager, live, applied, how.subresource(), true);
        }
        ObjectNode object = (ObjectNode) next.deepCopy();
        if (how.manager().equals(KUBECTL) && !annotation.isEmpty()) {
            object.withObjectProperty("metadata")
                    .withObjectProperty("annotations")
                    .put(LAST_APPLIED, applied + "\n");
        }
        writeTo(object);
        return object;
    }

    private FieldSet said(String annotation) {
        if (annotation.isEmpty()) {
            return new FieldSet();
        }
        try {
            return Trees.fields(shape, JSON.readTree(annotation));
        } catch (JacksonException | Untyped useless) {
            return Trees.fields(shape, JsonNodeFactory.instance.objectNode());
        }
    }
}
