package dev.kip.controller.effects;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterables;
import com.google.common.net.HostAndPort;
import dev.kip.bundle.BundleBuilder;
import dev.kip.bundle.Materials;
import dev.kip.bundle.Reference;
import dev.kip.bundle.Refusal;
import dev.kip.bundle.TokenReference;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.cells.Origin;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What one pod refers to, read one after the other: objects, then tokens of its service account. Confined to the loop. */
final class PodMaterials {

    private static final ResourceKind<ObjectNode> SECRETS = Kinds.SECRETS.as(Codecs.tree());
    private static final ResourceKind<ObjectNode> CONFIG_MAPS = Kinds.CONFIG_MAPS.as(Codecs.tree());

    /** As kubelet: a token is replaced when a fifth of its life is left. */
    private static final double RENEWED_AT = 0.8;

    private final Loop loop;
    private final KubeApi kube;
    private final Calls calls;
    private final ObjectNode pod;
    private final Then then;
    private final ImmutableList<Reference> references;
    private final ImmutableList<TokenReference> wanted;
    private final Map<String, ObjectNode> secrets = new TreeMap<>();
    private final Map<String, ObjectNode> configMaps = new TreeMap<>();
    private final Map<TokenReference, String> tokens = new TreeMap<>();
    private Optional<Duration> shortest = Optional.empty();
    private int read;
    private int asked;

    /** What becomes of it: one of them is called, once. */
    interface Then {
        void complete(PodMaterials materials);

        /** The pod's owner can mend it. */
        void refused(Refusal refusal);

        /** The API server did not answer as it should: tried again. */
        void failed();
    }

    PodMaterials(Loop loop, KubeApi kube, Calls calls, ObjectNode pod, Then then) {
        this.loop = loop;
        this.kube = kube;
        this.calls = calls;
        this.pod = pod;
        this.then = then;
        this.references = withPullSecrets(pod);
        this.wanted = BundleBuilder.tokens(pod);
    }

    static ResourceKind<ObjectNode> kind(Reference.Kind kind) {
        return kind == Reference.Kind.SECRET ? SECRETS : CONFIG_MAPS;
    }

    /** @param apiServer where the pod finds the API server */
    Materials materials(Optional<HostAndPort> apiServer) {
        return new Materials(
                ImmutableMap.copyOf(secrets), ImmutableMap.copyOf(configMaps), ImmutableMap.copyOf(tokens), apiServer);
    }

    /** What the pod runs without, because it may and it is not there. */
    ImmutableList<Reference> absent() {
        return BundleBuilder.references(pod).stream()
                .filter(reference ->
                        reference.optional() && !of(reference.kind()).containsKey(reference.name()))
                .collect(ImmutableList.toImmutableList());
    }

    /** @param content digest of the pod that it was gathered for */
    Origin origin(String content) {
        ImmutableMap.Builder<Origin.ObjectKey, String> versions = ImmutableMap.builder();
        for (Reference reference : mounted()) {
            versions.put(
                    new Origin.ObjectKey(reference.kind(), reference.name()),
                    Optional.ofNullable(of(reference.kind()).get(reference.name()))
                            .map(HandedObjects::version)
                            .orElse(""));
        }
        Optional<Instant> renew = shortest.map(life -> loop.now().plusMillis((long) (life.toMillis() * RENEWED_AT)));
        return new Origin(content, namespace(), versions.buildOrThrow(), renew);
    }

    /** Variables are read when a container starts, and stay; files change. */
    private ImmutableList<Reference> mounted() {
        ObjectNode volumesOnly = pod.deepCopy();
        if (volumesOnly.path("spec") instanceof ObjectNode spec) {
            spec.remove("containers");
            spec.remove("initContainers");
        }
        return withPullSecrets(volumesOnly);
    }

    private static ImmutableList<Reference> withPullSecrets(ObjectNode pod) {
        Map<Origin.ObjectKey, Reference> all = new LinkedHashMap<>();
        for (Reference reference : Iterables.concat(BundleBuilder.references(pod), BundleBuilder.pullSecrets(pod))) {
            all.putIfAbsent(new Origin.ObjectKey(reference.kind(), reference.name()), reference);
        }
        return ImmutableList.copyOf(all.values());
    }

    private Map<String, ObjectNode> of(Reference.Kind kind) {
        return kind == Reference.Kind.SECRET ? secrets : configMaps;
    }

    private String namespace() {
        return pod.path("metadata").path("namespace").asString("");
    }

    void next() {
        if (read < references.size()) {
            get(references.get(read++));
        } else if (asked < wanted.size()) {
            ask(wanted.get(asked++));
        } else {
            then.complete(this);
        }
    }

    private void get(Reference reference) {
        ResourceKind<ObjectNode> kind = kind(reference.kind());
        calls.on(
                "kube",
                "get " + kind.plural(),
                kube.get(kind, new ObjectRef(namespace(), reference.name())),
                object -> {
                    of(reference.kind()).put(reference.name(), object);
                    next();
                },
                error -> {
                    if (error instanceof KubeError.NotFound) {
                        next(); // whether that matters is for the builder to say
                    } else if (error instanceof KubeError.Forbidden) {
                        then.refused(new Refusal(
                                Refusal.Kind.MISSING,
                                "spec",
                                reference.kind().text() + " \"" + reference.name() + "\" may not be read: "
                                        + error.message()));
                    } else {
                        then.failed();
                    }
                });
    }

    /** Bound to the pod: when that is gone, the token is worth nothing. */
    private void ask(TokenReference wish) {
        String account = pod.path("spec").path("serviceAccountName").asString("default");
        ObjectNode request = wish.request();
        request.withObjectProperty("spec")
                .putObject("boundObjectRef")
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("name", pod.path("metadata").path("name").asString(""))
                .put("uid", pod.path("metadata").path("uid").asString(""));
        calls.on(
                "kube",
                "create serviceaccounts/token",
                kube.post(Kinds.SERVICE_ACCOUNTS, new ObjectRef(namespace(), account), "token", request),
                answer -> take(wish, account, answer),
                error -> {
                    if (error instanceof KubeError.NotFound
                            || error instanceof KubeError.Forbidden
                            || error instanceof KubeError.Invalid
                            || error instanceof KubeError.Conflict) {
                        refuse(account, error.message());
                    } else {
                        then.failed();
                    }
                });
    }

    private void take(TokenReference wish, String account, JsonNode answer) {
        String token = answer.path("status").path("token").asString("");
        long seconds = answer.path("spec").path("expirationSeconds").asLong(wish.expirationSeconds());
        if (token.isEmpty() || seconds <= 0) {
            refuse(account, "the API server answered without one");
            return;
        }
        tokens.put(wish, token);
        Duration life = Duration.ofSeconds(seconds);
        shortest =
                Optional.of(shortest.filter(other -> other.compareTo(life) <= 0).orElse(life));
        next();
    }

    private void refuse(String account, String why) {
        then.refused(new Refusal(
                Refusal.Kind.MISSING,
                "spec.volumes",
                "failed to fetch a token of service account \"" + account + "\": " + why));
    }
}
