package dev.kip.kube;

import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@link KubeApi} over fabric8's HTTP client. Each call is one request: the client that is handed in must have its own
 * retries switched off. Called on the loop.
 */
public final class HttpKubeApi implements KubeApi {

    private final HttpClient client;
    private final KubeRequests requests;
    private final Loop loop;
    private final Executor decoder;
    private final Duration timeout;

    /**
     * @param base where the API server is; may have a path
     * @param decoder runs the decoding of bodies
     * @param timeout how long an answer may take, from the call to its last byte; for a watch, to its opening
     */
    public HttpKubeApi(HttpClient client, URI base, Loop loop, Executor decoder, Duration timeout) {
        this.client = client;
        this.requests = new KubeRequests(client, base);
        this.loop = loop;
        this.decoder = decoder;
        this.timeout = timeout;
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> get(ResourceKind<T> kind, ObjectRef ref) {
        return object(named("get", kind, ref, ""), kind, false, requests.get(requests.object(kind, ref, "")));
    }

    @Override
    public <T> CompletionStage<Outcome<Page<T>, KubeError>> list(ResourceKind<T> kind, ListQuery query) {
        String what = "list " + kind.plural() + within(query.namespace());
        return send(what, false, requests.get(requests.list(kind, query)), answer -> Bodies.page(what, kind, answer));
    }

    @Override
    public <T> Watch watch(ResourceKind<T> kind, WatchQuery query, WatchListener<T> listener) {
        String what = "watch " + kind.plural() + within(query.namespace());
        var session = new WatchSession<>(what, kind, query, loop, decoder, timeout, listener);
        URI uri = requests.watch(kind, query);
        if (query.webSocket()) {
            SocketCarrier.open(requests.webSocket(uri), session);
        } else {
            StreamCarrier.open(client, requests.stream(uri), session);
        }
        return session;
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> create(ResourceKind<T> kind, String namespace, T object) {
        ObjectNode body = encode(kind, object);
        ObjectRef ref = new ObjectRef(namespace, KubeJson.refOf(body).name());
        return object(
                named("create", kind, ref, ""),
                kind,
                true,
                requests.send("POST", requests.collection(kind, namespace), body));
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> replace(ResourceKind<T> kind, ObjectRef ref, T object) {
        return object(
                named("replace", kind, ref, ""),
                kind,
                true,
                requests.send("PUT", requests.object(kind, ref, ""), encode(kind, object)));
    }

    @Override
    public <T> CompletionStage<Outcome<T, KubeError>> patch(
            ResourceKind<T> kind, ObjectRef ref, String subresource, PatchType type, JsonNode patch) {
        return object(
                named("patch", kind, ref, subresource),
                kind,
                true,
                requests.send("PATCH", requests.object(kind, ref, subresource), type.mediaType(), patch));
    }

    @Override
    public CompletionStage<Outcome<Deleted, KubeError>> delete(ResourceKind<?> kind, ObjectRef ref, DeleteQuery query) {
        String what = named("delete", kind, ref, "");
        // The answer is the object or a Status, by kind and server: that it is JSON is all that counts.
        return send(
                what,
                true,
                requests.send("DELETE", requests.object(kind, ref, ""), options(query)),
                answer -> Bodies.json(what, answer).map(any -> new Deleted()));
    }

    @Override
    public CompletionStage<Outcome<JsonNode, KubeError>> post(
            ResourceKind<?> kind, ObjectRef ref, String subresource, JsonNode body) {
        String what = named("post", kind, ref, subresource);
        return send(
                what,
                true,
                requests.send("POST", requests.object(kind, ref, subresource), body),
                answer -> Bodies.json(what, answer).map(json -> (JsonNode) json));
    }

    private <T> CompletionStage<Outcome<T, KubeError>> object(
            String what, ResourceKind<T> kind, boolean mutates, HttpRequest request) {
        return send(what, mutates, request, answer -> Bodies.object(what, kind, answer));
    }

    private <T> CompletionStage<Outcome<T, KubeError>> send(
            String what, boolean mutates, HttpRequest request, Function<HttpAnswer, Outcome<T, KubeError>> decode) {
        return Exchange.send(
                what,
                client,
                loop,
                decoder,
                timeout,
                request,
                answer -> answer.successful()
                        ? decode.apply(answer)
                        : Outcome.failed(Statuses.read(what, mutates, answer)));
    }

    private static <T> ObjectNode encode(ResourceKind<T> kind, T object) {
        ObjectNode body = kind.codec().encode(object);
        if (!body.has("apiVersion") || !body.has("kind")) {
            body = body.deepCopy();
            body.put("apiVersion", kind.apiVersion());
            body.put("kind", kind.kind());
        }
        return body;
    }

    private static ObjectNode options(DeleteQuery query) {
        ObjectNode options = KubeJson.MAPPER.createObjectNode();
        options.put("kind", "DeleteOptions").put("apiVersion", "v1");
        query.gracePeriodSeconds().ifPresent(seconds -> options.put("gracePeriodSeconds", seconds));
        if (query.uid().isPresent() || query.resourceVersion().isPresent()) {
            ObjectNode preconditions = options.putObject("preconditions");
            query.uid().ifPresent(uid -> preconditions.put("uid", uid));
            query.resourceVersion().ifPresent(version -> preconditions.put("resourceVersion", version));
        }
        return options;
    }

    private static String named(String verb, ResourceKind<?> kind, ObjectRef ref, String subresource) {
        return verb + " " + kind.plural() + (subresource.isEmpty() ? "" : "/" + subresource) + " " + ref;
    }

    private static String within(String namespace) {
        return namespace.isEmpty() ? "" : " in " + namespace;
    }
}
