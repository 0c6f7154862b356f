package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a story asks of an API server itself, as its admin: plain requests that share no code with the product. */
public final class AdminApi {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);
    private static final int MOST_TRIES = 200;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Lower-case singular, and where its objects are. */
    private static final ImmutableMap<String, String> PATHS = ImmutableMap.<String, String>builder()
            .put("pod", "/api/v1/NS/pods")
            .put("event", "/api/v1/NS/events")
            .put("secret", "/api/v1/NS/secrets")
            .put("node", "/api/v1/nodes")
            .put("deployment", "/apis/apps/v1/NS/deployments")
            .put("daemonset", "/apis/apps/v1/NS/daemonsets")
            .put("replicaset", "/apis/apps/v1/NS/replicasets")
            .put("serviceaccount", "/api/v1/NS/serviceaccounts")
            .put("namespace", "/api/v1/namespaces")
            .put("crd", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
            .put("lease", "/apis/coordination.k8s.io/v1/NS/leases")
            .put("cell", "/apis/kip.elotl.co/v1/cells")
            .put("installation", "/apis/kip.elotl.co/v1/installations")
            .put("launchbatch", "/apis/kip.elotl.co/v1/launchbatches")
            .build();

    private final URI server;
    private final String token;
    private final HttpClient client;

    /** @param tls who is trusted, and with what */
    public AdminApi(URI server, SSLContext tls, String token) {
        this.server = server;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(tls)
                .connectTimeout(TIMEOUT)
                .build();
        this.token = token;
    }

    /** Every object of the kind; none if the API server does not know it yet. */
    public ImmutableList<ObjectNode> list(String kind) {
        ImmutableList.Builder<ObjectNode> objects = ImmutableList.builder();
        send("GET", path(kind, "").orElseThrow(), Optional.empty())
                .ifPresent(list -> list.path("items").forEach(item -> objects.add((ObjectNode) item)));
        return objects.build();
    }

    public Optional<ObjectNode> get(String kind, String namespace, String name) {
        return send("GET", object(kind, namespace, name), Optional.empty());
    }

    public void create(ObjectNode object) {
        String kind = object.path("kind").asString("").toLowerCase(Locale.ROOT);
        send("POST", path(kind, object.at("/metadata/namespace").asString("")).orElseThrow(), Optional.of(object));
    }

    /** Creates it unless there is one of its name. */
    void createOnce(ObjectNode object) {
        String kind = object.path("kind").asString("").equals("CustomResourceDefinition")
                ? "crd"
                : object.path("kind").asString("").toLowerCase(Locale.ROOT);
        String namespace = object.at("/metadata/namespace").asString("");
        if (get(kind, namespace, object.at("/metadata/name").asString("")).isEmpty()) {
            send("POST", path(kind, namespace).orElseThrow(), Optional.of(object));
        }
    }

    /** Whether the path is answered with success; not while nobody answers. */
    boolean answers(String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(server.resolve(path))
                    .timeout(TIMEOUT)
                    .header("Authorization", "Bearer " + token)
                    .build();
            return exchange(request).statusCode() == 200;
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }

    /** Deletes if it is there; dependants go too. */
    public void delete(String kind, String namespace, String name, Optional<Long> graceSeconds) {
        ObjectNode options = JSON.createObjectNode().put("propagationPolicy", "Background");
        graceSeconds.ifPresent(grace -> options.put("gracePeriodSeconds", grace));
        send("DELETE", object(kind, namespace, name), Optional.of(options));
    }

    /** Deletes without what is to be done before: nobody is there who would. */
    public void deleteByForce(String kind, String namespace, String name) {
        ObjectNode patch = JSON.createObjectNode();
        patch.putObject("metadata").putNull("finalizers");
        send("PATCH", object(kind, namespace, name), Optional.of(patch));
        delete(kind, namespace, name, Optional.empty());
    }

    /** Replaces it, whatever its version; nothing if it has gone. */
    public void update(String kind, ObjectNode object) {
        String namespace = object.at("/metadata/namespace").asString("");
        String name = object.at("/metadata/name").asString("");
        get(kind, namespace, name).ifPresent(present -> {
            ObjectNode next = object.deepCopy();
            ((ObjectNode) next.path("metadata")).set("resourceVersion", present.at("/metadata/resourceVersion"));
            send("PUT", object(kind, namespace, name), Optional.of(next));
        });
    }

    public void scale(String kind, String namespace, String name, int replicas) {
        ObjectNode patch = JSON.createObjectNode();
        patch.putObject("spec").put("replicas", replicas);
        send("PATCH", object(kind, namespace, name) + "/scale", Optional.of(patch));
    }

    private static Optional<String> path(String kind, String namespace) {
        return Optional.ofNullable(PATHS.get(kind))
                .map(path -> path.replace("/NS", namespace.isEmpty() ? "" : "/namespaces/" + namespace));
    }

    private static String object(String kind, String namespace, String name) {
        return path(kind, namespace).orElseThrow() + "/" + name;
    }

    /** Empty if there is no such thing (404); any other refusal is an error. */
    private Optional<ObjectNode> send(String method, String path, Optional<JsonNode> body) {
        HttpRequest request = HttpRequest.newBuilder(server.resolve(path))
                .timeout(TIMEOUT)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", method.equals("PATCH") ? "application/merge-patch+json" : "application/json")
                .method(
                        method,
                        body.map(b -> BodyPublishers.ofString(b.toString())).orElse(BodyPublishers.noBody()))
                .build();
        HttpResponse<String> answer = exchange(request);
        // A custom resource that is new is refused with 429 until its storage is ready.
        for (int again = 0; answer.statusCode() == 429 && again < MOST_TRIES; again++) {
            LockSupport.parkNanos(BETWEEN_TRIES.toNanos());
            answer = exchange(request);
        }
        if (answer.statusCode() == 404) {
            return Optional.empty();
        }
        if (answer.statusCode() / 100 != 2) {
            throw new IllegalStateException(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
        return Optional.of((ObjectNode) JSON.readTree(answer.body()));
    }

    private HttpResponse<String> exchange(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(request.method() + " " + request.uri(), e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
