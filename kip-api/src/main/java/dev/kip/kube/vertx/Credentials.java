package dev.kip.kube.vertx;

import static com.google.common.base.Strings.isNullOrEmpty;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import io.fabric8.kubernetes.client.utils.Utils;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts the {@code Authorization} on a request. A token that comes from a file or a command is read anew every minute, and
 * at once after a 401; the request that was refused is not sent again.
 */
final class Credentials implements Interceptor {

    private final Supplier<Optional<String>> authorization;
    private final Runnable refused;

    private Credentials(Supplier<Optional<String>> authorization, Runnable refused) {
        this.authorization = authorization;
        this.refused = refused;
    }

    static Credentials of(Config config) {
        if (!isNullOrEmpty(config.getUsername()) && !isNullOrEmpty(config.getPassword())) {
            String basic = HttpClientUtils.basicCredentials(config.getUsername(), config.getPassword());
            return new Credentials(() -> Optional.of(basic), () -> {});
        }
        if (config.getOauthTokenProvider() != null) {
            return new Credentials(() -> bearer(config.getOauthTokenProvider().getToken()), () -> {});
        }
        if (!isNullOrEmpty(config.getOauthToken())) {
            return new Credentials(() -> bearer(config.getOauthToken()), () -> {});
        }
        Optional<RotatingToken> rotating = rotating(config);
        return rotating.map(token -> new Credentials(() -> bearer(token.current()), token::refresh))
                .orElseGet(() -> new Credentials(() -> bearer(config.getAutoOAuthToken()), () -> {}));
    }

    @Override
    public void before(BasicBuilder request, HttpRequest original, RequestTags tags) {
        authorization.get().ifPresent(value -> request.setHeader("Authorization", value));
    }

    @Override
    public CompletableFuture<Boolean> afterFailure(BasicBuilder request, HttpResponse<?> response, RequestTags tags) {
        if (response.code() == 401) {
            refused.run();
        }
        return CompletableFuture.completedFuture(false);
    }

    private static Optional<String> bearer(@Nullable String token) {
        return isNullOrEmpty(token) ? Optional.empty() : Optional.of("Bearer " + token.strip());
    }

    private static Optional<RotatingToken> rotating(Config config) {
        File kubeconfig = config.getFileWithAuthInfo();
        if (kubeconfig != null) {
            Optional<AuthInfo> user = user(config, kubeconfig);
            Optional<Path> file = user.map(AuthInfo::getTokenFile)
                    .filter(path -> !path.isEmpty())
                    .map(path -> kubeconfig.toPath().toAbsolutePath().resolveSibling(path));
            if (file.isPresent()) {
                return Optional.of(new RotatingToken(read(file.get()), () -> read(file.get())));
            }
            boolean computed = user.map(u -> u.getExec() != null || u.getAuthProvider() != null)
                    .orElse(false);
            return computed
                    ? Optional.of(new RotatingToken(
                            String.valueOf(config.getAutoOAuthToken()),
                            () -> String.valueOf(config.refresh().getAutoOAuthToken())))
                    : Optional.empty();
        }
        Path serviceAccount = Path.of(Utils.getSystemPropertyOrEnvVar(
                Config.KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN_FILE_SYSTEM_PROPERTY,
                Config.KUBERNETES_SERVICE_ACCOUNT_TOKEN_PATH));
        return !isNullOrEmpty(config.getAutoOAuthToken()) && Files.isReadable(serviceAccount)
                ? Optional.of(new RotatingToken(config.getAutoOAuthToken(), () -> read(serviceAccount)))
                : Optional.empty();
    }

    private static Optional<AuthInfo> user(Config config, File kubeconfig) {
        if (config.getCurrentContext() == null || config.getCurrentContext().getContext() == null) {
            return Optional.empty();
        }
        String name = config.getCurrentContext().getContext().getUser();
        return KubeConfigUtils.parseConfig(kubeconfig).getUsers().stream()
                .filter(user -> user.getName().equals(name))
                .map(NamedAuthInfo::getUser)
                .findFirst();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
