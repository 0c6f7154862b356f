package dev.kip.sim.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.cli.CliFailure;
import dev.kip.logging.Logging;
import dev.kip.sim.embedded.EmbeddedWorld;
import dev.kip.sim.machine.MachineParts;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.event.Level;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code kip up}. */
@Command(
        name = "up",
        description = {
            "Starts an embedded world on this machine: a Kubernetes API and an EC2 on loopback, machines that are played,",
            "and Kip's controller. Runs until Ctrl-C. Started again, it goes on where it stood: the world is kept in --data."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./kip up",
            "  ./kip up --ports 0 --data /tmp/world",
            "  ./kip up --cells kubelet",
            "  kubectl --kubeconfig .kip/kubeconfig get nodes",
            "  ./kip doctor --kubeconfig .kip/kubeconfig --config .kip/provider.yaml",
            "",
            "Exit codes: 0 ended by Ctrl-C, 1 it could not start, 2 wrong usage or a port in use."
        })
final class UpCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "the world's files: kubeconfig, provider.yaml, endpoints.json, kept/world.json; default ${DEFAULT-VALUE}",
            defaultValue = ".kip")
    private Path data;

    @Option(
            names = "--ports",
            paramLabel = "N",
            description =
                    "four ports from N on: Kubernetes, EC2, metrics, health; 0 draws free ones; default ${DEFAULT-VALUE}",
            defaultValue = "16440")
    private int ports;

    @Option(names = "--fresh", description = "begins anew; the world that was kept is moved to kept/world.json.old")
    private boolean fresh;

    @Option(names = "--taint", description = "the virtual node carries its taint: pods must tolerate it")
    private boolean taint;

    @Option(
            names = "--cells",
            paramLabel = "KIND",
            description = {
                "simulated: played in this process; kubelet: a containerd, a kubelet and Kip's agent for each, in",
                "namespaces of its own on this machine (Linux, root; see docs/cells.md); default ${DEFAULT-VALUE}"
            },
            defaultValue = "simulated")
    private Cells cells;

    @Option(
            names = "--image",
            paramLabel = "FILE",
            description = "an archive of images for cells that are kubelets, as docker save writes it; may be repeated")
    private List<Path> images = new ArrayList<>();

    /** What the cells are. */
    enum Cells {
        simulated,
        kubelet
    }

    @Option(
            names = "--log-level",
            description = "what the controller logs on stderr: ERROR, WARN, INFO, DEBUG; default ${DEFAULT-VALUE}",
            defaultValue = "WARN")
    private Level logLevel;

    @Override
    public Integer call() {
        Logging.configure(Logging.Format.text, logLevel);
        PrintWriter out = spec.commandLine().getOut();
        long began = System.nanoTime();
        EmbeddedWorld world;
        try {
            world = EmbeddedWorld.start(new EmbeddedWorld.Wish(data, ports, taint, fresh, realCells()), doing -> {
                out.println("kip: " + doing);
                out.flush();
            });
        } catch (IOException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        } catch (CliFailure e) {
            out.println("kip: " + e.getMessage());
            out.flush();
            return 1;
        }
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            out.println();
                            out.println("kip: ending the embedded world");
                            out.flush();
                            try {
                                world.close();
                            } catch (IOException e) {
                                out.println("kip: the world as it is now could not be kept: " + e.getMessage());
                                out.flush();
                                Runtime.getRuntime().halt(1);
                            }
                            Runtime.getRuntime().halt(0);
                        },
                        "end"));
        greet(out, world, (System.nanoTime() - began) / 1_000_000, cells == Cells.kubelet);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }

    private Optional<EmbeddedWorld.RealCells> realCells() {
        if (cells == Cells.simulated) {
            if (!images.isEmpty()) {
                throw new UsageProblem("--image is for --cells kubelet: simulated cells run no images.");
            }
            return Optional.empty();
        }
        for (Path image : images) {
            if (!Files.isReadable(image)) {
                throw new UsageProblem("--image " + image + " cannot be read.");
            }
        }
        try {
            return Optional.of(new EmbeddedWorld.RealCells(
                    MachineParts.find(ImmutableMap.copyOf(System.getenv()), MachineParts.home()),
                    ImmutableList.copyOf(images)));
        } catch (MachineParts.Missing e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    private static void greet(PrintWriter out, EmbeddedWorld world, long millis, boolean real) {
        EmbeddedWorld.Endpoints endpoints = world.endpoints();
        String kubeconfig = world.kubeconfig().toString();
        world.keptAt()
                .ifPresent(at -> out.println(
                        "kip: the world of " + at.truncatedTo(ChronoUnit.SECONDS) + " goes on; --fresh begins anew"));
        out.println("kip: up after " + millis + " ms. Ctrl-C ends it.");
        out.println();
        out.println("  Kubernetes  " + endpoints.kubernetes());
        out.println("  EC2         " + endpoints.ec2());
        out.println("  metrics     " + endpoints.metrics());
        out.println("  health      " + endpoints.health());
        out.println("  kubeconfig  " + kubeconfig);
        out.println();
        out.println("Try, in another terminal:");
        out.println("  export KUBECONFIG=" + kubeconfig);
        out.println("  kubectl get nodes -o wide");
        out.println("  kubectl apply -f examples/" + (real ? "busybox" : "nginx") + ".yaml");
        out.println("  kubectl get pods -o wide -w");
        out.println("  kubectl get cells");
        out.println(
                "  ./kip cells --config " + world.providerYaml() + "   # explain, doctor, audit, gc, drain: the same");
        out.println(
                "  aws --endpoint-url " + endpoints.ec2() + " ec2 describe-instances   # any credentials, us-east-1");
        out.flush();
    }
}
