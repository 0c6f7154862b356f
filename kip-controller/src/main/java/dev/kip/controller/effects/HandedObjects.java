package dev.kip.controller.effects;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.Reference;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.Origin;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import tools.jackson.databind.node.ObjectNode;

/**
 * Notices that what a running pod was handed is no longer so: a secret or config map that it has mounted has changed, or
 * its tokens have grown old. Each object is asked for once in a period, however many pods have it. Confined to the loop.
 */
final class HandedObjects {

    /** A change is to be in the pod's files within a minute. */
    private static final Duration PERIOD = Duration.ofSeconds(40);

    /** After a start: nobody has looked for a while. */
    private static final Duration FIRST = Duration.ofSeconds(5);

    /** Every pod that still runs has been handed over anew by then. */
    private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(50);

    /** No token is older than this, as with kubelet: also if a clock was wrong. */
    private static final Duration OLDEST = Duration.ofHours(24);

    private final Loop loop;
    private final KubeApi kube;
    private final Calls calls;
    private final Function<Reference.Kind, ResourceKind<ObjectNode>> kinds;
    private final Map<String, Held> pods = new LinkedHashMap<>();
    private boolean asking;

    /** What one pod was handed. */
    private record Held(Origin origin, Consumer<CellFact> fact, long at, long renewAt) {}

    private record Key(String namespace, Origin.ObjectKey object) {}

    HandedObjects(Loop loop, KubeApi kube, Calls calls, Function<Reference.Kind, ResourceKind<ObjectNode>> kinds) {
        this.loop = loop;
        this.kube = kube;
        this.calls = calls;
        this.kinds = kinds;
    }

    /** A pod was handed over. */
    void handed(String uid, Origin origin, Consumer<CellFact> fact) {
        pods.remove(uid);
        if (!origin.versions().isEmpty() || origin.renew().isPresent()) {
            long now = loop.nanos();
            Duration left = origin.renew()
                    .map(time -> Duration.between(loop.now(), time))
                    .filter(duration -> duration.compareTo(OLDEST) < 0)
                    .orElse(OLDEST);
            pods.put(uid, new Held(origin, fact, now, now + left.toNanos()));
            begin(PERIOD);
        }
    }

    /** A cell says what it was handed, by an earlier incarnation perhaps. */
    void found(String uid, String origin, Consumer<CellFact> fact) {
        if (!pods.containsKey(uid)) {
            Origin.parse(origin).ifPresent(parsed -> {
                begin(FIRST);
                handed(uid, parsed, fact);
            });
        }
    }

    private void begin(Duration pause) {
        if (!asking) {
            asking = true;
            calls.after(pause, "handed objects", this::askAll);
        }
    }

    private void askAll() {
        asking = false;
        long now = loop.nanos();
        pods.values().removeIf(held -> now - held.at() > FORGOTTEN_AFTER.toNanos());
        changed(held -> held.origin().renew().isPresent() && now - held.renewAt() >= 0);
        Map<Key, Boolean> distinct = new LinkedHashMap<>();
        pods.values()
                .forEach(held -> held.origin()
                        .versions()
                        .keySet()
                        .forEach(key -> distinct.put(new Key(held.origin().namespace(), key), true)));
        if (!distinct.isEmpty()) {
            asking = true;
            ask(ImmutableList.copyOf(distinct.keySet()), 0, new LinkedHashMap<>());
        } else if (!pods.isEmpty()) {
            begin(PERIOD);
        }
    }

    /** One after the other: there is no hurry. */
    private void ask(ImmutableList<Key> keys, int at, Map<Key, String> now) {
        if (at == keys.size()) {
            changed(held -> held.origin().versions().entrySet().stream().anyMatch(entry -> {
                Key key = new Key(held.origin().namespace(), entry.getKey());
                return !now.getOrDefault(key, entry.getValue()).equals(entry.getValue());
            }));
            asking = false;
            begin(PERIOD);
            return;
        }
        Key key = keys.get(at);
        ResourceKind<ObjectNode> kind = kinds.apply(key.object().kind());
        calls.on(
                "kube",
                "get " + kind.plural(),
                kube.get(kind, new ObjectRef(key.namespace(), key.object().name())),
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

    static String version(ObjectNode object) {
        return object.path("metadata").path("resourceVersion").asString("");
    }

    private void changed(Predicate<Held> is) {
        Map<String, Held> changed = new TreeMap<>();
        Iterator<Map.Entry<String, Held>> each = pods.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<String, Held> entry = each.next();
            if (is.test(entry.getValue())) {
                changed.put(entry.getKey(), entry.getValue());
                each.remove(); // until it is handed over anew
            }
        }
        changed.values().forEach(held -> held.fact().accept(new CellFact.ContentChanged()));
    }
}
