package dev.kip.sim.mock;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.apiserver.ApiFailure;
import dev.kip.sim.apiserver.Failures;
import dev.kip.sim.apiserver.ResourceType;
import dev.kip.sim.apiserver.patch.PatchFailed;
import dev.kip.sim.apiserver.selector.BadSelector;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.crud.AttributeSet;
import io.fabric8.mockwebserver.dsl.HttpMethod;
import io.fabric8.mockwebserver.http.Buffer;
import io.fabric8.mockwebserver.http.Headers;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * fabric8's CRUD dispatcher with what stories need beside it: field selectors, paging, watches that begin at a revision, graceful
 * deletion, preconditions, three kinds of patch, bindings and scale. fabric8's keeps the objects, gives them ids, versions and
 * generations, and refuses what exists already or is of another version. Guarded by itself.
 */
public final class MockDispatcher extends KubernetesCrudDispatcher {

    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final Headers JSON =
            Headers.builder().add("Content-Type", "application/json").build();
    private static final ImmutableList<String> ALWAYS_ALLOWED =
            ImmutableList.of("selfsubjectaccessreviews", "subjectaccessreviews", "tokenreviews");

    private final Kinds kinds;
    private final Admitting admitting;
    private final WatchHub hub;
    private final Objects objects;
    private final Deletion deletion;

    MockDispatcher(Kinds kinds, Admitting admitting, WatchHub hub) {
        this.kinds = kinds;
        this.admitting = admitting;
        this.hub = hub;
        this.objects = new Objects(new Shelf(), this::published);
        this.deletion = new Deletion(objects);
    }

    private Listener listener = change -> {};

    /** Hears of each change, in order. */
    interface Listener {
        void changed(Change change);
    }

    synchronized void onChange(Listener hears) {
        listener = hears;
    }

    private void published(Change change) {
        if (change.kindKey().equals("apiextensions.k8s.io/customresourcedefinitions")) {
            define(change);
        }
        hub.publish(change);
        listener.changed(change);
    }

    private void define(Change change) {
        if (change.after().isEmpty()) {
            kinds.undefine(change.subject());
        } else {
            kinds.define(change.subject());
        }
    }

    /** What fabric8's dispatcher stores, by path. */
    private final class Shelf implements Objects.Storage {

        @Override
        public Optional<ObjectNode> get(String path) {
            return body(MockDispatcher.super.handleGet(path));
        }

        @Override
        public ImmutableList<ObjectNode> list(String path) {
            ImmutableList.Builder<ObjectNode> items = ImmutableList.builder();
            body(MockDispatcher.super.handleGet(path))
                    .ifPresent(list -> list.path("items").forEach(item -> items.add((ObjectNode) item)));
            return items.build();
        }

        @Override
        public Optional<ObjectNode> post(String path, ObjectNode object) {
            return body(MockDispatcher.super.handleCreate(request(HttpMethod.POST, path, object)));
        }

        @Override
        public Optional<ObjectNode> put(String path, ObjectNode object) {
            boolean going = object.path("metadata").has("deletionTimestamp")
                    && object.at("/metadata/finalizers").isEmpty();
            return going
                    ? Optional.of(keep(path.replaceFirst("/status$", ""), object))
                    : body(MockDispatcher.super.handleUpdate(request(HttpMethod.PUT, path, object)));
        }

        /** fabric8's takes whatever is to go and is held by no finalizer away at once; a pod is given time. */
        @Override
        public ObjectNode keep(String path, ObjectNode object) {
            ObjectNode kept = object.deepCopy();
            kept.withObjectProperty("metadata").put("resourceVersion", Long.toString(nextRevision()));
            String text = kept.toString();
            AttributeSet key = getKey(path);
            Map.Entry<AttributeSet, String> before = findResource(key);
            processEvent(
                    path,
                    key,
                    before == null ? null : before.getKey(),
                    Serialization.unmarshal(text, GenericKubernetesResource.class),
                    text);
            return kept;
        }

        @Override
        public void remove(String path) {
            AttributeSet key = getKey(path);
            Map.Entry<AttributeSet, String> present = findResource(key);
            processEvent(
                    path,
                    key,
                    present.getKey(),
                    Serialization.unmarshal(present.getValue(), GenericKubernetesResource.class),
                    null);
        }

        @Override
        public long nextRevision() {
            return requestResourceVersion();
        }

        private RecordedRequest request(HttpMethod method, String path, ObjectNode object) {
            return new RecordedRequest(
                    "HTTP/1.1", method, path, JSON, new Buffer(object.toString().getBytes(StandardCharsets.UTF_8)));
        }

        private Optional<ObjectNode> body(MockResponse answer) {
            return answer.code() / 100 == 2
                            && answer.getBody() != null
                            && answer.getBody().size() > 0
                    ? Optional.of((ObjectNode) JsonMapper.shared()
                            .readTree(new String(answer.getBody().getBytes(), StandardCharsets.UTF_8)))
                    : Optional.empty();
        }
    }

    @Override
    public MockResponse dispatch(RecordedRequest request) {
        Target target = Target.parse(request.getPath());
        try {
            if (target.isWatch() && request.method() == HttpMethod.GET) {
                return watch(target);
            }
            Answer answer = answer(
                    request.getMethod(),
                    target,
                    request.getHeader("Content-Type") == null ? "" : request.getHeader("Content-Type"),
                    request.getBody() == null || request.getBody().size() == 0
                            ? Optional.empty()
                            : Optional.of(JsonMapper.shared().readTree(request.getUtf8Body())));
            return response(answer.code(), answer.body());
        } catch (ApiFailure failure) {
            return response(failure.status().path("code").asInt(0), failure.status());
        } catch (BadSelector bad) {
            ApiFailure failure = Failures.badRequest(bad.text());
            return response(failure.status().path("code").asInt(0), failure.status());
        }
    }

    private static MockResponse response(int code, ObjectNode body) {
        return new MockResponse()
                .setResponseCode(code)
                .addHeader("Content-Type", "application/json")
                .setBody(body.toString());
    }

    /**
     * An answer.
     *
     * @param code of HTTP
     */
    record Answer(int code, ObjectNode body) {}

    /**
     * Answers anything but a watch.
     *
     * @throws ApiFailure as the API server would refuse it
     */
    synchronized Answer answer(String method, Target target, String contentType, Optional<JsonNode> body) {
        if (ALWAYS_ALLOWED.contains(target.plural())) {
            ObjectNode review = ((ObjectNode) body.orElseThrow()).deepCopy();
            review.withObjectProperty("status").put("allowed", true);
            return new Answer(CREATED, review);
        }
        if (target.plural().isEmpty()) {
            return new Answer(OK, Discovery.of(target, kinds));
        }
        ResourceType type = kinds.get(target.group(), target.plural());
        return switch (method) {
            case "GET" -> new Answer(OK, read(type, target));
            case "POST" -> post(type, target, (ObjectNode) body.orElseThrow());
            case "PUT" -> new Answer(OK, put(type, target, (ObjectNode) body.orElseThrow()));
            case "PATCH" -> new Answer(OK, patch(type, target, contentType, body.orElseThrow()));
            case "DELETE" ->
                new Answer(
                        OK,
                        deletion.delete(
                                type,
                                target,
                                body.map(node -> (ObjectNode) node).orElseGet(JsonMapper.shared()::createObjectNode)));
            default -> throw Failures.methodNotAllowed();
        };
    }

    private ObjectNode read(ResourceType type, Target target) {
        if (target.name().isEmpty()) {
            return Lists.of(type, target, objects.list(target), objects.revision());
        }
        ObjectNode object = objects.existing(type, target);
        return target.subresource().equals("scale") ? Scales.shown(object) : object;
    }

    private Answer post(ResourceType type, Target target, ObjectNode body) {
        if (target.subresource().equals("binding")) {
            ObjectNode pod = objects.existing(type, target);
            if (!pod.at("/spec/nodeName").asString("").isEmpty()) {
                throw Failures.conflict(type, target.name(), "pod is already assigned to a node");
            }
            ObjectNode bound = pod.deepCopy();
            bound.withObjectProperty("spec")
                    .put("nodeName", body.at("/target/name").asString(""));
            bound.withObjectProperty("status")
                    .withArrayProperty("conditions")
                    .addObject()
                    .put("type", "PodScheduled")
                    .put("status", "True");
            objects.replaceWhole(type, target, bound);
            return new Answer(CREATED, success());
        }
        if (target.subresource().equals("eviction")) {
            deletion.delete(type, target.named(target.name()), (ObjectNode) body.path("deleteOptions"));
            return new Answer(CREATED, success());
        }
        if (target.subresource().equals("token")) {
            ObjectNode token = body.deepCopy();
            token.withObjectProperty("status")
                    .put("token", "mock-token-of-" + target.name())
                    .put("expirationTimestamp", "2099-01-01T00:00:00Z");
            return new Answer(CREATED, token);
        }
        ObjectNode admitted = admitting.created(target, body);
        return new Answer(CREATED, objects.create(type, target, admitted));
    }

    private static ObjectNode success() {
        return JsonMapper.shared()
                .createObjectNode()
                .put("kind", "Status")
                .put("apiVersion", "v1")
                .put("status", "Success")
                .put("code", CREATED);
    }

    private ObjectNode put(ResourceType type, Target target, ObjectNode body) {
        ObjectNode present = objects.existing(type, target);
        String version = body.at("/metadata/resourceVersion").asString("");
        if (!version.isEmpty()
                && !version.equals(present.at("/metadata/resourceVersion").asString(""))) {
            throw Failures.modified(type, target.name());
        }
        return objects.update(type, target, present, body);
    }

    private ObjectNode patch(ResourceType type, Target target, String contentType, JsonNode patch) {
        ObjectNode present = objects.existing(type, target);
        if (target.subresource().equals("scale")) {
            ObjectNode scaled = present.deepCopy();
            scaled.withObjectProperty("spec").set("replicas", patch.at("/spec/replicas"));
            return Scales.shown(objects.update(type, target.named(target.name()), present, scaled));
        }
        try {
            ObjectNode patched = Patching.apply(type, contentType, present, patch);
            String version = patched.at("/metadata/resourceVersion").asString("");
            if (!version.equals(present.at("/metadata/resourceVersion").asString(""))) {
                throw Failures.modified(type, target.name());
            }
            String uid = patched.at("/metadata/uid").asString("");
            if (!uid.equals(present.at("/metadata/uid").asString(""))) {
                throw Failures.conflict(type, target.name(), "Precondition failed: UID in precondition: " + uid);
            }
            return objects.update(type, target, present, patched);
        } catch (PatchFailed failed) {
            throw Failures.badRequest(failed.text());
        }
    }

    private synchronized MockResponse watch(Target target) {
        kinds.get(target.group(), target.plural());
        String from = target.query("resourceVersion");
        boolean anew = from.isEmpty() || from.equals("0");
        long revision = anew ? objects.revision() : Long.parseLong(from);
        if (!anew && !hub.knows(revision)) {
            throw Failures.expired("too old resource version: " + from);
        }
        Picking picking = Picking.of(target);
        ImmutableList<ObjectNode> first = anew
                ? objects.list(target).stream().filter(picking::matches).collect(ImmutableList.toImmutableList())
                : ImmutableList.of();
        Optional<Duration> length = Optional.of(target.query("timeoutSeconds"))
                .filter(seconds -> !seconds.isEmpty())
                .map(seconds -> Duration.ofSeconds(Long.parseLong(seconds)));
        return new MockResponse().withWebSocketUpgrade(hub.watch(picking, revision, first, length));
    }

    synchronized Snapshot snapshot() {
        ImmutableMap.Builder<String, ImmutableMap<String, ObjectNode>> kept = ImmutableMap.builder();
        for (ResourceType type : kinds.all()) {
            Target target = target(type);
            ImmutableMap.Builder<String, ObjectNode> ofKind = ImmutableMap.builder();
            objects.list(target).forEach(object -> ofKind.put(Lists.key(object), object));
            kept.put(target.kindKey(), ofKind.buildOrThrow());
        }
        return new Snapshot(kept.buildOrThrow());
    }

    /**
     * The objects are those of the snapshot, with new versions: fabric8's counter never goes back. The built-in controllers hear what
     * differs; whoever watches is to list again.
     */
    synchronized void restore(Snapshot snapshot) {
        for (ResourceType type : kinds.all()) {
            Target target = target(type);
            Map<String, ObjectNode> wanted = new LinkedHashMap<>(snapshot.of(target.kindKey()));
            for (ObjectNode present : objects.list(target)) {
                ObjectNode kept = wanted.remove(Lists.key(present));
                Target one = target.in(present.at("/metadata/namespace").asString(""))
                        .named(present.at("/metadata/name").asString(""));
                if (kept == null) {
                    objects.remove(one, present);
                } else {
                    objects.restore(one, Optional.of(present), kept);
                }
            }
            wanted.values()
                    .forEach(kept -> objects.restore(
                            target.in(kept.at("/metadata/namespace").asString(""))
                                    .named(kept.at("/metadata/name").asString("")),
                            Optional.empty(),
                            kept));
        }
        hub.forget(objects.revision());
    }

    private static Target target(ResourceType type) {
        return new Target(type.group(), type.version(), type.plural(), "", "", "", ImmutableMap.of());
    }

    Kinds kinds() {
        return kinds;
    }
}
