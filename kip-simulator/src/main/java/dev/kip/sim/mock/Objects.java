package dev.kip.sim.mock;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ApiFailure;
import dev.kip.sim.apiserver.Failures;
import dev.kip.sim.apiserver.ResourceType;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes of objects, each of which is told as a change. */
final class Objects {

    private final Storage storage;
    private final Consumer<Change> told;
    private long revision = 1;

    /** Where objects lie, by path. */
    interface Storage {
        Optional<ObjectNode> get(String path);

        ImmutableList<ObjectNode> list(String path);

        /** Empty if it was refused. */
        Optional<ObjectNode> post(String path, ObjectNode object);

        Optional<ObjectNode> put(String path, ObjectNode object);

        /** Stores it as it is, under a new version. */
        ObjectNode keep(String path, ObjectNode object);

        void remove(String path);

        long nextRevision();
    }

    Objects(Storage storage, Consumer<Change> told) {
        this.storage = storage;
        this.told = told;
    }

    /** Of the last change. */
    long revision() {
        return revision;
    }

    ImmutableList<ObjectNode> list(Target target) {
        return storage.list(target.collectionPath());
    }

    Optional<ObjectNode> find(Target target) {
        return storage.get(target.objectPath());
    }

    ObjectNode existing(ResourceType type, Target target) throws ApiFailure {
        return find(target).orElseThrow(() -> Failures.notFound(type, target.name()));
    }

    ObjectNode create(ResourceType type, Target target, ObjectNode object) {
        Target named = target.named(object.at("/metadata/name").asString(""));
        if (find(named).isPresent()) {
            throw Failures.alreadyExists(type, named.name());
        }
        JsonNode status = object.path("status").deepCopy();
        ObjectNode created = storage.post(target.collectionPath(), object)
                .orElseThrow(() -> Failures.badRequest("the object was refused by the mock server"));
        if (keepsStatus(target)
                && !status.isMissingNode()
                && !created.path("status").equals(status)) {
            created.set("status", status);
            created = storage.put(named.objectPath() + "/status", created)
                    .orElseThrow(() -> Failures.internal("a new object's status was refused by the mock server"));
        }
        tell(named, Optional.empty(), Optional.of(created));
        return created;
    }

    /** What the server itself decides about a new object, and kinds that have no status apart. */
    private static boolean keepsStatus(Target target) {
        return target.kindKey().equals("pods")
                || target.kindKey().equals("namespaces")
                || target.group().equals("kip.elotl.co");
    }

    /** The part that the request is about: status, or all but it where it stands apart. Nothing is written if nothing changes. */
    ObjectNode update(ResourceType type, Target target, ObjectNode present, ObjectNode body) {
        ObjectNode next = body.deepCopy();
        ObjectNode metadata = next.withObjectProperty("metadata");
        if (target.subresource().equals("status")) {
            next = present.deepCopy();
            next.set("status", body.path("status"));
        } else if (!target.group().equals("kip.elotl.co") && present.has("status")) {
            next.set("status", present.path("status")); // is written apart
        }
        for (String field :
                new String[] {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
            if (present.path("metadata").has(field)) {
                metadata.set(field, present.path("metadata").path(field));
            }
        }
        return replaceWhole(type, target, next);
    }

    /** All of the object, status too; gone if it was to go and nothing holds it any more. */
    ObjectNode replaceWhole(ResourceType type, Target target, ObjectNode object) {
        Target main = target.named(target.name());
        ObjectNode present = existing(type, main);
        ObjectNode next = object.deepCopy();
        ObjectNode metadata = next.withObjectProperty("metadata");
        metadata.set("resourceVersion", present.at("/metadata/resourceVersion"));
        if (present.path("metadata").has("generation")) {
            metadata.set("generation", present.at("/metadata/generation"));
        } else {
            metadata.remove("generation");
        }
        if (next.equals(present)) {
            return present;
        }
        if (isFinished(next)) {
            remove(main, present);
            return next;
        }
        boolean statusOnly = sameButStatus(next, present);
        ObjectNode stored = statusOnly ? present : write(main.objectPath(), next);
        if (!stored.path("status").equals(next.path("status"))) {
            ObjectNode withStatus = stored.deepCopy();
            withStatus.set("status", next.path("status"));
            stored = write(main.objectPath() + "/status", withStatus);
        }
        tell(main, Optional.of(present), Optional.of(stored));
        return stored;
    }

    private static boolean sameButStatus(ObjectNode left, ObjectNode right) {
        ObjectNode one = left.deepCopy();
        ObjectNode other = right.deepCopy();
        one.remove("status");
        other.remove("status");
        return one.equals(other);
    }

    private ObjectNode write(String path, ObjectNode object) {
        return storage.put(path, object)
                .orElseThrow(() -> Failures.internal("an update was refused by the mock server: " + path));
    }

    /** It was to go, its time is over, and nothing holds it. */
    private static boolean isFinished(ObjectNode object) {
        JsonNode metadata = object.path("metadata");
        boolean held = metadata.path("finalizers") instanceof ArrayNode finalizers && !finalizers.isEmpty();
        return metadata.has("deletionTimestamp")
                && metadata.path("deletionGracePeriodSeconds").asLong(0) == 0
                && !held;
    }

    /** As it once was, but for its version. */
    void restore(Target target, Optional<ObjectNode> present, ObjectNode object) {
        ObjectNode kept = storage.keep(target.objectPath(), object);
        tell(target, present, Optional.of(kept));
    }

    void remove(Target target, ObjectNode present) {
        storage.remove(target.objectPath());
        revision = storage.nextRevision();
        told.accept(new Change(revision, target.kindKey(), Optional.of(present), Optional.empty()));
    }

    private void tell(Target target, Optional<ObjectNode> before, Optional<ObjectNode> after) {
        revision = after.map(object -> object.at("/metadata/resourceVersion").asLong(revision))
                .orElse(revision);
        told.accept(new Change(revision, target.kindKey(), before, after));
    }
}
