package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.real.Bounded.Look;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cells that are real: the instances of moto are machines with containerd, kubelet and the agent's jar. One story, because
 * a machine takes seconds to boot: all kinds of pods come up, everything is killed in turn, the power fails, all end.
 */
final class RealCellIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String PODS = """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: settings, namespace: default}
            data: {word: first}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: rich, namespace: default}
            spec:
              replicas: 1
              selector: {matchLabels: {app: rich}}
              template:
                metadata: {labels: {app: rich}}
                spec:
                  automountServiceAccountToken: false
                  terminationGracePeriodSeconds: 20
                  initContainers:
                  - {name: before, image: "localhost/busybox:1", command: [sh, -c, "echo before"]}
                  - {name: beside, image: "localhost/busybox:1", restartPolicy: Always, command: [sleep, "100000"]}
                  containers:
                  - name: main
                    image: localhost/busybox:1
                    command: [sh, -c, "httpd -p 8080 -h /settings; while :; do cat /settings/word; echo; sleep 1; done"]
                    readinessProbe: {httpGet: {path: /word, port: 8080}, periodSeconds: 1}
                    livenessProbe: {exec: {command: [cat, /settings/word]}, periodSeconds: 3}
                    startupProbe: {exec: {command: [cat, /settings/word]}, periodSeconds: 1}
                    lifecycle: {preStop: {exec: {command: [sh, -c, "echo stopping > /proc/1/fd/1; sleep 4"]}}}
                    volumeMounts: [{name: settings, mountPath: /settings}]
                  volumes: [{name: settings, configMap: {name: settings}}]
            ---
            apiVersion: batch/v1
            kind: Job
            metadata: {name: once, namespace: default}
            spec:
              backoffLimit: 0
              template:
                spec:
                  automountServiceAccountToken: false
                  restartPolicy: Never
                  containers:
                  - {name: main, image: "localhost/busybox:1", command: [sh, -c, "echo ran; sleep 100000"]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: crash, namespace: default}
            spec:
              automountServiceAccountToken: false
              containers:
              - {name: main, image: "localhost/busybox:1", command: [sh, -c, "exit 3"]}
            """;

    private static Path disks;
    private static ControllerProcess controller;
    private static Program machines;
    private static RealWorld world;

    @BeforeAll
    static void prepare() throws IOException {
        CLUSTER.applyCustomResources();
        CLUSTER.applyRights();
        disks = Files.createDirectories(CLUSTER.directory().resolve("machines"));
        controller =
                new ControllerProcess(CLUSTER, "real", CLUSTER.kubernetes(), CLUSTER.ec2(), CLUSTER.controllerToken());
        world = new RealWorld(CLUSTER, new AdminApi(CLUSTER), ImmutableList.of(controller), new CallCounter());
        world.clear();
        machines = startMachines();
        controller.start();
    }

    @AfterAll
    static void end() {
        controller.close();
        world.close();
        machines.close();
    }

    private static Program startMachines() {
        return CLUSTER.start(
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
                        CLUSTER.ec2().toString(),
                        "--every",
                        "300",
                        "--real",
                        disks.toString()));
    }

    @Test
    void pods_of_real_cells_live_through_every_kill_and_a_power_cut(@TempDir Path directory) throws IOException {
        Path manifest = Files.writeString(directory.resolve("pods.yaml"), PODS);
        kubectl("apply", "-f", manifest.toString());

        await("the deployment ready", () -> value("deployment/rich", "{.status.readyReplicas}"), "1");
        await("the job's pod running", () -> phaseOf("job-name=once"), "Running");
        await(
                "the crashing pod held back",
                () -> value("pod/crash", "{.status.containerStatuses[0].state.waiting.reason}"),
                "CrashLoopBackOff");
        String pod = value("pods", "{.items[0].metadata.name}", "-l", "app=rich");
        String before = containers(pod);
        assertThat(before).contains("before", "beside", "main");
        assertThat(value("pod/" + pod, "{.status.initContainerStatuses[0].state.terminated.reason}"))
                .isEqualTo("Completed");
        String instance = value("cells", "{.items[?(@.spec.podName==\"" + pod + "\")].status.instanceID}");
        measure(instance);

        for (String program : List.of("jar agent", "kubelet --config", "containerd --config")) {
            kill(instance, program);
            Bounded.await(
                    program + " is back",
                    PATIENCE,
                    () -> Look.holds(processes(instance, program).size() == 1, "not yet"));
        }
        controller.kill9();
        controller.start();
        kubectl("annotate", "pod", pod, "seen=after-the-kills");
        kubectl("patch", "configmap", "settings", "-p", "{\"data\":{\"word\":\"second\"}}");
        long patched = System.nanoTime();
        Bounded.await("the new word in the file", Duration.ofSeconds(75), () -> {
            String said = log(instance, "main");
            return Look.holds(said.contains(" second"), tail(said));
        });
        System.out.println("real-parts: a changed config map is in the file after "
                + Duration.ofNanos(System.nanoTime() - patched).toSeconds() + " s");
        assertThat(containers(pod)).as("no container was restarted").isEqualTo(before);

        machines.kill9();
        machines = startMachines();
        await("the job's pod failed", () -> phaseOf("job-name=once"), "Failed");
        assertThat(value(
                        "pods",
                        "{.items[*].status.containerStatuses[0].state.terminated.exitCode}",
                        "-l",
                        "job-name=once"))
                .as("one pod, which the power cut ended")
                .isEqualTo("255");
        await("the job failed", () -> value("job/once", "{.status.failed}"), "1");
        await("the deployment ready again", () -> value("deployment/rich", "{.status.readyReplicas}"), "1");
        assertThat(value("pods", "{.items[0].metadata.name}", "-l", "app=rich")).isEqualTo(pod);
        assertThat(containers(pod)).isNotEqualTo(before);

        kubectl("delete", "deployment", "rich", "--wait=false");
        Bounded.await("the hook before the end", PATIENCE, () -> {
            String said = log(instance, "main");
            return Look.holds(said.contains(" stopping"), tail(said));
        });
        kubectl("delete", "job", "once");
        kubectl("delete", "pod", "crash", "--timeout=60s");
        Bounded.await("no pod and no machine", PATIENCE, () -> {
            String left = value("pods", "{.items[*].metadata.name}") + machines();
            return Look.holds(left.isEmpty(), left);
        });
    }

    /** What the agent takes, in the machine of its own. */
    private static void measure(String instance) {
        for (String program : List.of("jar agent", "kubelet --config", "containerd --config")) {
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

    private static String machines() {
        try (Stream<Path> entries = Files.list(disks)) {
            return String.join(
                    " ",
                    entries.map(entry -> entry.getFileName().toString())
                            .filter(name -> name.startsWith("i-"))
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Names, ids and restarts of a pod's containers. */
    private static String containers(String pod) {
        String each = "{range .status.%s[*]}{.name} {.containerID} {.restartCount}{\"\\n\"}{end}";
        return value("pod/" + pod, each.formatted("initContainerStatuses") + each.formatted("containerStatuses"));
    }

    private static String phaseOf(String selector) {
        return value("pods", "{.items[*].status.phase}", "-l", selector);
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

    private static void kill(String instance, String program) {
        ImmutableList<Long> running = processes(instance, program);
        assertThat(running).as(program).hasSize(1);
        ProcessHandle.of(running.get(0)).orElseThrow().destroyForcibly();
        Bounded.await(
                program + " is dead",
                PATIENCE,
                () -> Look.holds(
                        !ProcessHandle.of(running.get(0))
                                .map(ProcessHandle::isAlive)
                                .orElse(false),
                        "alive"));
    }

    /** All that a container of the machine's pod has said. */
    private static String log(String instance, String container) {
        StringBuilder said = new StringBuilder();
        try (Stream<Path> logs = Files.walk(disks.resolve(instance).resolve("var/log/pods"))) {
            for (Path log : logs.filter(
                            path -> path.toString().contains("/" + container + "/") && Files.isRegularFile(path))
                    .sorted()
                    .toList()) {
                said.append(Files.readString(log));
            }
        } catch (IOException | UncheckedIOException e) {
            return said.toString(); // the machine comes or goes
        }
        return said.toString();
    }

    private static String tail(String text) {
        return text.substring(Math.max(0, text.length() - 300));
    }

    private static void await(String what, java.util.function.Supplier<String> look, String wanted) {
        try {
            Bounded.await(what, PATIENCE, () -> {
                String found = look.get();
                return Look.holds(found.equals(wanted), found);
            });
        } catch (AssertionError e) {
            throw new AssertionError(
                    e.getMessage() + "\n" + kubectl("get", "pods", "-o", "wide") + "\n" + machines.lastWords() + "\n"
                            + controller.lastWords(),
                    e);
        }
    }

    /** What is there; empty if it is not. */
    private static String value(String object, String path, String... more) {
        Program.Result result = CLUSTER.kubectl(ImmutableList.<String>builder()
                .add("get", object, "-n", "default", "-o", "jsonpath=" + path)
                .add(more)
                .build()
                .toArray(String[]::new));
        return result.code() == 0 ? result.output().strip() : "";
    }

    private static String kubectl(String... arguments) {
        return CLUSTER.kubectl(arguments).orFail();
    }
}
