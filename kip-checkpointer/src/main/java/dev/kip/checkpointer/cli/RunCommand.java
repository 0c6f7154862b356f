package dev.kip.checkpointer.cli;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.CheckpointerSettings;
import dev.kip.checkpointer.cri.RuntimeEndpoints;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.standing.Policy;
import dev.kip.disk.nio.NioDisk;
import dev.kip.logging.Logging;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

@Command(
        name = "run",
        description = {
            "Looks after the checkpoints of this node until it is told to stop. Pods with the annotation",
            "checkpointer.alpha.coreos.com/checkpoint=true are kept on disk, and run in their place whenever",
            "they do not and the API server cannot be had."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:stopped as told",
            "1:the API server has refused the credentials for a minute: it makes way for its other copy",
            "2:wrong usage"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kip-checkpointer run --kubeconfig /etc/kip-checkpointer/kubeconfig   # in a pod with NODE_NAME, POD_NAME and POD_NAMESPACE",
            "  kip-checkpointer run --node-name node-1 --pod-name c --namespace kube-system --checkpoint-grace-period 5m",
            "  kip-checkpointer run --container-runtime-endpoint unix:///run/crio/crio.sock --static-pod-path /etc/kubelet.d"
        })
final class RunCommand implements Callable<Integer> {

    @Mixin
    private Places places = new Places();

    @Option(
            names = "--pod-name",
            paramLabel = "NAME",
            description = "The pod that this runs in. Default: $POD_NAME.",
            defaultValue = "${env:POD_NAME}")
    private @Nullable String pod;

    @Option(
            names = "--namespaces",
            paramLabel = "NAME",
            split = ",",
            description = "Where pods to checkpoint are looked for. Default: the checkpointer's own.")
    private List<String> namespaces = new ArrayList<>();

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "How to reach the API server. Without it being readable checkpoints run, but none is made."
                    + " Default: ${DEFAULT-VALUE}.",
            defaultValue = "/etc/kubernetes/kubeconfig")
    private Path kubeconfig = Path.of("/etc/kubernetes/kubeconfig");

    @Option(
            names = "--container-runtime-endpoint",
            paramLabel = "unix:///PATH",
            description = "The container runtime's socket. Default: that of containerd, CRI-O or cri-dockerd, whichever"
                    + " is there.")
    private @Nullable String endpoint;

    @Option(
            names = "--runtime-request-timeout",
            paramLabel = "TIME",
            description = "For one request to the container runtime. Default: ${DEFAULT-VALUE}.",
            defaultValue = "2m",
            converter = GoDuration.class)
    private Duration runtimeTimeout = Duration.ofMinutes(2);

    @Option(
            names = "--checkpoint-grace-period",
            paramLabel = "TIME",
            description = "A pod that is gone from the API for so long takes its checkpoint with it. Default:"
                    + " ${DEFAULT-VALUE}.",
            defaultValue = "1m",
            converter = GoDuration.class)
    private Duration grace = Duration.ofMinutes(1);

    @Option(
            names = "--lock-file",
            paramLabel = "FILE",
            description = "Held while it works, so that one at a time does; on the host. Default: ${DEFAULT-VALUE}.",
            defaultValue = "/var/run/lock/pod-checkpointer.lock")
    private Path lock = Path.of("/var/run/lock/pod-checkpointer.lock");

    @Option(
            names = "--token-lifetime",
            paramLabel = "TIME",
            description = "For how long the service account tokens of checkpoints are asked for; they are renewed at"
                    + " half of it, so that they are good for the other half with no API server. Default:"
                    + " ${DEFAULT-VALUE}.",
            defaultValue = "48h",
            converter = GoDuration.class)
    private Duration tokenLifetime = Duration.ofDays(2);

    @Option(
            names = "--kubelet-version",
            paramLabel = "VERSION",
            description = "Of this node. Default: what the API server says.")
    private @Nullable String kubelet;

    @Option(names = "--log-format", description = "One of ${COMPLETION-CANDIDATES}. Default: json.")
    private Logging.Format logFormat = Logging.Format.json;

    @Option(names = "--log-level", description = "One of ${COMPLETION-CANDIDATES}. Default: INFO.")
    private Level logLevel = Level.INFO;

    @Option(
            names = "--rehearse",
            description = "Does everything once, against an API server of its own and nothing of this node, and ends:"
                    + " for -XX:ArchiveClassesAtExit, see docs/checkpointer-run.md.")
    private boolean rehearse;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Logging.configure(logFormat, logLevel);
        if (rehearse) {
            RunRehearsal.run();
            return 0;
        }
        CheckpointerSettings settings = settings();
        Path socket;
        try {
            socket = RuntimeEndpoints.find(Optional.ofNullable(endpoint), new NioDisk());
        } catch (IllegalArgumentException e) {
            throw usage("--container-runtime-endpoint: " + e.getMessage());
        }
        RealProcess.start(settings, kubeconfig, socket).untilStopped();
        return 0;
    }

    private CheckpointerSettings settings() {
        String node = wanted(places.node(), "--node-name or $NODE_NAME");
        String namespace = wanted(places.namespace(), "--namespace or $POD_NAMESPACE");
        String name = wanted(Strings.nullToEmpty(pod), "--pod-name or $POD_NAME");
        return new CheckpointerSettings(
                node,
                CheckpointerSettings.self(namespace, name, node),
                ImmutableList.copyOf(namespaces.isEmpty() ? List.of(namespace) : namespaces),
                places.layout(),
                lock.toAbsolutePath().normalize(),
                Policy.withGrace(grace),
                CheckpointerSettings.PASS,
                CheckpointerSettings.REFRESH,
                runtimeTimeout,
                tokenLifetime,
                Optional.ofNullable(kubelet).map(this::version));
    }

    private KubeletVersion version(String text) {
        try {
            return KubeletVersion.parse(text);
        } catch (IllegalArgumentException e) {
            throw usage("--kubelet-version: " + e.getMessage());
        }
    }

    private String wanted(String value, String from) {
        if (value.isEmpty()) {
            throw usage("who this is must be said: " + from);
        }
        return value;
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Times as the original's flags took them: {@code 90s}, {@code 1m30s}, {@code 2h}, {@code 500ms}. */
    static final class GoDuration implements ITypeConverter<Duration> {

        private static final Pattern FORM = Pattern.compile("(?:(\\d+)h)?(?:(\\d+)m(?!s))?(?:(\\d+)s)?(?:(\\d+)ms)?");

        @Override
        public Duration convert(String value) {
            Matcher form = FORM.matcher(value);
            if (value.equals("0")) {
                return Duration.ZERO;
            }
            if (value.isEmpty() || !form.matches()) {
                throw new TypeConversionException("'" + value + "' is no time: wanted one like 90s, 1m30s or 2h");
            }
            return Duration.ofHours(part(form, 1))
                    .plusMinutes(part(form, 2))
                    .plusSeconds(part(form, 3))
                    .plusMillis(part(form, 4));
        }

        private static long part(Matcher form, int group) {
            String digits = form.group(group);
            return digits == null ? 0 : Long.parseLong(digits);
        }
    }
}
