package dev.kip.checkpointer.agent;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.kip.cell.wire.UserData;
import dev.kip.cell.wire.Wire;
import dev.kip.checkpointer.cri.RuntimeEndpoints;
import dev.kip.disk.nio.NioDisk;
import dev.kip.logging.Logging;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code kip-checkpointer agent}. */
@Command(
        name = "agent",
        mixinStandardHelpOptions = true,
        description = {
            "Is the node agent of a cell: takes the pod that the controller grants to this instance, hands it to the",
            "kubelet beside it, and tells how it fares. Reads what the launch template's user data has written."
        },
        footer = {
            "",
            "Kubelet must be configured for it, see docs/cells.md: staticPodPath is RUN/manifests, its certificate,",
            "key and client certificates are STATE/kubelet/kubelet.crt, kubelet.key and clients.crt, its node's name",
            "is the instance's id; and it must not start before RUN/ready exists.",
            "",
            "Exit codes: 1 this cell cannot be served, 2 wrong usage."
        })
public final class AgentCommand implements Callable<Integer> {

    @Option(
            names = "--user-data",
            paramLabel = "FILE",
            description = "What the user data wrote. Default: ${DEFAULT-VALUE}.",
            defaultValue = UserData.PATH)
    private Path userData = Path.of(UserData.PATH);

    @Option(
            names = "--state-dir",
            paramLabel = "DIR",
            description = "What must survive a reboot. Default: ${DEFAULT-VALUE}.",
            defaultValue = "/var/lib/kip")
    private Path state = AgentPlaces.USUAL.state();

    @Option(
            names = "--instance-id",
            paramLabel = "ID",
            description =
                    "Which instance this is. Default: what cloud-init has written down, else the metadata service.")
    private @Nullable String instanceId;

    @Option(
            names = "--address",
            paramLabel = "IP",
            description = "The instance's private address. Default: what the metadata service says.")
    private @Nullable String address;

    @Option(
            names = "--bind",
            paramLabel = "IP",
            description = "Where to listen. Default: ${DEFAULT-VALUE}.",
            defaultValue = "0.0.0.0")
    private String bind = "0.0.0.0";

    @Option(
            names = "--container-runtime-endpoint",
            paramLabel = "SOCKET",
            description = "Of the container runtime. Default: the first that is there of containerd's, CRI-O's,"
                    + " cri-dockerd's usual ones.")
    private @Nullable String endpoint;

    @Option(
            names = "--shutdown-command",
            paramLabel = "COMMAND",
            description =
                    "Ends the machine, when no controller has reached it for too long. Default: ${DEFAULT-VALUE}.",
            defaultValue = "systemctl poweroff")
    private String shutdown = "systemctl poweroff";

    @Option(
            names = "--rehearse",
            description =
                    "Start everything once, with keys of its own in a scratch directory, and end: what an archive of"
                            + " the classes is made from (-XX:ArchiveClassesAtExit).")
    private boolean rehearse;

    @Option(names = "--log-format", description = "One of ${COMPLETION-CANDIDATES}. Default: json.")
    private Logging.Format logFormat = Logging.Format.json;

    @Option(names = "--log-level", description = "One of ${COMPLETION-CANDIDATES}. Default: INFO.")
    private Level logLevel = Level.INFO;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        Logging.configure(logFormat, logLevel);
        NioDisk disk = new NioDisk();
        try {
            if (rehearse) {
                Rehearsal.run();
                return 0;
            }
            Surroundings surroundings = new Surroundings(disk, Surroundings.CLOUD_INIT, Surroundings.METADATA);
            String id = instanceId == null ? surroundings.instanceId() : instanceId;
            AgentSettings settings = new AgentSettings(
                    id,
                    address == null ? surroundings.address() : address,
                    readUserData(),
                    new AgentPlaces(state.toAbsolutePath().normalize(), AgentPlaces.USUAL.run()),
                    Wire.KUBELET_PORT);
            AgentProcess.run(
                    settings,
                    RuntimeEndpoints.find(Optional.ofNullable(endpoint), disk),
                    bind,
                    ImmutableList.copyOf(Splitter.on(' ').omitEmptyStrings().split(shutdown)));
            return 0;
        } catch (IOException | IllegalArgumentException e) {
            spec.commandLine().getErr().println("kip-checkpointer agent: " + e.getMessage());
            return 1;
        }
    }

    private UserData readUserData() throws IOException {
        try {
            return UserData.parseFile(Files.readString(userData, StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            throw new IOException(
                    userData + " is not there: this instance was not launched by Kip, or cloud-init has not run", e);
        }
    }
}
