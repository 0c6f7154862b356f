package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.kube.KubeError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** What users of this and other controllers have reported about outages and restarts; each test is named by its record. */
class FieldOutageTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static ObjectNode finished(ObjectNode pod, String phase) {
        pod.withObject("/status").put("phase", phase);
        pod.withObject("/spec").put("restartPolicy", "Never");
        return pod;
    }

    @Test
    void OUT_02_pods_that_have_finished_are_not_started_on_a_cold_start() {
        World world = new World();
        world.createPod("job-1", pod -> finished(pod, "Succeeded"));
        world.createPod("job-2", pod -> finished(pod, "Failed"));
        world.createPod("web");
        world.start();
        world.until("the third is ready", Duration.ofMinutes(2), () -> world.ready("web"));
        world.pass(Duration.ofMinutes(5));

        assertThat(world.cloud.all()).hasSize(1);
        assertThat(world.phase("job-1")).isEqualTo("Succeeded");
        assertThat(world.phase("job-2")).isEqualTo("Failed");
        assertThat(world.kube.writes()).noneMatch(write -> write.contains("job-"));
    }

    @Test
    void OUT_03_an_api_server_that_was_away_finds_every_cell_as_it_left_it() {
        World world = World.running(5);
        world.faults.cutOff("kube");
        world.pass(Duration.ofMinutes(10));
        int before = world.kube.writes().size();
        world.faults.cutOff("nothing");
        world.until(
                "it writes again",
                Duration.ofMinutes(2),
                () -> world.kube.writes().size() > before);
        assertThat(world.kube.writes().get(before)).as("the first write of all").contains("leases");
        world.pass(Duration.ofMinutes(10));

        assertThat(world.allReady(5)).isTrue();
        assertThat(world.cloud.all()).hasSize(5);
        assertThat(world.faults.count("cloud terminate")).isZero();
        for (int i = 0; i < 5; i++) {
            assertThat(world.cells.starts(world.uid("web-" + i))).isOne();
        }
    }

    /** The deletion of a Cell is shown before the answer to its creation, or just after. */
    @Test
    void OUT_05_an_entry_that_went_before_it_came_holds_up_nobody() {
        for (int millis : new int[] {0, 1, 3, 5, 8, 12}) {
            World world = new World().start();
            world.pass(Duration.ofSeconds(5));
            world.createPod("web-0");
            world.until("a Cell", MINUTE, () -> !world.kube.all("cells").isEmpty());
            world.pass(Duration.ofMillis(millis));
            world.kube.remove(
                    "cells",
                    world.kube.all("cells").get(0).path("metadata").path("name").asString(""));
            world.createPod("web-1");
            world.until("both are ready", Duration.ofMinutes(3), () -> world.allReady(2));
            world.pass(Duration.ofMinutes(3));

            assertThat(world.cloud.live()).as("after %d ms", millis).hasSize(2);
            assertThat(world.kube.all("cells")).as("after %d ms", millis).hasSize(2);
        }
    }

    @Test
    void OUT_06_watches_that_all_break_leave_nothing_unseen() {
        World world = World.running(1);
        world.kube.refuse(request -> Optional.of(new KubeError.Busy(503, Optional.empty(), "moving")));
        world.kube.breakWatches();
        String uid = world.createPod("late", pod -> {
                    pod.withObject("/metadata").put("namespace", "young");
                    return pod;
                })
                .path("metadata")
                .path("uid")
                .asString("");
        world.pass(Duration.ofSeconds(10));
        world.kube.refuse(request -> Optional.empty());
        world.until("it runs", Duration.ofMinutes(3), () -> world.cells.starts(uid) == 1);

        assertThat(world.ready("web-0")).isTrue();
        assertThat(world.cloud.all()).hasSize(2);
    }

    @Test
    void OUT_07_nothing_is_launched_ended_or_written_on_a_pod_before_every_list_is_there() {
        for (String late : List.of("pods", "cells", "launchbatches")) {
            World world = World.running(20);
            world.process().kill();
            world.createPod("new");
            long patches = world.faults.count("kube patch pods");
            long launches = world.faults.count("cloud launch");
            world.kube.refuse(request -> request.equals("kube list " + late)
                    ? Optional.of(new KubeError.Busy(503, Optional.empty(), "starting"))
                    : Optional.empty());
            world.start();
            world.pass(Duration.ofSeconds(45));
            assertThat(world.faults.count("kube list " + late)).as(late).isPositive();
            assertThat(world.faults.count("kube patch pods")).as(late).isEqualTo(patches);
            assertThat(world.faults.count("cloud launch")).as(late).isEqualTo(launches);
            assertThat(world.faults.count("cloud terminate")).as(late).isZero();

            world.kube.refuse(request -> Optional.empty());
            world.until("the new one is ready", Duration.ofMinutes(3), () -> world.ready("new"));
            assertThat(world.allReady(20)).isTrue();
            assertThat(world.cloud.all()).hasSize(21);
        }
    }

    /** The node controller calls a node unknown when its lease is not renewed for 40 s. */
    @Test
    void OUT_08_the_node_keeps_its_heartbeat_over_a_restart() {
        World world = World.running(1);
        String before = heartbeat(world);
        world.process().kill();
        world.start();
        world.until(
                "a heartbeat", Duration.ofSeconds(40), () -> !heartbeat(world).equals(before));
    }

    private static String heartbeat(World world) {
        return world.kube
                .find("leases", "kube-node-lease/" + World.NODE)
                .map(lease -> lease.path("spec").path("renewTime").asString(""))
                .orElse("none");
    }
}
