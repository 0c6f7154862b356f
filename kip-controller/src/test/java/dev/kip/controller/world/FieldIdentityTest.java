package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.controller.launch.Tags;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** What users of this and other controllers have reported about names that stand for two things; each test is named by its record. */
class FieldIdentityTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static World ready(String... names) {
        World world = new World().start();
        List.of(names).forEach(world::createPod);
        world.until(
                "all are ready",
                Duration.ofMinutes(2),
                () -> List.of(names).stream().allMatch(world::ready));
        return world;
    }

    private static ObjectNode in(ObjectNode pod, String namespace) {
        pod.withObject("/metadata").put("namespace", namespace);
        return pod;
    }

    @Test
    void ID_02_names_that_would_be_equal_once_joined_get_cells_of_their_own() {
        World world = new World().start();
        world.createPod("bay", pod -> in(pod, "foo-bar"));
        world.createPod("bar-bay", pod -> in(pod, "foo"));
        world.createPod("b" + "a".repeat(252), pod -> in(pod, "n".repeat(63)));
        world.until(
                "three cells",
                Duration.ofMinutes(2),
                () -> world.kube.all("cells").size() == 3);

        assertThat(world.kube.all("cells"))
                .extracting(cell -> cell.path("metadata").path("name").asString(""))
                .doesNotHaveDuplicates()
                .allMatch(name -> name.length() <= 253);
        assertThat(world.cloud.live()).hasSize(3);
    }

    @Test
    void ID_03_a_long_name_neither_stops_the_launch_nor_costs_the_identity_a_character() {
        World world = new World().start();
        String namespace = "n".repeat(63);
        String name = "p".repeat(253);
        String uid = world.createPod(name, pod -> in(pod, namespace))
                .path("metadata")
                .path("uid")
                .asString("");
        world.until("it runs", Duration.ofMinutes(2), () -> world.cells.starts(uid) == 1);

        ImmutableMap<String, String> tags = world.cloud.live().get(0).tags();
        assertThat(tags.values()).allMatch(value -> value.length() <= 256);
        assertThat(tags).containsKeys(Tags.INSTALLATION, Tags.BATCH, Tags.MAC, Tags.NAME);
        assertThat(world.kube.all("cells").get(0).path("status").path("podUID").asString(""))
                .isEqualTo(uid);
    }

    @Test
    void ID_04_the_grace_of_a_pod_that_is_gone_does_not_end_its_namesake() {
        World world = ready("web-0");
        world.kube.deletePod("web-0", 30);
        world.until("the old one is gone", MINUTE, () -> world.kube.pod("web-0").isEmpty());
        String uid = world.createPod("web-0").path("metadata").path("uid").asString("");
        world.until("the new one is ready", Duration.ofMinutes(2), () -> world.ready("web-0"));
        world.pass(Duration.ofMinutes(5));

        assertThat(world.uid("web-0")).isEqualTo(uid);
        assertThat(world.ready("web-0")).isTrue();
        assertThat(world.cells.starts(uid)).isOne();
        assertThat(world.cloud.live()).hasSize(1);
    }

    /** The watch says nothing of the replacement: only the API server can refuse what is meant for the old one. */
    @Test
    void ID_05_the_status_of_a_dead_pod_does_not_land_on_its_namesake() {
        World world = ready("web-0");
        String old = world.uid("web-0");
        world.kube.mute("pods");
        world.kube.remove("pods", "default/web-0");
        world.createPod("web-0");
        long before = world.faults.count("kube patch pods");
        world.cells.finish(old, false);
        world.until("a status was sent", MINUTE, () -> world.faults.count("kube patch pods") > before);
        world.pass(Duration.ofSeconds(30));

        ObjectNode young = world.kube.pod("web-0").orElseThrow();
        assertThat(world.phase("web-0")).isEqualTo("Pending");
        assertThat(young.path("status").has("containerStatuses")).isFalse();
        assertThat(young.path("status").has("podIP")).isFalse();
    }

    @Test
    void ID_07_pods_of_one_name_in_two_namespaces_are_two() {
        World world = new World().start();
        String alpha = world.createPod("web", pod -> in(pod, "alpha"))
                .path("metadata")
                .path("uid")
                .asString("");
        String beta = world.createPod("web", pod -> in(pod, "beta"))
                .path("metadata")
                .path("uid")
                .asString("");
        world.until("both run", Duration.ofMinutes(2), () -> world.cells.starts(alpha) + world.cells.starts(beta) == 2);
        world.kube.remove("pods", "alpha/web");
        world.pass(Duration.ofMinutes(5));

        assertThat(world.cloud.live()).hasSize(1);
        assertThat(world.kube.all("cells"))
                .singleElement()
                .satisfies(cell -> assertThat(cell.path("status").path("podUID").asString(""))
                        .isEqualTo(beta));
        assertThat(world.cells.starts(beta)).isOne();
    }

    @Test
    void ID_08_a_deletion_that_is_told_late_does_not_end_the_namesake() {
        World world = ready("web-0");
        ObjectNode old = world.kube.pod("web-0").orElseThrow().deepCopy();
        world.kube.remove("pods", "default/web-0");
        String uid = world.createPod("web-0").path("metadata").path("uid").asString("");
        world.kube.tellDeletionAgain("pods", old);
        world.until("the new one is ready", Duration.ofMinutes(2), () -> world.ready("web-0"));
        world.pass(Duration.ofMinutes(5));

        assertThat(world.uid("web-0")).isEqualTo(uid);
        assertThat(world.cells.starts(uid)).isOne();
        assertThat(world.cloud.live()).hasSize(1);
    }
}
