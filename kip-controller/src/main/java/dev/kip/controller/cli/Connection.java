package dev.kip.controller.cli;

import com.google.common.collect.ImmutableMap;
import dev.kip.controller.config.Form;
import dev.kip.controller.config.Key;
import dev.kip.controller.config.ProviderConfig;
import dev.kip.controller.config.ProviderKeys;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.config.Surroundings;
import dev.kip.yaml.Yaml;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say where everything is, and as what we act there. */
final class Connection {

    @Option(names = "--config", paramLabel = "FILE", description = "provider.yaml; without it the defaults count.")
    private @Nullable Path config;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Where the API server is; without it $KUBECONFIG, ~/.kube/config, the service account.")
    private @Nullable Path kubeconfig;

    @Option(names = "--ec2-endpoint", paramLabel = "URL", description = "Wins over cloud.aws.endpointURL.")
    private @Nullable String ec2Endpoint;

    @Option(names = "--node-name", paramLabel = "NAME", description = "Wins over node.name.")
    private @Nullable String nodeName;

    @Option(names = "--address-map", paramLabel = "FILE", description = "Wins over cells.addressMap.")
    private @Nullable String addressMap;

    Optional<Path> kubeconfig() {
        return Optional.ofNullable(kubeconfig);
    }

    /**
     * What the file, the flags and the environment say together.
     *
     * @param named how this process is to be called; without it {@code $POD_NAME}, then {@code $HOSTNAME}
     * @throws CliFailure telling everything that is wrong
     */
    ResolvedConfig resolve(Optional<String> named) {
        ProviderConfig said = config == null ? ProviderConfig.defaults() : ConfigFile.read(config);
        said = over(said, ProviderKeys.ENDPOINT_URL, "--ec2-endpoint", ec2Endpoint);
        said = over(said, ProviderKeys.ADDRESS_MAP, "--address-map", addressMap);
        said = over(said, ProviderKeys.NODE_NAME, "--node-name", nodeName);
        String file = config == null ? "no --config" : config.toString();
        ImmutableMap<String, String> environment = ImmutableMap.copyOf(System.getenv());
        String identity = named.orElseGet(
                () -> environment.getOrDefault("POD_NAME", environment.getOrDefault("HOSTNAME", "kip")));
        return ResolvedConfig.of(said, new Surroundings(environment, identity, KipVersion.current()), file)
                .fold(resolved -> resolved, problems -> {
                    throw ConfigFile.refused(problems);
                });
    }

    private static <T> ProviderConfig over(ProviderConfig said, Key<T> key, String flag, @Nullable String value) {
        if (value == null) {
            return said;
        }
        Form.Sink refuse = (line, path, message) -> {
            throw new CliFailure(CliFailure.CONFIGURATION, flag + ": " + message);
        };
        return key.form()
                .read(new Yaml.Scalar(1, value, false), key.path(), refuse)
                .map(read -> said.with(key, read))
                .orElse(said);
    }
}
