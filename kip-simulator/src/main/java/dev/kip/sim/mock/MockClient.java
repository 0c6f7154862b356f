package dev.kip.sim.mock;

import com.google.common.collect.ImmutableList;
import dev.kip.loop.Loop;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiFailure;
import dev.kip.sim.apiserver.Failures;
import dev.kip.sim.apiserver.ResourceType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The mock server for the built-in controllers, from inside its process. Confined to their loop. */
final class MockClient implements ApiClient {

    private final MockDispatcher dispatcher;
    private final List<Listening> listeners = new ArrayList<>();

    private record Listening(String kindKey, ChangeListener listener) {}

    MockClient(MockDispatcher dispatcher, Loop loop) {
        this.dispatcher = dispatcher;
        dispatcher.onChange(change -> loop.post(() -> heard(change)));
    }

    private void heard(Change change) {
        for (Listening one : List.copyOf(listeners)) {
            if (one.kindKey().equals(change.kindKey())) {
                ObjectNode object = change.subject().deepCopy();
                if (change.after().isEmpty()) {
                    object.withObjectProperty("metadata").put("resourceVersion", Long.toString(change.revision()));
                }
                one.listener().changed(change.event(), object);
            }
        }
    }

    @Override
    public ResourceType resource(String group, String plural) {
        return dispatcher
                .kinds()
                .find(group, plural)
                .orElseThrow(() -> new IllegalArgumentException("no " + group + "/" + plural + " is served"));
    }

    @Override
    public ImmutableList<ResourceType> resources() {
        return dispatcher.kinds().all();
    }

    /** Kip's kinds are defined before anybody asks. */
    @Override
    public void onResources(Runnable listener) {
        onChange(resource("apiextensions.k8s.io", "customresourcedefinitions"), (event, definition) -> listener.run());
    }

    private static Target target(ResourceType type, String namespace, String name, String subresource) {
        return Target.parse((type.group().isEmpty() ? "/api/" : "/apis/" + type.group() + "/")
                + type.version()
                + (namespace.isEmpty() || !type.namespaced() ? "" : "/namespaces/" + namespace)
                + "/" + type.plural()
                + (name.isEmpty() ? "" : "/" + name)
                + (subresource.isEmpty() ? "" : "/" + subresource));
    }

    @Override
    public Optional<ObjectNode> get(ResourceType type, String namespace, String name) {
        try {
            return Optional.of(dispatcher
                    .answer("GET", target(type, namespace, name, ""), "", Optional.empty())
                    .body());
        } catch (ApiFailure failure) {
            if (failure.reason().equals("NotFound")) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    @Override
    public ImmutableList<ObjectNode> list(ResourceType type, String namespace) {
        ImmutableList.Builder<ObjectNode> items = ImmutableList.builder();
        dispatcher
                .answer("GET", target(type, namespace, "", ""), "", Optional.empty())
                .body()
                .path("items")
                .forEach(item -> items.add((ObjectNode) item));
        return items.build();
    }

    @Override
    public ObjectNode create(ResourceType type, String namespace, ObjectNode object) {
        ObjectNode body = object.deepCopy();
        body.put("apiVersion", type.apiVersion()).put("kind", type.kind());
        return dispatcher
                .answer("POST", target(type, namespace, "", ""), "application/json", Optional.of(body))
                .body();
    }

    @Override
    public ObjectNode createSubresource(
            ResourceType type, String namespace, String name, String subresource, ObjectNode body) {
        return dispatcher
                .answer("POST", target(type, namespace, name, subresource), "application/json", Optional.of(body))
                .body();
    }

    @Override
    public ObjectNode update(ResourceType type, String subresource, ObjectNode object) {
        if (subresource.equals("finalize")) {
            throw Failures.methodNotAllowed(); // namespaces of the mock server are not finalized
        }
        ObjectNode body = object.deepCopy();
        body.put("apiVersion", type.apiVersion()).put("kind", type.kind());
        Target target = target(
                type,
                object.at("/metadata/namespace").asString(""),
                object.at("/metadata/name").asString(""),
                subresource);
        return dispatcher
                .answer("PUT", target, "application/json", Optional.of(body))
                .body();
    }

    @Override
    public void delete(ResourceType type, String namespace, String name, ObjectNode options) {
        dispatcher.answer("DELETE", target(type, namespace, name, ""), "application/json", Optional.of(options));
    }

    @Override
    public void onChange(ResourceType type, ChangeListener listener) {
        listeners.add(
                new Listening(type.group().isEmpty() ? type.plural() : type.group() + "/" + type.plural(), listener));
    }
}
