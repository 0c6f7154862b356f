package dev.kip.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.real.Bounded.Look;
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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a test asks of the API server itself, as its admin: plain requests that share no code with the product. */
final class AdminApi {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Lower-case singular, and where its objects are. */
    private static final ImmutableMap<String, String> PATHS = ImmutableMap.<String, String>builder()
            .put("pod", "/api/v1/NS/pods")
            .put("event", "/api/v1/NS/events")
            .put("secret", "/api/v1/NS/secrets")
            .put("node", "/api/v1/nodes")
            .put("deployment", "/apis/apps/v1/NS/deployments")
            .put("lease", "/apis/coordination.k8s.io/v1/NS/leases")
            .put("cell", "/apis/kip.elotl.co/v1/cells")
            .put("installation", "/apis/kip.elotl.co/v1/installations")
            .put("launchbatch", "/apis/kip.elotl.co/v1/launchbatches")
            .build();

    private final URI server;
    private final String token;
    private final HttpClient client;

    AdminApi(RealCluster cluster) {
        this.server = cluster.kubernetes();
        this.client = HttpClient.newBuilder()
                .sslContext(Tls.client(cluster.certificateAuthority()))
                .connectTimeout(TIMEOUT)
                .build();
        this.token = cluster.adminToken();
    }

    /** Every object of the kind; none if the API server does not know it yet. */
    ImmutableList<ObjectNode> list(String kind) {
        ImmutableList.Builder<ObjectNode> objects = ImmutableList.builder();
        send("GET", path(kind, "").orElseThrow(), Optional.empty())
                .ifPresent(list -> list.path("items").forEach(item -> objects.add((ObjectNode) item)));
        return objects.build();
    }

    Optional<ObjectNode> get(String kind, String namespace, String name) {
        return send("GET", object(kind, namespace, name), Optional.empty());
    }

    void create(ObjectNode object) {
        String kind = object.path("kind").asString("").toLowerCase(Locale.ROOT);
        send("POST", path(kind, object.at("/metadata/namespace").asString("")).orElseThrow(), Optional.of(object));
    }

    /** Deletes if it is there; dependants go too. */
    void delete(String kind, String namespace, String name, Optional<Long> graceSeconds) {
        ObjectNode options = JSON.createObjectNode().put("propagationPolicy", "Background");
        graceSeconds.ifPresent(grace -> options.put("gracePeriodSeconds", grace));
        send("DELETE", object(kind, namespace, name), Optional.of(options));
    }

    /** Deletes without what is to be done before: nobody is there who would. */
    void deleteByForce(String kind, String namespace, String name) {
        ObjectNode patch = JSON.createObjectNode();
        patch.putObject("metadata").putNull("finalizers");
        send("PATCH", object(kind, namespace, name), Optional.of(patch));
        delete(kind, namespace, name, Optional.empty());
    }

    void scale(String kind, String namespace, String name, int replicas) {
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
        // A custom resource that is new is refused with 429 until its storage is ready.
        HttpResponse<String> answer = Bounded.await(method + " " + path, TIMEOUT, () -> {
            HttpResponse<String> got = exchange(request);
            return got.statusCode() == 429 ? Look.notYet(got.body()) : Look.at(got);
        });
        if (answer.statusCode() == 404) {
            return Optional.empty();
        }
        if (answer.statusCode() / 100 != 2) {
            throw new AssertionError(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
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
