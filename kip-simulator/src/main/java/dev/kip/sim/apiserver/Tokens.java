package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.Request.User;
import dev.kip.sim.apiserver.schema.FieldErrors;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Service account tokens: JSON web tokens signed with a key of this server. */
final class Tokens {

    private static final String ISSUER = "https://kubernetes.default.svc.cluster.local";
    private static final int SHORTEST_SECONDS = 600;
    private static final int DEFAULT_SECONDS = 3600;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Core core;
    private byte[] key;

    Tokens(Core core) {
        this.core = core;
        this.key = core.entropy().bytes(32);
    }

    /** The key that tokens are signed with, in base64: whoever has it speaks for every account. */
    String key() {
        return Base64.getEncoder().encodeToString(key);
    }

    /** Takes another key: tokens signed with it are good again. */
    void useKey(String base64) {
        key = Base64.getDecoder().decode(base64);
    }

    /** Answers a {@code TokenRequest}: the request with its defaults and its status. */
    ObjectNode issue(String namespace, String name, ObjectNode account, ObjectNode request) {
        ObjectNode answer = request.deepCopy();
        answer.put("kind", "TokenRequest").put("apiVersion", "authentication.k8s.io/v1");
        answer.withObjectProperty("metadata")
                .put("name", name)
                .put("namespace", namespace)
                .put("creationTimestamp", core.timestamp());
        ObjectNode spec = answer.withObjectProperty("spec");
        if (spec.path("audiences").isEmpty()) {
            spec.putArray("audiences").add(ISSUER);
        }
        int seconds = spec.path("expirationSeconds").asInt(DEFAULT_SECONDS);
        if (seconds < SHORTEST_SECONDS) {
            FieldErrors errors = new FieldErrors();
            errors.invalid(
                    "spec.expirationSeconds",
                    Integer.toString(seconds),
                    "may not specify a duration less than 10 minutes");
            throw Failures.invalid("authentication.k8s.io", "TokenRequest", "", errors.causes());
        }
        spec.put("expirationSeconds", seconds);
        long now = core.now().getEpochSecond();
        ObjectNode claims = JSON.createObjectNode();
        claims.set("aud", spec.path("audiences"));
        claims.put("exp", now + seconds).put("iat", now).put("iss", ISSUER).put("jti", core.uid());
        ObjectNode about = claims.putObject("kubernetes.io").put("namespace", namespace);
        JsonNode bound = spec.path("boundObjectRef");
        if (bound.isObject()) {
            about.putObject(bound.path("kind").asString("Pod").toLowerCase(java.util.Locale.ROOT))
                    .put("name", bound.path("name").asString(""))
                    .put("uid", bound.path("uid").asString(""));
        }
        about.putObject("serviceaccount")
                .put("name", name)
                .put("uid", account.path("metadata").path("uid").asString(""));
        claims.put("nbf", now).put("sub", "system:serviceaccount:" + namespace + ":" + name);
        String head = encode("{\"alg\":\"HS256\",\"kid\":\"kip-simulator\"}");
        String payload = head + "." + encode(claims.toString());
        answer.putObject("status")
                .put("token", payload + "." + signature(payload))
                .put("expirationTimestamp", core.now().plusSeconds(seconds).toString());
        return answer;
    }

    /** Whom a token of ours speaks for; empty if it is none, has expired or is of an account that is gone. */
    Optional<User> authenticate(String token) {
        int dot = token.lastIndexOf('.');
        if (dot < 0 || !sameText(signature(token.substring(0, dot)), token.substring(dot + 1))) {
            return Optional.empty();
        }
        return claims(token)
                .filter(claims -> claims.path("exp").asLong(0) > core.now().getEpochSecond())
                .filter(this::accountExists)
                .map(claims -> {
                    String namespace =
                            claims.path("kubernetes.io").path("namespace").asString("");
                    return new User(
                            claims.path("sub").asString(""),
                            ImmutableList.of(
                                    "system:serviceaccounts",
                                    "system:serviceaccounts:" + namespace,
                                    "system:authenticated"));
                });
    }

    private boolean accountExists(JsonNode claims) {
        JsonNode about = claims.path("kubernetes.io");
        JsonNode account = about.path("serviceaccount");
        return core.resource("", "serviceaccounts")
                .find(about.path("namespace").asString(""), account.path("name").asString(""))
                .filter(found -> found.object().path("metadata").path("uid").equals(account.path("uid")))
                .isPresent();
    }

    private static Optional<JsonNode> claims(String token) {
        String[] parts = token.split("\\.", -1);
        try {
            return Optional.of(JSON.readTree(Base64.getUrlDecoder().decode(parts[1])));
        } catch (IllegalArgumentException | JacksonException broken) {
            return Optional.empty();
        }
    }

    private static boolean sameText(String left, String right) {
        return MessageDigest.isEqual(left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
    }

    private String signature(String payload) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(mac.doFinal(payload.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java runtime has HmacSHA256", missing);
        }
    }

    private static String encode(String json) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }
}
