package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import dev.kip.http.HttpCall;
import dev.kip.sim.apiserver.Request.User;
import java.util.Optional;

/** Finds out who asks: by client certificate, by bearer token, or, if no tokens are set up, by trust. */
final class Authentication {

    private static final ImmutableList<String> ADMINISTRATORS =
            ImmutableList.of("system:masters", "system:authenticated");
    private static final User TRUSTED = new User("kubernetes-admin", ADMINISTRATORS);

    private final ApiServerSettings settings;
    private final Tokens tokens;

    Authentication(ApiServerSettings settings, Tokens tokens) {
        this.settings = settings;
        this.tokens = tokens;
    }

    /** @throws ApiFailure 401 if the client cannot be told, or its token is not known */
    User who(HttpCall call) {
        User user = credentials(call);
        return call.header("impersonate-user")
                .map(name -> new User(name, call.headers().get("impersonate-group")))
                .orElse(user);
    }

    private User credentials(HttpCall call) {
        Optional<String> peer = call.peer();
        if (peer.isPresent()) {
            return new User(peer.get(), ADMINISTRATORS);
        }
        Optional<String> bearer = call.header("authorization")
                .filter(header -> header.regionMatches(true, 0, "Bearer ", 0, 7))
                .map(header -> header.substring(7).trim());
        Optional<User> known = bearer.flatMap(this::byToken);
        if (known.isPresent()) {
            return known.get();
        }
        if (settings.tokens().isEmpty()) {
            return TRUSTED;
        }
        throw Failures.unauthorized();
    }

    Optional<User> byToken(String token) {
        String configured = settings.tokens().get(token);
        return configured == null ? tokens.authenticate(token) : Optional.of(new User(configured, ADMINISTRATORS));
    }
}
