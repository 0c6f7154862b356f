package dev.kip.sim.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kip.sim.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A world of {@code kip up} outlives its process, whether that ends or is killed. */
class KeptWorldTest {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String PODS = "-o=jsonpath={range .items[*]}{.metadata.name} {.metadata.uid} {.status.podIP} "
            + "{.status.containerStatuses[*].containerID} {.status.containerStatuses[*].restartCount} "
            + "{.status.conditions}{\"\\n\"}{end}";

    @TempDir
    private Path folder;

    @Test
    void pods_outlive_a_kill_and_a_stop_and_are_ended_as_ever_afterwards() throws Exception {
        assumeTrue(Programs.find("kubectl").isPresent(), "skipped: kubectl is not on PATH");
        Path data = folder.resolve("world");
        Path kubeconfig = data.resolve("kubeconfig");
        Process first = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.kip.sim.cli.Simulator",
                        "up",
                        "--ports",
                        "0",
                        "--data",
                        data.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("up.log").toFile())
                .start();
        String pods;
        try {
            until("it is up", () -> Files.exists(kubeconfig) || !first.isAlive());
            assertThat(first.isAlive()).as("%s", folder.resolve("up.log")).isTrue();
            KubectlRun.kubectl(kubeconfig, "create", "deployment", "nginx", "--image=nginx", "--replicas=2");
            KubectlRun.kubectl(kubeconfig, "rollout", "status", "deployment/nginx", "--timeout=100s");
            pods = KubectlRun.kubectl(kubeconfig, "get", "pods", PODS);
            awaitWritten(data.resolve("kept/world.json"));
        } finally {
            first.destroyForcibly();
        }
        assertThat(first.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(pods.lines()).hasSize(2);

        List<String> cells;
        List<String> instances;
        EmbeddedWorld second = start(data, false);
        try {
            assertThat(second.keptAt()).isPresent();
            assertThat(KubectlRun.kubectl(kubeconfig, "get", "pods", PODS)).isEqualTo(pods);
            assertThatThrownBy(() -> start(data, true)).hasMessageContaining("another world lives in");
            cells = cells(kubeconfig);
            instances = instances(second);
            assertThat(cells).hasSize(2);
            assertThat(instances).hasSize(2);
        } finally {
            second.close();
        }

        EmbeddedWorld third = start(data, false);
        try {
            assertThat(KubectlRun.kubectl(kubeconfig, "get", "pods", PODS)).isEqualTo(pods);
            assertThat(cells(kubeconfig)).isEqualTo(cells);
            assertThat(instances(third)).isEqualTo(instances);
            KubectlRun.kubectl(kubeconfig, "delete", "deployment", "nginx");
            KubectlRun.kubectl(kubeconfig, "wait", "--for=delete", "cells", "--all", "--timeout=100s");
            assertThat(KubectlRun.kubectl(kubeconfig, "get", "pods,cells,launchbatches"))
                    .contains("No resources found");
            until("no instance runs", () -> instances(third).isEmpty());
        } finally {
            third.close();
        }

        EmbeddedWorld fresh = start(data, true);
        try {
            assertThat(fresh.keptAt()).isEmpty();
            assertThat(data.resolve("kept/world.json.old")).exists();
        } finally {
            fresh.close();
        }
    }

    @Test
    void a_kept_world_that_cannot_be_taken_up_is_left_as_it_is() throws IOException {
        WorldFile file = new EmbeddedFiles(folder).world();
        file.write((ObjectNode) JsonMapper.shared().readTree("{\"kubernetes\":{\"tokenKey\":7}}"));
        byte[] before = Files.readAllBytes(folder.resolve("kept/world.json"));

        assertThatThrownBy(() -> start(folder, false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot be taken up")
                .hasMessageContaining("--fresh");
        assertThat(Files.readAllBytes(folder.resolve("kept/world.json"))).isEqualTo(before);
    }

    private static EmbeddedWorld start(Path data, boolean fresh) throws IOException {
        return EmbeddedWorld.start(new EmbeddedWorld.Wish(data, 0, false, fresh), doing -> {});
    }

    private static List<String> cells(Path kubeconfig) throws Exception {
        return KubectlRun.kubectl(
                        kubeconfig,
                        "get",
                        "cells",
                        "-o=custom-columns=N:.metadata.name,U:.metadata.uid,I:.status.instanceID,P:.status.podName",
                        "--no-headers")
                .lines()
                .sorted()
                .toList();
    }

    /** That have not ended. */
    private static List<String> instances(EmbeddedWorld world) {
        try {
            String answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(world.endpoints().ec2()))
                                    .POST(HttpRequest.BodyPublishers.ofString("Action=DescribeInstances"
                                            + "&Filter.1.Name=instance-state-name&Filter.1.Value.1=pending"
                                            + "&Filter.1.Value.2=running&Filter.1.Value.3=shutting-down"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
            return Pattern.compile("<instanceId>([^<]*)</instanceId>")
                    .matcher(answer)
                    .results()
                    .map(found -> found.group(1))
                    .distinct()
                    .sorted()
                    .toList();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Twice, so that the second began after this was called. */
    private static void awaitWritten(Path file) throws IOException {
        for (int i = 0; i < 2; i++) {
            FileTime before = Files.getLastModifiedTime(file);
            until("the world is written", () -> !modified(file).equals(before));
        }
    }

    private static FileTime modified(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void until(String what, BooleanSupplier holds) {
        long limit = System.nanoTime() + LIMIT.toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(limit);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }
}
