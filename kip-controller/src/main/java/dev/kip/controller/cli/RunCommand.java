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
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "run",
        description =
                "Runs the controller until it is told to stop (SIGTERM, Ctrl-C). Two replicas may run: one leads.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:stopped as told", "1:it could not start", "2:wrong usage or configuration"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip run --config provider.yaml",
            "  kip run --config provider.yaml --kubeconfig .kip/kubeconfig --ec2-endpoint http://127.0.0.1:5000"
        })
final class RunCommand implements Callable<Integer> {

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

    @Option(
            names = "--identity",
            paramLabel = "NAME",
            description = "Names this replica; without it $POD_NAME, then $HOSTNAME.")
    private @Nullable String identity;

    @Option(names = "--bind", paramLabel = "ADDRESS", description = "Where health and metrics are served.")
    private String bind = "0.0.0.0";

    @Option(names = "--health-port", paramLabel = "PORT", description = "/healthz and /readyz; 0 for a free one.")
    private int healthPort = 8081;

    @Option(names = "--metrics-port", paramLabel = "PORT", description = "/metrics; 0 for a free one.")
    private int metricsPort = 8080;

    @Option(names = "--log-format", description = "One of ${COMPLETION-CANDIDATES}.")
    private Logging.Format logFormat = Logging.Format.json;

    @Option(names = "--log-level", description = "One of ${COMPLETION-CANDIDATES}.")
    private Level logLevel = Level.INFO;

    @Override
    public Integer call() {
        Logging.configure(logFormat, logLevel);
        ResolvedConfig resolved = resolve(ImmutableMap.copyOf(System.getenv()));
        RealProcess.Places places =
                new RealProcess.Places(Optional.ofNullable(kubeconfig), bind, healthPort, metricsPort);
        RealProcess.start(resolved, places).untilStopped();
        return 0;
    }

    private ResolvedConfig resolve(ImmutableMap<String, String> environment) {
        ProviderConfig said = config == null ? ProviderConfig.defaults() : ConfigFile.read(config);
        said = over(said, ProviderKeys.ENDPOINT_URL, "--ec2-endpoint", ec2Endpoint);
        said = over(said, ProviderKeys.ADDRESS_MAP, "--address-map", addressMap);
        said = over(said, ProviderKeys.NODE_NAME, "--node-name", nodeName);
        String file = config == null ? "no --config" : config.toString();
        return ResolvedConfig.of(said, new Surroundings(environment, identity(environment), KipVersion.current()), file)
                .fold(resolved -> resolved, problems -> {
                    throw ConfigFile.refused(problems);
                });
    }

    private String identity(ImmutableMap<String, String> environment) {
        return identity != null
                ? identity
                : environment.getOrDefault("POD_NAME", environment.getOrDefault("HOSTNAME", "kip"));
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
