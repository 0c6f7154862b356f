package dev.kip.sim.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cell.Grant;
import dev.kip.sim.cell.GroundTruth.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class PodLifecycleTest {

    private static final String NGINX = "{'containers':[{'name':'a','image':'nginx'}]}";

    private final CellWorld world = new CellWorld();

    @Test
    void a_pod_becomes_ready_with_a_status_in_kubelets_words() {
        world.grant("{'containers':[{'name':'a','image':'nginx','resources':{'requests':{'cpu':'1'}}}]}");
        JsonNode pending = world.status();
        assertThat(pending.path("phase").asString()).isEqualTo("Pending");
        assertThat(CellWorld.container(pending, "a").at("/state/waiting/reason").asString())
                .isEqualTo("ContainerCreating");

        JsonNode status = world.until(s -> CellWorld.condition(s, "Ready"));

        assertThat(status.path("phase").asString()).isEqualTo("Running");
        assertThat(status.path("podIP").asString()).isEqualTo("10.0.0.1");
        assertThat(status.at("/podIPs/0/ip").asString()).isEqualTo("10.0.0.1");
        assertThat(status.path("hostIP").asString()).isEqualTo("10.0.0.1");
        assertThat(status.path("qosClass").asString()).isEqualTo("Burstable");
        assertThat(status.path("startTime").asString()).matches("2030-01-01T00:00:\\d\\dZ");
        assertThat(status.path("conditions").findValuesAsString("type"))
                .containsExactly(
                        "PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled");
        JsonNode container = CellWorld.container(status, "a");
        assertThat(container.path("ready").asBoolean()).isTrue();
        assertThat(container.path("started").asBoolean()).isTrue();
        assertThat(container.path("image").asString()).isEqualTo("docker.io/library/nginx:latest");
        assertThat(container.path("imageID").asString()).startsWith("docker.io/library/nginx@sha256:");
        assertThat(container.path("containerID").asString()).matches("containerd://[0-9a-f]{64}");
        assertThat(container.at("/state/running").has("startedAt")).isTrue();
        assertThat(container.path("lastState").isEmpty()).isTrue();
    }

    @Test
    void readiness_waits_for_the_probe_and_its_condition_remembers_when() {
        world.grant("{'containers':[{'name':'a','image':'i','readinessProbe':{'initialDelaySeconds':30}}]}");
        JsonNode running = world.until(s -> s.path("phase").asString().equals("Running"));
        assertThat(CellWorld.condition(running, "Ready")).isFalse();

        JsonNode ready = world.until(s -> CellWorld.condition(s, "Ready"));

        Instant started = Instant.parse(
                CellWorld.container(ready, "a").at("/state/running/startedAt").asString());
        Instant since =
                Instant.parse(ready.at("/conditions/2/lastTransitionTime").asString());
        assertThat(Duration.between(started, since)).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(31));
    }

    @Test
    void init_containers_run_in_order_and_a_sidecar_goes_last() {
        world.grant(
                "{'restartPolicy':'Never','terminationGracePeriodSeconds':5,'initContainers':[{'name':'i1','image':'i'},"
                        + "{'name':'side','image':'i','restartPolicy':'Always'},{'name':'i2','image':'i'}],"
                        + "'containers':[{'name':'a','image':'i'}]}",
                "exit-code.a",
                "0");

        JsonNode status = CellWorld.JSON.readTree(world.untilEnded().status());

        assertThat(world.truth.runs()).extracting(Run::container).containsExactly("i1", "i2", "a", "side");
        assertThat(starts()).containsExactly("i1", "side", "i2", "a");
        assertThat(status.path("phase").asString()).isEqualTo("Succeeded");
        assertThat(status.at("/conditions/2/reason").asString()).isEqualTo("PodCompleted");
    }

    @Test
    void a_failing_init_container_of_a_pod_that_never_restarts_fails_it() {
        world.grant(
                "{'restartPolicy':'Never','initContainers':[{'name':'i','image':'i'}],"
                        + "'containers':[{'name':'a','image':'i'}]}",
                "exit-code.i",
                "4");

        JsonNode status = CellWorld.JSON.readTree(world.untilEnded().status());

        assertThat(status.path("phase").asString()).isEqualTo("Failed");
        assertThat(CellWorld.container(status, "i")
                        .at("/state/terminated/exitCode")
                        .asInt())
                .isEqualTo(4);
        assertThat(starts()).containsExactly("i");
    }

    @Test
    void a_crashing_container_restarts_with_a_back_off_that_doubles() {
        world.grant("{'containers':[{'name':'a','image':'i'}]}", "exit-code.a", "3", "exit-after.a", "1");
        world.kernel.runFor(Duration.ofSeconds(200));

        List<Long> gaps = new ArrayList<>();
        List<Run> runs = world.truth.runs();
        for (int i = 1; i < runs.size(); i++) {
            gaps.add(Duration.between(
                            runs.get(i - 1).ended().orElseThrow(), runs.get(i).started())
                    .toSeconds());
        }
        assertThat(gaps).containsExactly(1L, 10L, 20L, 40L, 80L);
        JsonNode container = CellWorld.container(world.status(), "a");
        assertThat(container.path("restartCount").asInt()).isEqualTo(5);
        assertThat(container.at("/state/waiting/reason").asString()).isEqualTo("CrashLoopBackOff");
        assertThat(container.at("/state/waiting/message").asString())
                .isEqualTo("back-off 2m40s restarting failed container=a pod=web_shop(u-1)");
        assertThat(container.at("/lastState/terminated/exitCode").asInt()).isEqualTo(3);
        assertThat(container.at("/lastState/terminated/reason").asString()).isEqualTo("Error");
        assertThat(world.status().path("phase").asString()).isEqualTo("Running");
    }

    @Test
    void a_container_may_crash_a_few_times_and_then_stay() {
        world.grant("{'containers':[{'name':'a','image':'i'}]}", "exit-code.a", "1", "exits.a", "2");

        JsonNode status = world.until(
                s -> CellWorld.container(s, "a").path("restartCount").asInt() == 2 && CellWorld.condition(s, "Ready"));

        world.kernel.runFor(Duration.ofMinutes(10));
        assertThat(world.status()).isEqualTo(status);
    }

    @Test
    void on_failure_ends_with_the_first_success() {
        world.grant("{'restartPolicy':'OnFailure','containers':[{'name':'a','image':'i'}]}", "exit-code.a", "0");

        assertThat(CellWorld.JSON
                        .readTree(world.untilEnded().status())
                        .path("phase")
                        .asString())
                .isEqualTo("Succeeded");
        assertThat(world.truth.runs()).hasSize(1);
    }

    @Test
    void an_image_that_cannot_be_pulled_keeps_the_pod_pending() {
        world.grant(NGINX, "pull-error.a", "no such image");

        JsonNode status = world.until(s -> CellWorld.container(s, "a")
                .at("/state/waiting/reason")
                .asString()
                .equals("ImagePullBackOff"));

        assertThat(status.path("phase").asString()).isEqualTo("Pending");
    }

    @Test
    void the_end_is_graceful_and_leaves_a_tombstone() {
        world.grant(NGINX);
        world.until(s -> CellWorld.condition(s, "Ready"));
        world.end(30);

        var report = world.untilEnded();

        JsonNode container = CellWorld.container(CellWorld.JSON.readTree(report.status()), "a");
        assertThat(container.at("/state/terminated/exitCode").asInt()).isZero();
        assertThat(world.truth.running()).isEmpty();
        world.cells.reboot("i-1");
        world.kernel.runFor(Duration.ofMinutes(1));
        assertThat(world.now()).isEqualTo(report);
        assertThat(world.truth.runs()).hasSize(1);
    }

    @Test
    void who_ignores_term_is_killed_when_the_grace_is_over_and_a_shorter_grace_shortens_it() {
        world.grant(NGINX, "ignore-term.a", "true");
        world.until(s -> CellWorld.condition(s, "Ready"));
        Duration asked = world.kernel.elapsed();
        world.end(300);
        world.kernel.runFor(Duration.ofSeconds(10));
        world.end(600);
        world.end(5);

        JsonNode status = CellWorld.JSON.readTree(world.untilEnded().status());

        assertThat(world.kernel.elapsed().minus(asked)).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(16));
        assertThat(CellWorld.container(status, "a")
                        .at("/state/terminated/exitCode")
                        .asInt())
                .isEqualTo(137);
        assertThat(status.path("phase").asString()).isEqualTo("Failed");
    }

    @Test
    void a_pod_can_be_ended_before_anything_of_it_has_started() {
        world.grant(NGINX);
        world.end(30);

        world.untilEnded();

        assertThat(world.truth.runs()).isEmpty();
    }

    @Test
    void a_pod_over_its_deadline_fails() {
        world.grant("{'activeDeadlineSeconds':60,'containers':[{'name':'a','image':'i'}]}");

        JsonNode status = CellWorld.JSON.readTree(world.untilEnded().status());

        assertThat(status.path("phase").asString()).isEqualTo("Failed");
        assertThat(status.path("reason").asString()).isEqualTo("DeadlineExceeded");
    }

    @Test
    void after_a_power_cut_a_pod_that_restarts_runs_again_and_one_that_never_does_has_failed() {
        world.grant(NGINX);
        world.until(s -> CellWorld.condition(s, "Ready"));
        world.cells.reboot("i-1");
        world.kernel.runFor(Duration.ofSeconds(10));

        JsonNode container = CellWorld.container(world.until(s -> CellWorld.condition(s, "Ready")), "a");
        assertThat(container.path("restartCount").asInt()).isEqualTo(1);
        assertThat(container.at("/lastState/terminated/exitCode").asInt()).isEqualTo(255);
        assertThat(container.at("/lastState/terminated/reason").asString()).isEqualTo("Unknown");

        CellWorld other = new CellWorld();
        other.grant("{'restartPolicy':'Never','containers':[{'name':'a','image':'i'}]}");
        other.until(s -> CellWorld.condition(s, "Ready"));
        other.cells.reboot("i-1");
        other.kernel.runFor(Duration.ofSeconds(10));

        assertThat(other.now().ended()).isTrue();
        assertThat(other.status().path("phase").asString()).isEqualTo("Failed");
        assertThat(other.truth.runs()).hasSize(1);
    }

    @Test
    void a_pod_that_was_being_ended_at_the_power_cut_does_not_run_again() {
        world.grant(NGINX, "ignore-term.a", "true");
        world.until(s -> CellWorld.condition(s, "Ready"));
        world.end(300);
        world.cells.reboot("i-1");
        world.kernel.runFor(Duration.ofMinutes(1));

        assertThat(world.now().ended()).isTrue();
        assertThat(world.truth.runs()).hasSize(1);
    }

    @Test
    void a_new_generation_changes_labels_in_place_and_restarts_for_an_image() {
        world.grant(NGINX);
        world.until(s -> CellWorld.condition(s, "Ready"));
        var relabelled = CellWorld.bundle(2, NGINX, "label", "new");
        assertThat(world.report(world.api.grant(CellWorld.CELL, new Grant(3, "u-1", 0, relabelled)))
                        .pod()
                        .orElseThrow()
                        .generation())
                .isEqualTo(2);
        assertThat(world.truth.runs()).hasSize(1);

        world.report(world.api.grant(
                CellWorld.CELL, new Grant(3, "u-1", 0, CellWorld.bundle(3, NGINX.replace("nginx", "nginx:2")))));

        JsonNode container = CellWorld.container(
                world.until(
                        s -> CellWorld.container(s, "a").path("restartCount").asInt() == 1),
                "a");
        assertThat(container.path("image").asString()).isEqualTo("docker.io/library/nginx:2");
    }

    @Test
    void the_truth_tells_when_one_attempt_runs_twice() {
        world.truth.granted("i-1", "u-1", 0, CellWorld.EPOCH);
        world.truth.granted("i-2", "u-1", 0, CellWorld.EPOCH);

        assertThat(world.truth.violations())
                .containsExactly("pod u-1 attempt 0 was granted to more than one instance: i-1, i-2");
    }

    @Test
    void the_same_world_is_the_same_twice() {
        assertThat(story()).isEqualTo(story());
    }

    private static String story() {
        CellWorld world = new CellWorld();
        world.grant(NGINX);
        world.until(s -> CellWorld.condition(s, "Ready"));
        world.end(30);
        world.untilEnded();
        return world.kernel.trace().hash();
    }

    private List<String> starts() {
        return world.truth.runs().stream()
                .sorted(Comparator.comparing(Run::started))
                .map(Run::container)
                .toList();
    }
}
