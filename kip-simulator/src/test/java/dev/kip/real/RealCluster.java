package dev.kip.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.wall.AdminApi;
import dev.kip.sim.wall.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/**
 * etcd, kube-apiserver, kube-controller-manager, kube-scheduler and moto in this test run's own network namespace, as
 * {@code real-parts/cluster} starts them; one for all test classes of a process. Where they cannot run, the tests that
 * need them are
 * skipped with the reason on standard output, or fail if CI=true.
 */
final class RealCluster implements BeforeAllCallback {
    static final Path TREE =
            Path.of(System.getProperty("kip.tree", "..")).toAbsolutePath().normalize();
    static final Path DEPLOY = TREE.resolve("kip-controller/deploy");
    private static final String ADDRESS = "10.250.0.1";
    private static final String CLONE_ADDRESS = "10.250.0.2";

    private static Optional<Running> running = Optional.empty();

    private Optional<URI> otherEc2 = Optional.empty();

    /** Ends the programs at the end of the test run. */
    private record Running(Path directory) implements AutoCloseable {
        @Override
        public void close() {
            running = Optional.empty();
            script("stop", "--dir", directory.toString(), "--keep");
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (running.isPresent()) {
            return;
        }
        lacking().ifPresent(reason -> {
            String message = context.getDisplayName() + " not run: " + reason;
            System.out.println("real-parts: " + message);
            if ("true".equals(System.getenv("CI"))) {
                throw new AssertionError(message);
            }
            throw new TestAbortedException(message);
        });
        Path directory = TREE.resolve("kip-simulator/target/real-cluster-" + System.getProperty("kip.fork", "fork-1"));
        if (Files.exists(directory)) {
            script("stop", "--dir", directory.toString()).orFail(); // what an aborted run left
        }
        System.out.print(
                script("start", "--here", "--dir", directory.toString()).orFail());
        Running started = new Running(directory);
        context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL).put(RealCluster.class, started);
        running = Optional.of(started);
    }

    /** Why real parts cannot run here. */
    private static Optional<String> lacking() {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("needs root for a network namespace of its own");
        }
        Program.Result check = Program.run(
                ImmutableMap.of(),
                devNull(),
                ImmutableList.of(TREE.resolve("real-parts/build").toString(), "--check"));
        return check.code() == 0 ? Optional.empty() : Optional.of(check.output().strip());
    }

    private static Program.Result script(String... arguments) {
        return Program.run(
                ImmutableMap.of(),
                devNull(),
                ImmutableList.<String>builder()
                        .add(TREE.resolve("real-parts/cluster").toString())
                        .add(arguments)
                        .build());
    }

    private static Path devNull() {
        return Path.of("/dev/null");
    }

    /** Writes what etcd holds now. */
    void backUp(Path file) {
        script("backup", "--dir", directory().toString(), file.toString()).orFail();
    }

    /** The whole control plane stops, and starts again with what the backup holds. EC2 goes on. */
    void restore(Path backup) {
        script("restore", "--dir", directory().toString(), backup.toString()).orFail();
    }

    /** The cluster is deleted and made again, with nothing in it. EC2 goes on. */
    void makeAnew() {
        script("restore", "--dir", directory().toString()).orFail();
    }

    /** A second API server, with what the backup holds, runs beside the first from now on. Where it answers. */
    URI copy(Path backup) {
        script("clone", "--dir", directory().toString(), backup.toString()).orFail();
        return URI.create("https://" + CLONE_ADDRESS + ":6443");
    }

    /** Runs kubectl as the admin of the {@link #copy}. */
    Program.Result kubectlOnCopy(String... arguments) {
        List<String> command = new ArrayList<>(command("kubectl", arguments));
        command.add("--kubeconfig=" + directory().resolve("clone.kubeconfig"));
        return Program.run(environment(), devNull(), command);
    }

    URI kubernetes() {
        return URI.create("https://" + ADDRESS + ":6443");
    }

    /** moto's, unless another EC2 was named. */
    URI ec2() {
        return otherEc2.orElse(URI.create("http://" + ADDRESS + ":5000"));
    }

    /** From now on this EC2 is the one that the stories are about. */
    void useEc2(URI url) {
        otherEc2 = Optional.of(url);
    }

    Path directory() {
        return running.orElseThrow().directory();
    }

    Path kubeconfig() {
        return directory().resolve("kubeconfig");
    }

    /** Of the authority that signed the API server's certificate. */
    Path certificateAuthority() {
        return directory().resolve("pki/ca.crt");
    }

    /** A program beside the cluster, its output in {@code logs/name.log}. */
    Program start(String name, List<String> command) {
        return Program.start(name, directory().resolve("logs/" + name + ".log"), environment(), command);
    }

    /** Runs kubectl as the cluster's admin. */
    Program.Result kubectl(String... arguments) {
        return kubectlWith(devNull(), arguments);
    }

    /** With {@code input} as standard input. */
    Program.Result kubectlWith(Path input, String... arguments) {
        return Program.run(environment(), input, command("kubectl", arguments));
    }

    /** Runs helm as the cluster's admin. */
    Program.Result helm(String... arguments) {
        return Program.run(environment(), devNull(), command("helm", arguments));
    }

    /** The cluster that helm works on beside the test, its output in {@code logs/name.log}. */
    Program startHelm(String name, String... arguments) {
        return start(name, command("helm", arguments));
    }

    /** kubectl as the cluster's admin beside the test, its output in {@code logs/name.log}. */
    Program startKubectl(String name, String... arguments) {
        return start(name, command("kubectl", arguments));
    }

    /** Applies what {@code kip-controller/deploy/crds} holds; kubectl's word that each is established. */
    String applyCustomResources() {
        kubectl("apply", "-f", DEPLOY.resolve("crds").toString()).orFail();
        return kubectl("wait", "crd", "--all", "--for=condition=Established", "--timeout=180s")
                .orFail();
    }

    /** The controller's namespace, account and rights, as {@code kip-controller/deploy} has them. */
    void applyRights() {
        for (String file : ImmutableList.of("namespace.yaml", "service-account.yaml", "rbac.yaml")) {
            kubectl("apply", "-f", DEPLOY.resolve(file).toString()).orFail();
        }
    }

    /** A token of the controller's service account: it may do what deploy/rbac.yaml says and nothing else. */
    String controllerToken() {
        return token("kip", "kip");
    }

    /** A token of a service account. */
    String token(String namespace, String account) {
        return kubectl("create", "token", account, "-n", namespace, "--duration=6h")
                .orFail()
                .strip();
    }

    /** The admin's token. */
    String adminToken() {
        try {
            Matcher found = Pattern.compile("token: \"([^\"]+)\"").matcher(Files.readString(kubeconfig()));
            if (found.find()) {
                return found.group(1);
            }
            throw new IllegalStateException("no token in " + kubeconfig());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What its admin may ask of it. */
    AdminApi admin() {
        return new AdminApi(kubernetes(), Tls.client(certificateAuthority()), adminToken());
    }

    /** Runs the AWS command line against the EC2 of this cluster. */
    Program.Result aws(String... arguments) {
        return Program.run(environment(), devNull(), command("aws", arguments));
    }

    private static List<String> command(String part, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(part(part).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    /** The program of a part. */
    static Path part(String name) {
        return parts().resolve("bin/" + name);
    }

    private static Path parts() {
        return Path.of(Program.run(
                        ImmutableMap.of(),
                        devNull(),
                        ImmutableList.of(TREE.resolve("real-parts/build").toString(), "--print-dir"))
                .orFail()
                .strip());
    }

    /** What {@code real-parts/cluster run} gives to a command. */
    Map<String, String> environment() {
        return ImmutableMap.of(
                "KUBECONFIG", kubeconfig().toString(),
                "AWS_ACCESS_KEY_ID", "testing",
                "AWS_SECRET_ACCESS_KEY", "testing",
                "AWS_DEFAULT_REGION", "us-east-1",
                "AWS_ENDPOINT_URL", ec2().toString());
    }
}
