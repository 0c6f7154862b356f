package dev.kip.controller.effects;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.bundle.BundleBuilder;
import dev.kip.bundle.Reference;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFact;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/**
 * Notices that a secret or config map has changed which a running pod has mounted: each is asked for once in a period,
 * however many pods have it. Confined to the loop.
 */
final class HandedObjects {

    /** A change is to be in the pod's files within a minute. */
    private static final Duration PERIOD = Duration.ofSeconds(40);

    /** Every pod that still runs has been handed over anew by then. */
    private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(50);

    private final Loop loop;
    private final KubeApi kube;
    private final Calls calls;
    private final Function<Reference.Kind, ResourceKind<ObjectNode>> kinds;
    private final Map<String, Held> pods = new LinkedHashMap<>();
    private boolean asking;

    /** What one pod was handed. */
    private record Held(ImmutableMap<Key, String> versions, Consumer<CellFact> fact, long at) {}

    private record Key(String namespace, Reference.Kind kind, String name) {}

    HandedObjects(Loop loop, KubeApi kube, Calls calls, Function<Reference.Kind, ResourceKind<ObjectNode>> kinds) {
        this.loop = loop;
        this.kube = kube;
        this.calls = calls;
        this.kinds = kinds;
    }

    /**
     * A pod was handed over.
     *
     * @param found what it refers to, as it was read
     */
    void handed(ObjectNode pod, Function<Reference, Optional<ObjectNode>> found, Consumer<CellFact> fact) {
        String namespace = pod.path("metadata").path("namespace").asString("");
        ImmutableMap.Builder<Key, String> versions = ImmutableMap.builder();
        for (Reference reference : mounted(pod)) {
            versions.put(
                    new Key(namespace, reference.kind(), reference.name()),
                    found.apply(reference).map(HandedObjects::version).orElse(""));
        }
        ImmutableMap<Key, String> held = versions.buildOrThrow();
        String uid = pod.path("metadata").path("uid").asString("");
        pods.remove(uid);
        if (!held.isEmpty()) {
            pods.put(uid, new Held(held, fact, loop.nanos()));
            begin();
        }
    }

    /** Variables are read when a container starts, and stay; files change. */
    private static ImmutableList<Reference> mounted(ObjectNode pod) {
        ObjectNode volumesOnly = pod.deepCopy();
        if (volumesOnly.path("spec") instanceof ObjectNode spec) {
            spec.remove("containers");
            spec.remove("initContainers");
        }
        return BundleBuilder.references(volumesOnly);
    }

    private static String version(ObjectNode object) {
        return object.path("metadata").path("resourceVersion").asString("");
    }

    private void begin() {
        if (!asking) {
            asking = true;
            calls.after(PERIOD, "handed objects", this::askAll);
        }
    }

    private void askAll() {
        asking = false;
        pods.values().removeIf(held -> loop.nanos() - held.at() > FORGOTTEN_AFTER.toNanos());
        Map<Key, Boolean> distinct = new LinkedHashMap<>();
        pods.values().forEach(held -> held.versions().keySet().forEach(key -> distinct.put(key, true)));
        if (!distinct.isEmpty()) {
            asking = true;
            ask(ImmutableList.copyOf(distinct.keySet()), 0, new LinkedHashMap<>());
        }
    }

    /** One after the other: there is no hurry. */
    private void ask(ImmutableList<Key> keys, int at, Map<Key, String> now) {
        if (at == keys.size()) {
            compare(now);
            asking = false;
            begin();
            return;
        }
        Key key = keys.get(at);
        ResourceKind<ObjectNode> kind = kinds.apply(key.kind());
        calls.on(
                "kube",
                "get " + kind.plural(),
                kube.get(kind, new ObjectRef(key.namespace(), key.name())),
                object -> {
                    now.put(key, version(object));
                    ask(keys, at + 1, now);
                },
                error -> {
                    if (error instanceof KubeError.NotFound) {
                        now.put(key, "");
                    }
                    ask(keys, at + 1, now);
                });
    }

    private void compare(Map<Key, String> now) {
        Map<String, Held> changed = new TreeMap<>();
        Iterator<Map.Entry<String, Held>> each = pods.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<String, Held> entry = each.next();
            boolean differs = entry.getValue().versions().entrySet().stream()
                    .anyMatch(held ->
                            !now.getOrDefault(held.getKey(), held.getValue()).equals(held.getValue()));
            if (differs) {
                changed.put(entry.getKey(), entry.getValue());
                each.remove(); // until it is handed over anew
            }
        }
        changed.values().forEach(held -> held.fact().accept(new CellFact.ContentChanged()));
    }
}
