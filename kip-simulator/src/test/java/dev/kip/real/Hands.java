package dev.kip.real;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.kip.real.Bounded.Look;
import dev.kip.sim.wall.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A person at a terminal, with kubectl, the AWS command line and as many controllers as they start, each by its name. */
final class Hands implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofMinutes(3);

    /** With the shortest lease there may be: who died is waited for. */
    static final String CONFIG = ControllerProcess.CONFIG + """
            leaderElection:
              leaseDuration: 15s
            """;

    /** With an anchor in moto's S3. */
    static final String ANCHORED = CONFIG + """
            ownership:
              anchor: s3://kip-anchor/real
              anchorEndpointURL: http://10.250.0.1:5000
            """;

    private final RealCluster cluster;
    private final CellMachines machines;
    private final List<ControllerProcess> controllers = new ArrayList<>();
    private String token;

    /** Begins with a cluster and an EC2 in which nothing of Kip's is left. */
    Hands(RealCluster cluster) {
        this.cluster = cluster;
        token = introduce();
        machines = CellMachines.start(cluster);
        clear();
    }

    private String introduce() {
        cluster.applyCustomResources();
        cluster.applyRights();
        return cluster.controllerToken();
    }

    /** In a cluster that was made anew: what an administrator does once. */
    void beginAnew() {
        token = introduce();
    }

    /** Ends whatever an earlier story left. */
    void clear() {
        controllers.forEach(ControllerProcess::kill9);
        controllers.clear();
        try (RealWorld world = new RealWorld(cluster, cluster.admin(), List.of(), new CallCounter())) {
            world.clear();
        }
    }

    CellMachines machines() {
        return machines;
    }

    /** Starts a controller under that name; what an earlier one of the name left in its folder is gone. */
    ControllerProcess startController(String name) {
        return startController(name, CONFIG);
    }

    ControllerProcess startController(String name, String configuration) {
        ControllerProcess started = controller(name, configuration);
        started.start();
        return started;
    }

    /** One that is not started yet. */
    ControllerProcess controller(String name, String configuration) {
        return controller(name, configuration, cluster.kubernetes(), token);
    }

    /** Of another API server, or with another account's token. */
    ControllerProcess controller(String name, String configuration, URI kubernetes, String withToken) {
        ControllerProcess made =
                new ControllerProcess(cluster, name, kubernetes, cluster.ec2(), withToken, configuration);
        controllers.add(made);
        return made;
    }

    String token() {
        return token;
    }

    /** SIGKILL. Its lease goes too, since it is dead for certain: that others wait it out is another test's. */
    void kill(ControllerProcess controller) {
        controller.kill9();
        kubectl("delete", "lease", "-n", "kip", "kip-virtual-kubelet", "--ignore-not-found");
    }

    /** Runs kubectl; fails with the controllers' last words if it does. */
    String kubectl(String... arguments) {
        return done("kubectl " + String.join(" ", arguments), cluster.kubectl(arguments));
    }

    String apply(String manifest) {
        try {
            Path file = Files.createTempFile("manifest", ".yaml");
            Files.writeString(file, manifest);
            try {
                return kubectl("apply", "-f", file.toString());
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String aws(String... arguments) {
        return done("aws " + String.join(" ", arguments), cluster.aws(arguments));
    }

    private String done(String what, Program.Result result) {
        if (result.code() != 0) {
            throw new AssertionError(what + ": " + result.output() + "\n" + lastWords());
        }
        return result.output();
    }

    /** Of the controller that was made last. */
    String lastWords() {
        return controllers.isEmpty()
                ? "no controller was started"
                : controllers.get(controllers.size() - 1).lastWords();
    }

    /** Names of objects, such as {@code names("cells")}. */
    ImmutableList<String> names(String kind) {
        return words(kubectl("get", kind, "--all-namespaces", "-o=jsonpath={.items[*].metadata.name}"));
    }

    /** Ids of instances that have not ended. */
    ImmutableList<String> instances() {
        return words(aws(
                "ec2",
                "describe-instances",
                "--filters",
                "Name=instance-state-name,Values=pending,running,shutting-down,stopping,stopped",
                "--query",
                "Reservations[].Instances[].InstanceId",
                "--output",
                "text"));
    }

    static ImmutableList<String> words(String text) {
        return Splitter.onPattern("\\s+")
                .omitEmptyStrings()
                .splitToStream(text)
                .sorted()
                .collect(ImmutableList.toImmutableList());
    }

    /** Waits until what is found is as wanted; fails with the controllers' last words. */
    void await(String what, Supplier<String> found, Predicate<String> wanted) {
        try {
            Bounded.await(what, PATIENCE, () -> {
                String seen = found.get();
                return Look.holds(wanted.test(seen), seen);
            });
        } catch (AssertionError late) {
            throw new AssertionError(late.getMessage() + "\n" + lastWords(), late);
        }
    }

    void awaitNode() {
        kubectl("wait", "--for=create", "node/virtual-kubelet", "--timeout=180s");
        kubectl("wait", "--for=condition=Ready", "node/virtual-kubelet", "--timeout=180s");
    }

    @Override
    public void close() {
        clear();
        machines.close();
    }
}
