package dev.kip.controller.effects;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.Reference;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.store.PodFacts;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * Whether what a pod cannot start without exists, asked before it costs an instance. Pods that come together ask once for an
 * object. Confined to the loop.
 */
public final class RequiredObjects {

    /** An object that was there a moment ago is there. */
    private static final Duration REMEMBERED = Duration.ofSeconds(10);

    private final Loop loop;
    private final KubeApi kube;
    private final Calls calls;
    private final Map<Key, Long> found = new LinkedHashMap<>();
    private final Map<Key, List<Consumer<Optional<Problem>>>> asked = new LinkedHashMap<>();

    private record Key(String namespace, Reference.Kind kind, String name) {}

    public RequiredObjects(Loop loop, KubeApi kube, Calls calls) {
        this.loop = loop;
        this.kube = kube;
        this.calls = calls;
    }

    /** @param then told what is missing; empty if nothing is known to be */
    public void check(PodFacts pod, Consumer<Optional<Problem>> then) {
        next(pod.ref().namespace(), pod.required(), 0, then);
    }

    private void next(String namespace, ImmutableList<Reference> required, int at, Consumer<Optional<Problem>> then) {
        if (at == required.size()) {
            then.accept(Optional.empty());
            return;
        }
        Reference reference = required.get(at);
        ask(new Key(namespace, reference.kind(), reference.name()), missing -> {
            if (missing.isPresent()) {
                then.accept(missing);
            } else {
                next(namespace, required, at + 1, then);
            }
        });
    }

    private void ask(Key key, Consumer<Optional<Problem>> then) {
        long now = loop.nanos();
        found.values().removeIf(time -> now - time > REMEMBERED.toNanos());
        if (found.containsKey(key)) {
            then.accept(Optional.empty());
            return;
        }
        List<Consumer<Optional<Problem>>> waiting = asked.computeIfAbsent(key, first -> new ArrayList<>());
        waiting.add(then);
        if (waiting.size() > 1) {
            return;
        }
        ResourceKind<ObjectNode> kind = PodMaterials.kind(key.kind());
        calls.on(
                "kube",
                "get " + kind.plural(),
                kube.get(kind, new ObjectRef(key.namespace(), key.name())),
                object -> {
                    found.put(key, loop.nanos());
                    answer(key, Optional.empty());
                },
                error -> answer(key, missing(key, error)));
    }

    /** What is not known for certain keeps no pod from its instance: it is asked for again when that is handed the pod. */
    private static Optional<Problem> missing(Key key, KubeError error) {
        String object = key.kind().text() + " \"" + key.name() + "\"";
        if (error instanceof KubeError.NotFound) {
            return Optional.of(new Problem(
                    reason("Mandatory", key.kind()),
                    object + " not found: the pod gets its instance when it is there"));
        }
        return error instanceof KubeError.Forbidden
                ? Optional.of(new Problem("ReferenceForbidden", object + " may not be read: " + error.message()))
                : Optional.empty();
    }

    /** As virtual nodes of the virtual-kubelet project name it: {@code MandatorySecretNotFound}, for example. */
    static String reason(String need, Reference.Kind kind) {
        return need + (kind == Reference.Kind.SECRET ? "Secret" : "ConfigMap") + "NotFound";
    }

    private void answer(Key key, Optional<Problem> missing) {
        Optional.ofNullable(asked.remove(key)).ifPresent(waiting -> waiting.forEach(then -> then.accept(missing)));
    }
}
