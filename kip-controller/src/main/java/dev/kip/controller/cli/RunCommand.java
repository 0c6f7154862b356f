package dev.kip.controller.cli;

import dev.kip.logging.Logging;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

    @Mixin
    private Connection connection = new Connection();

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
        RealProcess.Places places = new RealProcess.Places(connection.kubeconfig(), bind, healthPort, metricsPort);
        RealProcess.start(connection.resolve(Optional.ofNullable(identity)), places)
                .untilStopped();
        return 0;
    }
}
