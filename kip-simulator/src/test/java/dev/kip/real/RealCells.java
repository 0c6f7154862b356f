package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.real.Bounded.Look;
import dev.kip.sim.wall.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The instances of moto as machines with containerd, kubelet and the agent's jar, as {@code kip sim cells --real} makes them. */
final class RealCells implements AutoCloseable {

    /** The programs of a machine, by a part of their command line. */
    static final ImmutableList<String> PROGRAMS =
            ImmutableList.of("jar agent", "kubelet --config", "containerd --config");

    private static final Duration PATIENCE = Duration.ofSeconds(100);

    private final RealCluster cluster;
    private final String plainRegistry;
    private final Path disks;
    private Program keeper;

    /** @param plainRegistry host:port of a registry over plain HTTP */
    RealCells(RealCluster cluster, String plainRegistry) throws IOException {
        this.cluster = cluster;
        this.plainRegistry = plainRegistry;
        this.disks = Files.createDirectories(cluster.directory().resolve("machines"));
        this.keeper = begin();
    }

    private Program begin() {
        return cluster.start(
                "machines",
                ImmutableList.of(
                        ControllerProcess.java(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.kip.sim.cli.Simulator",
                        "sim",
                        "cells",
                        "--ec2-endpoint",
                        cluster.ec2().toString(),
                        "--every",
                        "500",
                        "--plain-registry",
                        plainRegistry,
                        "--real",
                        disks.toString()));
    }

    /** Every machine loses its power at once, and boots again. */
    void cutThePower() {
        keeper.kill9();
        keeper = begin();
    }

    /** The archive of the images that every machine has; waits until it is made. */
    Path images() {
        return Bounded.await("the images", PATIENCE, () -> {
            try (Stream<Path> archives = Files.list(disks.resolve("images"))) {
                return archives.filter(path -> path.toString().endsWith(".tar"))
                        .findFirst()
                        .map(Look::at)
                        .orElseGet(() -> Look.notYet("none"));
            } catch (IOException e) {
                return Look.notYet(e.toString());
            }
        });
    }

    /** Names of the machines that there are, separated by spaces. */
    String names() {
        try (Stream<Path> entries = Files.list(disks)) {
            return String.join(
                    " ",
                    entries.map(entry -> entry.getFileName().toString())
                            .filter(name -> name.startsWith("i-"))
                            .sorted()
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** SIGKILL, and waits until the machine has started it again. */
    void kill(String instance, String program) {
        ImmutableList<Long> running = processes(instance, program);
        assertThat(running).as(program).hasSize(1);
        ProcessHandle killed = ProcessHandle.of(running.get(0)).orElseThrow();
        killed.destroyForcibly();
        Bounded.await(
                program + " is back",
                PATIENCE,
                () -> Look.holds(
                        !killed.isAlive() && processes(instance, program).size() == 1, killed.isAlive() + " alive"));
    }

    /** Of the machine's own programs, not of its containers' nor of other machines'. */
    private static ImmutableList<Long> processes(String instance, String program) {
        ImmutableList.Builder<Long> found = ImmutableList.builder();
        try (Stream<Path> groups = Files.list(Path.of("/sys/fs/cgroup/memory"))) {
            for (Path group : groups.filter(
                            path -> path.getFileName().toString().startsWith("kip-"))
                    .toList()) {
                Path members = group.resolve(instance).resolve("machine/cgroup.procs");
                if (Files.exists(members)) {
                    for (String pid : Files.readAllLines(members)) {
                        String command = ProcessHandle.of(Long.parseLong(pid))
                                .flatMap(process -> process.info().commandLine())
                                .orElse("");
                        if (command.contains(program)) {
                            found.add(Long.parseLong(pid));
                        }
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found.build();
    }

    /** Prints what each program takes. */
    void measure(String instance) {
        for (String program : PROGRAMS) {
            for (long pid : processes(instance, program)) {
                try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
                    lines.filter(line -> line.startsWith("VmRSS"))
                            .forEach(line -> System.out.println("real-parts: " + program + ": " + line));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    /** All that a container of the machine's pod has said; empty while the machine comes or goes. */
    String log(String instance, String container) {
        StringBuilder said = new StringBuilder();
        try (Stream<Path> logs = Files.walk(disks.resolve(instance).resolve("var/log/pods"))) {
            List<Path> ofContainer = logs.filter(
                            path -> path.toString().contains("/" + container + "/") && Files.isRegularFile(path))
                    .sorted()
                    .toList();
            for (Path log : ofContainer) {
                said.append(Files.readString(log));
            }
        } catch (IOException | UncheckedIOException e) {
            return said.toString();
        }
        return said.toString();
    }

    /** Waits until the container has said this. */
    void awaitWord(String instance, String container, String word, Duration atMost) {
        Bounded.await("\"" + word + "\" of " + container, atMost, () -> {
            String said = log(instance, container);
            return Look.holds(said.contains(word), said.substring(Math.max(0, said.length() - 300)));
        });
    }

    String lastWords() {
        return keeper.lastWords();
    }

    /** Takes the machines' control groups and bridge away with them. */
    @Override
    public void close() {
        if (keeper.isAlive()) {
            keeper.terminate();
        }
    }
}
