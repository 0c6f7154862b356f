package dev.kip.controller.world;

import com.google.common.collect.ImmutableList;
import dev.kip.kube.DeleteQuery;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.Page;
import dev.kip.kube.PatchType;
import dev.kip.kube.ResourceKind;
import dev.kip.kube.WatchListener;
import dev.kip.kube.WatchQuery;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Objects by kind, as an API server keeps them: versions, preconditions, graceful deletion of pods, watches. */
final class FakeKube {

    private final VirtualTime time;
    private final Faults faults;
    private final Map<String, Map<String, ObjectNode>> objects = new TreeMap<>();
    private final List<Watching<?>> watches = new ArrayList<>();
    private final List<String> writes = new ArrayList<>();
    private long version = 1;
    private int tokens;

    FakeKube(VirtualTime time, Faults faults) {
        this.time = time;
        this.faults = faults;
    }

    /** Decides on the answer to a request before it has any effect. */
    private Function<String, Optional<KubeError>> refusals = request -> Optional.empty();

    void refuse(Function<String, Optional<KubeError>> rule) {
        refusals = rule;
    }

    private final List<String> muted = new ArrayList<>();
    private final List<String> hidden = new ArrayList<>();

    /** Watches of this kind tell nothing any more; lists do. */
    void mute(String plural) {
        muted.add(plural);
    }

    /** Lists of this kind are empty from now on. */
    void hide(String plural) {
        hidden.add(plural);
    }

    void show(String plural) {
        hidden.remove(plural);
    }

    /** Requests that changed, or would have changed, something. */
    List<String> writes() {
        return writes;
    }

    List<ObjectNode> all(String plural) {
        return ImmutableList.copyOf(of(plural).values());
    }

    Optional<ObjectNode> find(String plural, String ref) {
        return Optional.ofNullable(of(plural).get(ref));
    }

    Optional<ObjectNode> pod(String name) {
        return find("pods", "default/" + name);
    }

    private Map<String, ObjectNode> of(String plural) {
        return objects.computeIfAbsent(plural, key -> new TreeMap<>());
    }

    ObjectNode put(String plural, ObjectNode object) {
        ObjectNode metadata = object.withObject("/metadata");
        boolean isNew = !of(plural).containsKey(ref(object));
        if (!metadata.has("uid")) {
            metadata.put("uid", "uid-" + version + "-" + time.nanos());
            metadata.put("creationTimestamp", time.instant().toString());
        }
        metadata.put("resourceVersion", Long.toString(++version));
        of(plural).put(ref(object), object);
        tell(plural, isNew ? "ADDED" : "MODIFIED", object);
        return object.deepCopy();
    }

    void remove(String plural, String ref) {
        ObjectNode last = of(plural).remove(ref);
        if (last != null) {
            last.withObject("/metadata").put("resourceVersion", Long.toString(++version));
            tell(plural, "DELETED", last);
        }
    }

    /** Watches tell of the end of an object that went long ago. */
    void tellDeletionAgain(String plural, ObjectNode gone) {
        gone.withObject("/metadata").put("resourceVersion", Long.toString(++version));
        tell(plural, "DELETED", gone);
    }

    /** As kubectl delete does. */
    void deletePod(String name, int grace) {
        ObjectNode pod = pod(name).orElseThrow();
        pod.withObject("/metadata").put("deletionTimestamp", time.instant().toString());
        pod.withObject("/metadata").put("deletionGracePeriodSeconds", grace);
        put("pods", pod);
    }

    private void tell(String plural, String event, ObjectNode object) {
        for (Watching<?> watching : ImmutableList.copyOf(watches)) {
            if (watching.plural().equals(plural) && !muted.contains(plural)) {
                watching.tell(event, object.deepCopy());
            }
        }
    }

    /** Everything, as it is now. */
    record Backup(Map<String, Map<String, ObjectNode>> objects, long version) {}

    Backup backup() {
        return new Backup(copyOf(objects), version);
    }

    /** Everything as it was then; watches break, as when an etcd is replaced. */
    void restore(Backup backup) {
        objects.clear();
        objects.putAll(copyOf(backup.objects()));
        version = backup.version();
        breakWatches();
    }

    void breakWatches() {
        List<Watching<?>> open = ImmutableList.copyOf(watches);
        watches.clear();
        open.forEach(Watching::end);
    }

    private static Map<String, Map<String, ObjectNode>> copyOf(Map<String, Map<String, ObjectNode>> all) {
        Map<String, Map<String, ObjectNode>> copy = new TreeMap<>();
        all.forEach((plural, byRef) -> {
            Map<String, ObjectNode> kind = new TreeMap<>();
            byRef.forEach((ref, object) -> kind.put(ref, object.deepCopy()));
            copy.put(plural, kind);
        });
        return copy;
    }

    private static String ref(JsonNode object) {
        String namespace = object.path("metadata").path("namespace").asString("");
        String name = object.path("metadata").path("name").asString("");
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    private static boolean selects(String fieldSelector, JsonNode object) {
        if (fieldSelector.isEmpty()) {
            return true;
        }
        String[] parts = fieldSelector.split("=", 2);
        JsonNode found = object;
        for (String field : parts[0].split("\\.")) {
            found = found.path(field);
        }
        return found.asString("").equals(parts[1]);
    }

    KubeApi open(FakeProcess process) {
        return new View(process);
    }

    private record Watching<T>(
            FakeProcess process, String plural, ResourceKind<T> kind, String fields, WatchListener<T> listener) {

        void end() {
            process.after(
                    Duration.ofMillis(3), () -> listener.ended(new KubeError.Expired("the storage was replaced")));
        }

        void tell(String event, ObjectNode object) {
            if (!selects(fields, object)) {
                return;
            }
            process.after(Duration.ofMillis(3), () -> {
                T value = kind.codec().decode(object);
                if (event.equals("ADDED")) {
                    listener.added(value);
                } else if (event.equals("MODIFIED")) {
                    listener.modified(value);
                } else {
                    listener.deleted(value);
                }
            });
        }
    }

    private final class View implements KubeApi {

        private final FakeProcess process;

        View(FakeProcess process) {
            this.process = process;
        }

        private <T> CompletionStage<Outcome<T, KubeError>> request(
                String verb, ResourceKind<?> kind, String ref, Function<String, Outcome<T, KubeError>> effect) {
            String name = "kube " + verb + " " + kind.plural();
            boolean writing = !verb.equals("get") && !verb.equals("list");
            return faults.call(
                    process,
                    name,
                    () -> {
                        Optional<KubeError> refusal = refusals.apply(name);
                        if (refusal.isPresent()) {
                            return Outcome.failed(refusal.get());
                        }
                        if (writing) {
                            writes.add(verb + " " + kind.plural() + " " + ref);
                        }
                        return effect.apply(ref);
                    },
                    new KubeError.NoAnswer(name + ": no answer"));
        }

        @Override
        public <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref) {
            return request(
                    "get",
                    kind,
                    ref.toString(),
                    key -> answer(kind, of(kind.plural()).get(key)));
        }

        private <T> Outcome<T, KubeError> answer(ResourceKind<T> kind, @Nullable ObjectNode object) {
            return object == null
                    ? Outcome.failed(new KubeError.NotFound(kind.plural() + " not found"))
                    : Outcome.ok(kind.codec().decode(object.deepCopy()));
        }

        @Override
        public <T> CompletionStage<Outcome<Page<T>, KubeError>> list(ResourceKind<T> kind, ListQuery query) {
            return request("list", kind, "", key -> {
                ImmutableList.Builder<T> items = ImmutableList.builder();
                for (ObjectNode object : all(kind.plural())) {
                    if (selects(query.fieldSelector(), object) && !hidden.contains(kind.plural())) {
                        items.add(kind.codec().decode(object.deepCopy()));
                    }
                }
                return Outcome.ok(new Page<>(items.build(), ImmutableList.of(), Long.toString(version), ""));
            });
        }

        @Override
        public <T> Watch watch(ResourceKind<T> kind, WatchQuery query, WatchListener<T> listener) {
            boolean[] closed = {false};
            WatchListener<T> guarded = new Guarded<>(listener, closed);
            Watching<T> watching = new Watching<>(process, kind.plural(), kind, query.fieldSelector(), guarded);
            watches.removeIf(other -> other.process().dead());
            watches.add(watching);
            // What happened between list and watch: told as it is now.
            for (ObjectNode object : all(kind.plural())) {
                long at = Long.parseLong(
                        object.path("metadata").path("resourceVersion").asString("0"));
                if (at > Long.parseLong(query.resourceVersion())) {
                    watching.tell("MODIFIED", object.deepCopy());
                }
            }
            return () -> {
                closed[0] = true;
                watches.remove(watching);
            };
        }

        @Override
        public <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object) {
            ObjectNode tree = kind.codec().encode(object).deepCopy();
            tree.path("metadata");
            if (kind.namespaced()) {
                tree.withObject("/metadata").put("namespace", namespace);
            }
            tree.withObject("/metadata").remove("uid");
            tree.withObject("/metadata").remove("resourceVersion");
            return request("create", kind, ref(tree), key -> {
                if (of(kind.plural()).containsKey(key)) {
                    return Outcome.failed(new KubeError.AlreadyExists(key + " exists"));
                }
                return answer(kind, put(kind.plural(), tree));
            });
        }

        @Override
        public <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object) {
            ObjectNode tree = kind.codec().encode(object).deepCopy();
            return request("replace", kind, ref.toString(), key -> {
                ObjectNode old = of(kind.plural()).get(key);
                if (old == null) {
                    return Outcome.failed(new KubeError.NotFound(key));
                }
                String wanted = tree.path("metadata").path("resourceVersion").asString("");
                if (!wanted.isEmpty()
                        && !wanted.equals(
                                old.path("metadata").path("resourceVersion").asString(""))) {
                    return Outcome.failed(new KubeError.Conflict(key + " has changed"));
                }
                tree.withObject("/metadata").set("uid", old.path("metadata").path("uid"));
                if (old.path("metadata").has("deletionTimestamp")) {
                    tree.withObject("/metadata")
                            .set("deletionTimestamp", old.path("metadata").path("deletionTimestamp"));
                    if (!isHeld(tree)) {
                        remove(kind.plural(), key);
                        return answer(kind, tree);
                    }
                }
                return answer(kind, put(kind.plural(), tree));
            });
        }

        @Override
        public <T> CompletionStage<Outcome<T, KubeError>> patch(
                ResourceKind<T> kind, ObjectRef ref, String subresource, PatchType type, JsonNode patch) {
            return request("patch", kind, ref.toString(), key -> {
                ObjectNode old = of(kind.plural()).get(key);
                if (old == null) {
                    return Outcome.failed(new KubeError.NotFound(key));
                }
                String uid = patch.path("metadata").path("uid").asString("");
                if (!uid.isEmpty()
                        && !uid.equals(old.path("metadata").path("uid").asString(""))) {
                    return Outcome.failed(new KubeError.Conflict(key + " has another uid"));
                }
                ObjectNode next = old.deepCopy();
                merge(next, patch);
                return answer(kind, put(kind.plural(), next));
            });
        }

        private static void merge(ObjectNode target, JsonNode patch) {
            patch.properties().forEach(entry -> {
                JsonNode value = entry.getValue();
                if (value.isNull()) {
                    target.remove(entry.getKey());
                } else if (value.isObject()) {
                    if (!target.path(entry.getKey()).isObject()) {
                        target.putObject(entry.getKey());
                    }
                    merge((ObjectNode) target.get(entry.getKey()), value);
                } else {
                    target.set(entry.getKey(), value.deepCopy());
                }
            });
        }

        @Override
        public CompletionStage<Outcome<Deleted, KubeError>> delete(
                ResourceKind<?> kind, ObjectRef ref, DeleteQuery query) {
            return request("delete", kind, ref.toString(), key -> {
                ObjectNode old = of(kind.plural()).get(key);
                if (old == null) {
                    return Outcome.failed(new KubeError.NotFound(key));
                }
                String uid = old.path("metadata").path("uid").asString("");
                if (query.uid().isPresent() && !query.uid().get().equals(uid)) {
                    return Outcome.failed(new KubeError.Conflict(key + " has another uid"));
                }
                boolean atOnce = query.gracePeriodSeconds().orElse(-1) == 0;
                if (kind.plural().equals("pods") && !atOnce) {
                    deletePod(
                            ref.name(),
                            old.path("spec")
                                    .path("terminationGracePeriodSeconds")
                                    .asInt(30));
                } else if (!kind.plural().equals("pods") && isHeld(old)) {
                    ObjectNode marked = old.deepCopy();
                    marked.withObject("/metadata")
                            .put("deletionTimestamp", time.instant().toString());
                    put(kind.plural(), marked);
                } else {
                    remove(kind.plural(), key);
                }
                return Outcome.ok(new Deleted());
            });
        }

        @Override
        public CompletionStage<Outcome<JsonNode, KubeError>> post(
                ResourceKind<?> kind, ObjectRef ref, String subresource, JsonNode body) {
            return request("post", kind, ref.toString(), key -> {
                if (subresource.equals("token")) {
                    return token(ref, body);
                }
                if (!subresource.equals("eviction") || !of(kind.plural()).containsKey(key)) {
                    return Outcome.failed(new KubeError.NotFound(key + "/" + subresource));
                }
                deletePod(ref.name(), 30);
                return Outcome.ok(body);
            });
        }
    }

    /** As asked for, and worth something only while the pod that it is bound to is there. */
    private Outcome<JsonNode, KubeError> token(ObjectRef account, JsonNode request) {
        JsonNode bound = request.at("/spec/boundObjectRef");
        Optional<ObjectNode> pod = pod(bound.path("name").asString(""));
        if (pod.isEmpty() || !pod.get().at("/metadata/uid").equals(bound.path("uid"))) {
            return Outcome.failed(new KubeError.Conflict("the UID in the bound object reference does not match"));
        }
        ObjectNode answer = ((ObjectNode) request).deepCopy();
        tokens++;
        answer.withObject("/status")
                .put(
                        "token",
                        "token " + tokens + " of " + account.name() + " for "
                                + request.at("/spec/audiences/0").asString("the API server"))
                .put(
                        "expirationTimestamp",
                        time.instant()
                                .plusSeconds(
                                        request.at("/spec/expirationSeconds").asLong())
                                .toString());
        return Outcome.ok(answer);
    }

    private static boolean isHeld(JsonNode object) {
        return !object.path("metadata").path("finalizers").isEmpty();
    }

    private record Guarded<T>(WatchListener<T> listener, boolean[] closed) implements WatchListener<T> {
        @Override
        public void opened() {}

        @Override
        public void added(T object) {
            if (!closed[0]) {
                listener.added(object);
            }
        }

        @Override
        public void modified(T object) {
            if (!closed[0]) {
                listener.modified(object);
            }
        }

        @Override
        public void deleted(T object) {
            if (!closed[0]) {
                listener.deleted(object);
            }
        }

        @Override
        public void bookmark(String resourceVersion) {}

        @Override
        public void refused(ObjectRef ref, String problem) {
            throw new AssertionError(ref + ": " + problem);
        }

        @Override
        public void ended(KubeError reason) {
            if (!closed[0]) {
                listener.ended(reason);
            }
        }
    }
}
