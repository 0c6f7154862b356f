package dev.kip.controller.kubelet;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import dev.kip.http.HttpCall;
import dev.kip.kube.Codecs;
import dev.kip.kube.KubeApi;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Who asks, and whether he may: by client certificate or by a bearer token that the API server knows, and by the API
 * server's word on access. Nobody is anonymous. Answers are remembered as long as a kubelet does. Confined to the loop.
 */
final class Gatekeeper {

    private static final Logger LOG = LoggerFactory.getLogger(Gatekeeper.class);
    private static final ResourceKind<ObjectNode> TOKEN_REVIEWS =
            new ResourceKind<>("authentication.k8s.io", "v1", "TokenReview", "tokenreviews", false, Codecs.tree());
    private static final ResourceKind<ObjectNode> ACCESS_REVIEWS = new ResourceKind<>(
            "authorization.k8s.io", "v1", "SubjectAccessReview", "subjectaccessreviews", false, Codecs.tree());
    private static final int MOST = 2000;
    private static final Duration KNOWN = Duration.ofMinutes(2);
    private static final Duration ALLOWED = Duration.ofMinutes(5);
    private static final Duration DENIED = Duration.ofSeconds(30);

    private final KubeApi kube;
    private final String node;
    private final Remembered<Caller> callers;
    private final Remembered<Boolean> verdicts;

    Gatekeeper(Loop loop, KubeApi kube, String node) {
        this.kube = kube;
        this.node = node;
        this.callers = new Remembered<>(loop, MOST);
        this.verdicts = new Remembered<>(loop, MOST);
    }

    /**
     * Somebody known.
     *
     * @param extra as the API server tells it
     */
    record Caller(String name, String uid, ImmutableList<String> groups, JsonNode extra) {}

    /** Why a request is not answered. */
    record Refused(int status, String message) {}

    /** Calls back with nothing if the call is to be answered. */
    void examine(HttpCall call, Consumer<Optional<Refused>> verdict) {
        Access access = Access.to(call.method(), call.rawPath());
        identify(call, caller -> {
            if (caller.isEmpty()) {
                verdict.accept(Optional.of(new Refused(401, "Unauthorized")));
            } else {
                allow(caller.get(), access, 0, verdict);
            }
        });
    }

    private void identify(HttpCall call, Consumer<Optional<Caller>> found) {
        if (call.peer().isPresent()) {
            ImmutableList<String> groups = ImmutableList.<String>builder()
                    .addAll(call.peerGroups())
                    .add("system:authenticated")
                    .build();
            found.accept(Optional.of(new Caller(call.peer().get(), "", groups, JsonNodeFactory.instance.objectNode())));
            return;
        }
        String authorization = call.header("authorization").orElse("");
        if (!authorization.regionMatches(true, 0, "Bearer ", 0, 7)
                || authorization.substring(7).isBlank()) {
            found.accept(Optional.empty());
            return;
        }
        String token = authorization.substring(7).trim();
        String key = Hashing.sha256().hashString(token, UTF_8).toString();
        Optional<Caller> known = callers.find(key);
        if (known.isPresent()) {
            found.accept(known);
            return;
        }
        ObjectNode review = JsonNodeFactory.instance.objectNode();
        review.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
        review.putObject("spec").put("token", token);
        kube.create(TOKEN_REVIEWS, "", review)
                .thenAccept(outcome -> outcome.on(
                        answer -> {
                            Optional<Caller> caller = caller(answer.path("status"));
                            caller.ifPresent(somebody -> callers.keep(key, somebody, KNOWN));
                            found.accept(caller);
                        },
                        error -> {
                            LOG.warn("a token cannot be reviewed: {}", error.message());
                            found.accept(Optional.empty());
                        }));
    }

    private static Optional<Caller> caller(JsonNode status) {
        JsonNode user = status.path("user");
        if (!status.path("authenticated").asBoolean(false)
                || user.path("username").asString("").isEmpty()) {
            return Optional.empty();
        }
        ImmutableList.Builder<String> groups = ImmutableList.builder();
        user.path("groups").forEach(group -> groups.add(group.asString("")));
        return Optional.of(new Caller(
                user.path("username").asString(""),
                user.path("uid").asString(""),
                groups.build(),
                user.path("extra").isObject() ? user.path("extra") : JsonNodeFactory.instance.objectNode()));
    }

    private void allow(Caller caller, Access access, int at, Consumer<Optional<Refused>> verdict) {
        if (at == access.subresources().size()) {
            verdict.accept(Optional.of(new Refused(
                    403,
                    "Forbidden (user=" + caller.name() + ", verb=" + access.verb()
                            + ", resource=nodes, subresource(s)=["
                            + String.join(" ", access.subresources()) + "])\n")));
            return;
        }
        String subresource = access.subresources().get(at);
        ObjectNode review = review(caller, access.verb(), subresource);
        String key = Hashing.sha256().hashString(review.toString(), UTF_8).toString();
        Optional<Boolean> known = verdicts.find(key);
        Consumer<Boolean> decide = allowed -> {
            if (allowed) {
                verdict.accept(Optional.empty());
            } else {
                allow(caller, access, at + 1, verdict);
            }
        };
        if (known.isPresent()) {
            decide.accept(known.get());
            return;
        }
        kube.create(ACCESS_REVIEWS, "", review)
                .thenAccept(outcome -> outcome.on(
                        answer -> {
                            boolean allowed =
                                    answer.path("status").path("allowed").asBoolean(false);
                            verdicts.keep(key, allowed, allowed ? ALLOWED : DENIED);
                            decide.accept(allowed);
                        },
                        error -> verdict.accept(Optional.of(new Refused(
                                500,
                                "Authorization error (user=" + caller.name() + ", verb=" + access.verb()
                                        + ", resource=nodes, subresource=" + subresource + "): "
                                        + error.message() + "\n")))));
    }

    private ObjectNode review(Caller caller, String verb, String subresource) {
        ObjectNode review = JsonNodeFactory.instance.objectNode();
        review.put("apiVersion", "authorization.k8s.io/v1").put("kind", "SubjectAccessReview");
        ObjectNode spec = review.putObject("spec");
        spec.putObject("resourceAttributes")
                .put("verb", verb)
                .put("version", "v1")
                .put("resource", "nodes")
                .put("subresource", subresource)
                .put("name", node);
        spec.put("user", caller.name());
        if (!caller.uid().isEmpty()) {
            spec.put("uid", caller.uid());
        }
        ArrayNode groups = spec.putArray("groups");
        caller.groups().forEach(groups::add);
        if (!caller.extra().isEmpty()) {
            spec.set("extra", caller.extra());
        }
        return review;
    }
}
