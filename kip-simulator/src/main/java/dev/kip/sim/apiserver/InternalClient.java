package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.Writes.Part;
import dev.kip.sim.apiserver.schema.Findings;
import dev.kip.sim.apiserver.store.Change;
import dev.kip.sim.apiserver.store.Shelf;
import dev.kip.sim.apiserver.store.Versioned;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The API for controllers within the server's process. */
final class InternalClient implements ApiClient {

    private final Core core;
    private final Lists lists;
    private final Writes writes;
    private final Deletions deletions;
    private final Definitions definitions;
    private final Subresources subresources;
    private final Bootstrap bootstrap;

    InternalClient(
            Core core,
            Lists lists,
            Writes writes,
            Deletions deletions,
            Definitions definitions,
            Subresources subresources,
            Bootstrap bootstrap) {
        this.core = core;
        this.lists = lists;
        this.writes = writes;
        this.deletions = deletions;
        this.definitions = definitions;
        this.subresources = subresources;
        this.bootstrap = bootstrap;
    }

    @Override
    public ResourceType resource(String group, String plural) {
        return core.resource(group, plural).type();
    }

    @Override
    public ImmutableList<ResourceType> resources() {
        Map<String, ResourceType> preferred = new LinkedHashMap<>();
        for (Resource resource : core.registry().all()) {
            preferred.putIfAbsent(
                    resource.shelf().name() + "/" + resource.type().group(), resource.type());
        }
        return ImmutableList.copyOf(preferred.values());
    }

    @Override
    public void onResources(Runnable listener) {
        core.registry().onChange(() -> core.loop().post(listener));
    }

    @Override
    public Optional<ObjectNode> get(ResourceType type, String namespace, String name) {
        Resource resource = find(type);
        return resource.find(namespace, name).map(found -> copy(resource, found));
    }

    @Override
    public ImmutableList<ObjectNode> list(ResourceType type, String namespace) {
        Resource resource = find(type);
        return lists.list(resource, namespace, ListRequest.ALL).items().stream()
                .map(item -> copy(resource, item))
                .collect(ImmutableList.toImmutableList());
    }

    @Override
    public ObjectNode create(ResourceType type, String namespace, ObjectNode object) {
        Resource resource = find(type);
        WriteContext context = WriteContext.internal();
        ObjectNode body = Bodies.fit(resource, object.deepCopy(), new Findings(), context);
        Versioned created = writes.create(resource, namespace, body, context);
        bootstrap.afterCreate(resource, created);
        return copy(resource, created);
    }

    @Override
    public ObjectNode createSubresource(
            ResourceType type, String namespace, String name, String subresource, ObjectNode body) {
        return subresources.post(find(type), namespace, name, subresource, body.deepCopy(), WriteContext.internal());
    }

    @Override
    public ObjectNode update(ResourceType type, String subresource, ObjectNode object) {
        Resource resource = find(type);
        WriteContext context = WriteContext.internal();
        String namespace = object.path("metadata").path("namespace").asString("");
        String name = object.path("metadata").path("name").asString("");
        ObjectNode body = Bodies.fit(resource, object.deepCopy(), new Findings(), context);
        Versioned updated = switch (subresource) {
            case "" -> writes.update(resource, namespace, name, Part.MAIN, true, present -> body, context);
            case "status" -> writes.update(resource, namespace, name, Part.STATUS, true, present -> body, context);
            case "finalize" -> subresources.finalizeNamespace(resource, name, body, context);
            default -> throw Failures.methodNotAllowed();
        };
        return copy(resource, updated);
    }

    @Override
    public void delete(ResourceType type, String namespace, String name, ObjectNode options) {
        Resource resource = find(type);
        DeleteRequest request = DeleteRequest.of(options);
        if (type.kind().equals("CustomResourceDefinition")) {
            definitions.delete(name, request);
        } else {
            deletions.delete(resource, namespace, name, request);
        }
    }

    @Override
    public void onChange(ResourceType type, ChangeListener listener) {
        Resource resource = find(type);
        resource.shelf().listen(new Relay(core.loop(), resource, listener));
    }

    /** Tells one listener of changes, later, each with a copy of its own. */
    private record Relay(Loop loop, Resource resource, ChangeListener listener) implements Shelf.ChangeListener {

        @Override
        public void changed(Change change) {
            if (change.after().isPresent()) {
                tell(
                        change.before().isEmpty() ? "ADDED" : "MODIFIED",
                        change.after().get());
            } else {
                change.before().ifPresent(gone -> tell("DELETED", gone.at(change.revision())));
            }
        }

        /** What differs is told as changes, so that a cache fed by them is right again. */
        @Override
        public void restored(NavigableMap<String, Versioned> before) {
            NavigableMap<String, Versioned> now = resource.shelf().now();
            before.forEach((key, item) -> {
                if (!now.containsKey(key)) {
                    tell("DELETED", item);
                }
            });
            now.forEach((key, item) -> {
                Versioned old = before.get(key);
                if (old != item) {
                    tell(old == null ? "ADDED" : "MODIFIED", item);
                }
            });
        }

        private void tell(String event, Versioned subject) {
            loop.post(() -> listener.changed(event, copy(resource, subject)));
        }
    }

    private Resource find(ResourceType type) {
        return core.registry()
                .find(type.group(), type.version(), type.plural())
                .orElseThrow(() -> Failures.noSuchResource());
    }

    private static ObjectNode copy(Resource resource, Versioned stored) {
        return resource.shown(stored).object().deepCopy();
    }
}
