package dev.kip.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.wall.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The controller's jar, run as a user runs it: a configuration file, a kubeconfig with the rights of deploy/, an EC2
 * endpoint. Every start is a new process without memory of the last.
 */
final class ControllerProcess implements AutoCloseable {
    /** Windows cut to what moto and one machine need, so that a story with a crash in it lasts seconds. */
    static final String CONFIG = """
            namespace: kip
            cloud:
              aws:
                region: us-east-1
                consistencyWindow: 2s
            cells:
              bootImageSpec:
                owners: amazon
              defaultInstanceType: t3.nano
            node:
              taint: false
            gc:
              quarantine: 1s
            """;

    private final RealCluster cluster;
    private final String replica;
    private final List<String> connection;
    private final Map<String, String> environment;
    private Optional<Program> program = Optional.empty();

    /**
     * @param replica names the process in leader election
     * @param kubernetes where it finds the API server: the server itself, or a proxy before it
     */
    ControllerProcess(RealCluster cluster, String replica, URI kubernetes, URI ec2, String token) {
        this(cluster, replica, kubernetes, ec2, token, CONFIG);
    }

    /** @param configuration its provider.yaml */
    ControllerProcess(
            RealCluster cluster, String replica, URI kubernetes, URI ec2, String token, String configuration) {
        this.cluster = cluster;
        this.replica = replica;
        Path directory = cluster.directory().resolve("controllers/" + replica);
        Path config = directory.resolve("provider.yaml");
        Path kubeconfig = directory.resolve("kubeconfig");
        write(config, configuration);
        write(kubeconfig, kubeconfig(cluster, kubernetes, token));
        this.environment = ImmutableMap.of(
                "POD_NAME", replica,
                "POD_IP", "10.250.0.1",
                "AWS_ACCESS_KEY_ID", "testing",
                "AWS_SECRET_ACCESS_KEY", "testing");
        this.connection = ImmutableList.of(
                "--config", config.toString(), "--kubeconfig", kubeconfig.toString(), "--ec2-endpoint", ec2.toString());
    }

    /** The command line of the jar: a subcommand with where everything is, and what else it is told. */
    private List<String> command(String subcommand, List<String> arguments) {
        return ImmutableList.<String>builder()
                .add(java(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar")
                .add(RealCluster.TREE
                        .resolve("kip-controller/target/kip-controller.jar")
                        .toString())
                .add(subcommand)
                .addAll(connection)
                .addAll(arguments)
                .build();
    }

    /** Another of the jar's commands, with the same configuration and rights, run to its end. */
    Program.Result run(String subcommand, String... arguments) {
        return Program.run(environment, Path.of("/dev/null"), command(subcommand, List.of(arguments)));
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static String kubeconfig(RealCluster cluster, URI kubernetes, String token) {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                - name: real
                  cluster: {server: "%s", certificate-authority: "%s"}
                users:
                - name: kip
                  user: {token: "%s"}
                contexts:
                - name: kip
                  context: {cluster: real, user: kip}
                current-context: kip
                """.formatted(kubernetes, cluster.certificateAuthority(), token);
    }

    private static void write(Path file, String content) {
        try {
            Files.createDirectories(file.getParent());
            Files.deleteIfExists(file);
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, content, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same, but returns at once; whoever called it ends it. */
    Program begin(String subcommand, String... arguments) {
        String name = replica + "-" + subcommand;
        return Program.start(
                name,
                cluster.directory().resolve("logs/" + name + ".log"),
                environment,
                command(subcommand, List.of(arguments)));
    }

    void start() {
        kill9();
        List<String> command =
                command("run", List.of("--health-port", "0", "--metrics-port", "0", "--log-format", "text"));
        program = Optional.of(
                Program.start(replica, cluster.directory().resolve("logs/" + replica + ".log"), environment, command));
    }

    /** SIGKILL; nothing if it does not run. */
    void kill9() {
        program.ifPresent(Program::close);
    }

    /** SIGSTOP, and after a while SIGCONT. */
    void pause(Duration length) {
        program.orElseThrow().pause(length);
    }

    boolean isAlive() {
        return program.map(Program::isAlive).orElse(false);
    }

    /** SIGTERM; its exit code. */
    int terminate() {
        return program.orElseThrow().terminate();
    }

    String lastWords() {
        return program.map(Program::lastWords).orElse(replica + " was never started");
    }

    @Override
    public void close() {
        kill9();
    }
}
