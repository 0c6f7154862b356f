package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.gc.Gates;
import dev.kip.controller.gc.GcSettings;
import dev.kip.controller.launch.Tags;
import dev.kip.kube.KubeError;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What is ended, and what each gate keeps from being ended: each is taken away in turn, and its harm shows. */
class GarbageTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The harm that one gate keeps away. */
    private interface Story {

        /** @return the instance that must live */
        String play(World world);
    }

    private static void without(String gate, Story story) {
        World guarded = new World();
        String kept = story.play(guarded);
        assertThat(guarded.cloud.runs(kept)).as("with all gates").isTrue();

        Gates fewer = new Gates(Gates.standard().all().stream()
                .filter(other -> !other.name().equals(gate))
                .collect(ImmutableList.toImmutableList()));
        assertThat(fewer.all()).hasSize(6);
        World open = new World().behind(fewer);
        String lost = story.play(open);
        assertThat(open.cloud.runs(lost)).as("without %s", gate).isFalse();
    }

    /** A ready pod, and an instance that nothing claims, proven by the same launch call. */
    private static InstanceFacts ghost(World world, String id) {
        InstanceFacts proven = world.cloud.live().get(0);
        InstanceFacts ghost = Instances.like(proven, id, proven.clientToken(), proven.tags());
        world.cloud.plant(ghost);
        return ghost;
    }

    private static World running(World world) {
        world.start();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));
        return world;
    }

    private static ObjectNode cellOf(String instanceId) {
        return JSON.readValue("""
                {"apiVersion": "kip.elotl.co/v1", "kind": "Cell", "metadata": {"name": "other-0"},
                 "status": {"podName": "other", "podNamespace": "default", "node": "another", "controllerID": "x",
                            "launchType": "On-Demand", "instanceType": "t3.nano", "instanceID": "%s", "ip": "10.0.9.9",
                            "podUID": "uid-other", "attempt": 0, "epoch": 1, "batch": "", "clientToken": ""}}
                """.formatted(instanceId), ObjectNode.class);
    }

    @Test
    void G1_what_is_only_tagged_like_ours_lives() {
        without("G1", world -> {
            running(world);
            InstanceFacts proven = world.cloud.live().get(0);
            world.cloud.plant(Instances.like(proven, "i-copied", "another-token", proven.tags()));
            world.pass(Duration.ofMinutes(6));
            return "i-copied";
        });
    }

    @Test
    void G2_a_claim_that_no_watch_has_told_of_counts() {
        without("G2", world -> {
            running(world);
            world.kube.mute("cells");
            ghost(world, "i-claimed");
            world.kube.put("cells", cellOf("i-claimed"));
            world.pass(Duration.ofMinutes(6));
            return "i-claimed";
        });
    }

    @Test
    void G3_half_a_list_proves_nothing() {
        without("G3", world -> {
            running(world);
            world.kube.mute("cells");
            ghost(world, "i-claimed");
            world.kube.put("cells", cellOf("i-claimed"));
            world.kube.refuse(request -> request.equals("kube list cells")
                    ? Optional.of(new KubeError.Busy(504, Optional.empty(), "etcd is slow"))
                    : Optional.empty());
            world.pass(Duration.ofMinutes(6));
            return "i-claimed";
        });
    }

    @Test
    void G4_one_look_is_not_enough() {
        without("G4", world -> {
            running(world);
            world.kube.mute("cells");
            long looks = world.faults.count("cloud describe");
            ghost(world, "i-late");
            world.until("it is seen", Duration.ofMinutes(2), () -> world.faults.count("cloud describe") > looks);
            world.pass(Duration.ofSeconds(25));
            world.kube.put("cells", cellOf("i-late"));
            world.pass(Duration.ofMinutes(6));
            return "i-late";
        });
    }

    @Test
    void G5_who_is_not_the_one_of_the_record_any_more_ends_nothing() {
        without("G5", world -> {
            running(world);
            ghost(world, "i-ghost");
            world.kube.mute("installations");
            ObjectNode record = world.kube.all("installations").get(0).deepCopy();
            ((ObjectNode) record.path("spec").path("shards").get(0)).put("epoch", 7);
            world.kube.put("installations", record);
            world.pass(Duration.ofMinutes(6));
            return "i-ghost";
        });
    }

    @Test
    void G6_kubernetes_that_shows_no_pods_where_there_were_some_is_not_believed() {
        without("G6", world -> {
            running(world);
            ghost(world, "i-ghost");
            world.kube.hide("pods");
            world.pass(Duration.ofMinutes(6));
            return "i-ghost";
        });
    }

    @Test
    void G7_what_runs_a_pod_that_exists_lives_though_no_record_tells_of_it() {
        without("G7", world -> {
            running(world);
            world.createPod("db", pod -> {
                ((ObjectNode) pod.path("spec").path("containers").get(0))
                        .putObject("resources")
                        .putObject("requests")
                        .put("cpu", "1000");
                return pod;
            });
            ghost(world, "i-holder");
            world.cells.hold("i-holder", world.uid("db"));
            world.pass(Duration.ofMinutes(6));
            return "i-holder";
        });
    }

    @Test
    void a_ghost_is_marked_then_ended_then_on_record() {
        World world = running(new World());
        ghost(world, "i-ghost");
        world.until(
                "it is in quarantine",
                Duration.ofMinutes(4),
                () -> world.cloud.facts("i-ghost").tags().containsKey(Tags.CANDIDATE));
        assertThat(world.cloud.runs("i-ghost")).isTrue();

        world.until("it is ended", MINUTE, () -> !world.cloud.runs("i-ghost"));
        world.pass(Duration.ofSeconds(1));

        ObjectNode event = world.kube.all("events").stream()
                .filter(it -> it.path("reason").asString("").equals("InstanceTerminated"))
                .findFirst()
                .orElseThrow();
        assertThat(event.path("involvedObject").path("kind").asString("")).isEqualTo("Installation");
        assertThat(event.path("involvedObject").path("uid").asString("")).isNotEmpty();
        assertThat(event.path("message").asString(""))
                .contains("i-ghost", "MAC over its node and client token", "holds no pod");
        assertThat(world.ready("web")).isTrue();
    }

    @Test
    void not_more_than_the_budget_is_ended_in_a_window_and_the_rest_follows() {
        World world = running(new World());
        for (int i = 0; i < 10; i++) {
            ghost(world, "i-ghost-" + i);
        }
        world.until(
                "some are ended",
                Duration.ofMinutes(4),
                () -> world.cloud.live().size() < 11);
        world.pass(Duration.ofMinutes(9));

        assertThat(world.cloud.live()).hasSize(11 - 3);
        assertThat(world.eventsOn("Installation")).contains("GarbageCollectionStopped");

        world.pass(Duration.ofMinutes(40));
        assertThat(world.cloud.live()).hasSize(1);
        assertThat(world.ready("web")).isTrue();
    }

    @Test
    void an_operator_may_let_it_go_on() {
        World world = running(new World());
        for (int i = 0; i < 5; i++) {
            ghost(world, "i-ghost-" + i);
        }
        world.until(
                "the breaker is open",
                Duration.ofMinutes(6),
                () -> world.eventsOn("Installation").contains("GarbageCollectionStopped"));
        world.pass(Duration.ofSeconds(5));
        assertThat(world.cloud.live()).hasSize(1 + 2);

        ObjectNode record = world.kube.all("installations").get(0).deepCopy();
        record.withObject("/metadata").withObject("/annotations").put("kip.elotl.co/gc-approved", "yes");
        world.kube.put("installations", record);
        world.pass(Duration.ofMinutes(3));

        assertThat(world.cloud.live()).hasSize(1);
    }

    @Test
    void a_dry_run_says_what_it_would_do_and_does_nothing() {
        World world = running(new World().collecting(new GcSettings(true, true, 3, 20, MINUTE, Duration.ZERO)));
        ghost(world, "i-ghost");
        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.runs("i-ghost")).isTrue();
        assertThat(world.cloud.facts("i-ghost").tags()).doesNotContainKey(Tags.CANDIDATE);
        assertThat(world.eventsOn("Installation")).containsOnlyOnce("InstanceWouldBeTerminated");
    }

    @Test
    void switched_off_it_ends_nothing() {
        World world = running(new World().collecting(new GcSettings(false, false, 3, 20, MINUTE, Duration.ZERO)));
        ghost(world, "i-ghost");
        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.runs("i-ghost")).isTrue();
    }

    @Test
    void the_pod_of_a_leftover_is_ended_with_grace_before_its_instance() {
        World world = running(new World());
        ghost(world, "i-left");
        world.cells.hold("i-left", "uid-gone");
        world.pass(Duration.ofMinutes(6));

        assertThat(world.cloud.runs("i-left")).isFalse();
        int ended = world.faults.log().lastIndexOf("cell end");
        assertThat(ended).isGreaterThan(0).isLessThan(world.faults.log().lastIndexOf("cloud terminate"));
    }

    @Test
    void a_leftover_that_will_not_end_its_pod_is_ended_all_the_same() {
        World world = running(new World());
        world.cells.ignoreEnd();
        ghost(world, "i-left");
        world.cells.hold("i-left", "uid-gone");
        world.pass(Duration.ofMinutes(6));

        assertThat(world.cloud.runs("i-left")).isFalse();
    }

    @Test
    void an_agent_that_is_silent_is_waited_for_as_long_as_a_boot_may_take() {
        World world = running(new World());
        world.cells.bootIn(Duration.ofHours(10));
        ghost(world, "i-silent");
        world.pass(Duration.ofMinutes(9));
        assertThat(world.cloud.runs("i-silent")).isTrue();

        world.pass(Duration.ofMinutes(6));
        assertThat(world.cloud.runs("i-silent")).isFalse();
    }

    @Test
    void the_instance_of_a_virtual_node_that_is_another_is_left_to_it() {
        World world = running(new World());
        InstanceFacts proven = world.cloud.live().get(0);
        ImmutableMap.Builder<String, String> tags = ImmutableMap.builder();
        proven.tags().forEach((key, value) -> tags.put(key, key.equals(Tags.NODE) ? "second" : value));
        world.cloud.plant(Instances.like(proven, "i-second", proven.clientToken(), tags.buildOrThrow()));
        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.runs("i-second")).isTrue();
    }

    @Test
    void the_launch_time_says_nothing_about_how_long_it_has_been_unclaimed() {
        World world = running(new World());
        InstanceFacts proven = world.cloud.live().get(0);
        world.cloud.plant(Instances.like(proven, "i-old", proven.clientToken(), proven.tags()));
        assertThat(world.cloud.facts("i-old").launchTime()).isEqualTo(Instant.EPOCH);
        world.pass(Duration.ofSeconds(29));

        assertThat(world.cloud.runs("i-old")).isTrue();
    }
}
