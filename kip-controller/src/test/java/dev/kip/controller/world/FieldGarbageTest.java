package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudError;
import dev.kip.controller.launch.Tags;
import dev.kip.kube.KubeError;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What users of this and other controllers have reported about garbage and orphans; each test is named by its record. Not
 * here, and why:
 *
 * <ul>
 *   <li>GC-06, names matched by suffix: {@code ProvenanceTest}; ids are compared whole and are random.
 *   <li>GC-13, a security group with lingering interfaces: {@code DrainTest}.
 *   <li>ORPH-01, ORPH-02, ORPH-08, a crash between launch and record: {@code CrashTest} crashes at every call.
 *   <li>ORPH-03, a name that is taken: launches are not told apart by name, and the journal's name is a nonce.
 *   <li>ORPH-13, a machine that never joins: {@code TroubleTest}, an instance that never answers.
 * </ul>
 */
class FieldGarbageTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static InstanceFacts plant(World world, String id, String token, ImmutableMap<String, String> tags) {
        InstanceFacts other = world.cloud.live().get(0);
        InstanceFacts planted = Instances.like(other, id, token, tags);
        world.cloud.plant(planted);
        return planted;
    }

    private static ImmutableMap<String, String> with(InstanceFacts instance, String key, String value) {
        ImmutableMap.Builder<String, String> tags = ImmutableMap.builder();
        instance.tags().forEach((name, old) -> {
            if (!name.equals(key)) {
                tags.put(name, old);
            }
        });
        return value.isEmpty() ? tags.buildOrThrow() : tags.put(key, value).buildOrThrow();
    }

    @Test
    void GC_01_a_restart_that_is_shown_no_pods_ends_no_cell() {
        World world = World.running(5);
        world.process().kill();
        world.pass(MINUTE);
        world.kube.hide("pods");
        world.start();
        world.pass(Duration.ofMinutes(2));
        assertThat(world.cloud.live()).hasSize(5);

        world.kube.show("pods");
        world.pass(Duration.ofMinutes(10));
        assertThat(world.allReady(5)).isTrue();
        assertThat(world.cloud.launches()).allMatch(launch -> launch.count() <= 5);
        assertThat(world.cloud.all())
                .as("nothing was ended, nothing launched again")
                .hasSize(5);
        for (int i = 0; i < 5; i++) {
            assertThat(world.cells.starts(world.uid("web-" + i))).isOne();
        }
    }

    @Test
    void GC_01_a_cell_whose_pod_went_while_nobody_looked_is_ended() {
        World world = World.running(2);
        world.process().kill();
        world.kube.remove("pods", "default/web-0");
        world.start();
        world.pass(Duration.ofMinutes(2));

        assertThat(world.cloud.live()).hasSize(1);
        assertThat(world.kube.all("cells")).hasSize(1);
        assertThat(world.ready("web-1")).isTrue();
    }

    @Test
    void GC_03_one_answer_that_a_pod_is_missing_is_not_enough() {
        World world = World.running(1);
        String uid = world.uid("web-0");
        boolean[] once = {false};
        world.kube.refuse(request -> {
            if (request.equals("kube patch pods") && !once[0]) {
                once[0] = true;
                return Optional.of(new KubeError.NotFound("pods \"web-0\" not found"));
            }
            return Optional.empty();
        });
        world.cells.restart(uid);
        world.pass(Duration.ofMinutes(5));

        assertThat(once[0]).as("a status was refused").isTrue();
        assertThat(world.cloud.live()).hasSize(1);
        assertThat(world.ready("web-0")).isTrue();
    }

    @Test
    void GC_04_and_GC_05_only_what_is_wholly_ours_is_a_candidate() {
        World world = World.running(1);
        InstanceFacts own = world.cloud.live().get(0);
        plant(world, "i-foreign", own.clientToken(), with(own, Tags.INSTALLATION, "another"));
        plant(world, "i-bare", "token", ImmutableMap.of());
        plant(world, "i-half", own.clientToken(), with(own, Tags.MAC, ""));
        plant(world, "i-other-node", own.clientToken(), with(own, Tags.NODE, ""));
        plant(world, "i-own", own.clientToken(), own.tags());
        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.live())
                .extracting(InstanceFacts::id)
                .containsExactlyInAnyOrder(own.id(), "i-foreign", "i-bare", "i-half", "i-other-node");
    }

    /** Every end names instances, never a number of them. */
    @Test
    void GC_07_a_launch_that_comes_in_part_costs_no_healthy_cell() {
        World world = new World().start();
        world.cloud.giveAtMost(6);
        for (int i = 0; i < 7; i++) {
            world.createPod("web-" + i);
        }
        world.until("all are ready", Duration.ofMinutes(3), () -> world.allReady(7));
        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.all()).hasSize(7);
        assertThat(world.cloud.live()).hasSize(7);
    }

    @Test
    void GC_09_a_list_that_fails_says_nothing_about_any_instance() {
        World world = World.running(2);
        world.cloud.refuseDescribes(Optional.of(new CloudError.NotFound("InvalidInstanceID.NotFound: i-0dead")));
        world.pass(Duration.ofMinutes(10));
        assertThat(world.cloud.live()).hasSize(2);

        world.cloud.refuseDescribes(Optional.empty());
        world.pass(Duration.ofMinutes(5));
        assertThat(world.allReady(2)).isTrue();
        assertThat(world.cloud.all()).hasSize(2);
    }

    @Test
    void GC_10_nothing_is_decided_before_every_list_is_there() {
        World world = World.running(2);
        world.process().kill();
        world.kube.refuse(request -> request.equals("kube list cells")
                ? Optional.of(new KubeError.Busy(503, Optional.empty(), "starting"))
                : Optional.empty());
        world.start();
        world.pass(Duration.ofMinutes(10));
        assertThat(world.cloud.live()).hasSize(2);
        assertThat(world.cloud.all()).hasSize(2);

        world.kube.refuse(request -> Optional.empty());
        world.pass(Duration.ofMinutes(5));
        assertThat(world.allReady(2)).isTrue();
        assertThat(world.cloud.all()).hasSize(2);
    }

    @Test
    void GC_11_what_has_ended_is_neither_ended_again_nor_adopted() {
        World world = World.running(1);
        InstanceFacts own = world.cloud.live().get(0);
        plant(world, "i-ended", own.clientToken(), own.tags());
        world.cloud.end("i-ended");
        world.pass(Duration.ofMinutes(10));

        assertThat(world.faults.count("cloud terminate")).isZero();
        assertThat(world.cloud.facts("i-ended").tags()).doesNotContainKey(Tags.CANDIDATE);
    }

    @Test
    void GC_12_a_write_of_ours_that_no_watch_shows_is_not_made_twice() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        world.kube.mute("cells");
        world.kube.mute("launchbatches");
        world.createPod("web-0");
        world.until("it is ready", Duration.ofMinutes(2), () -> world.ready("web-0"));
        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.all()).hasSize(1);
        assertThat(world.kube.all("launchbatches")).isEmpty();
    }

    @Test
    void ORPH_04_instances_that_show_late_and_without_an_address_are_not_forgotten() {
        World world = new World();
        world.cloud.showAfter(Duration.ofSeconds(25));
        world.start();
        for (int i = 0; i < 50; i++) {
            world.createPod("web-" + i);
        }
        world.until("all are ready", Duration.ofMinutes(5), () -> world.allReady(50));
        for (int i = 0; i < 50; i++) {
            world.kube.deletePod("web-" + i, 5);
        }
        world.pass(Duration.ofMinutes(5));

        assertThat(world.cloud.live()).isEmpty();
    }

    @Test
    void ORPH_05_an_owner_object_that_is_deleted_by_hand_strands_nothing() {
        World world = World.running(4);
        String cell =
                world.kube.all("cells").get(0).path("metadata").path("name").asString("");
        String pod =
                world.kube.all("cells").get(0).path("status").path("podName").asString("");
        world.kube.remove("cells", cell);
        world.kube.remove("pods", "default/" + pod);
        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.live()).hasSize(3);
        assertThat(world.kube.all("cells")).hasSize(3);
    }

    /** The returning replica ends it; the others leave what belongs to an absent node alone. */
    @Test
    void ORPH_07_cells_of_a_node_that_was_away_are_ended_when_it_is_back() {
        World world = World.running(3);
        world.process().kill();
        world.kube.remove("pods", "default/web-0");
        world.kube.remove("pods", "default/web-1");
        world.pass(Duration.ofMinutes(30));
        assertThat(world.cloud.live()).hasSize(3);

        world.start();
        world.pass(Duration.ofMinutes(3));
        assertThat(world.cloud.live()).hasSize(1);
        assertThat(world.ready("web-2")).isTrue();
    }

    @Test
    void ORPH_09_a_lost_answer_makes_no_twin() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        world.faults.planNext("cloud launch", Faults.Kind.REPLY_LOST);
        world.createPod("web-0");
        world.until("it is ready", Duration.ofMinutes(3), () -> world.ready("web-0"));
        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.all()).hasSize(1);
        assertThat(world.cloud.launches()).hasSize(1);
    }

    @Test
    void ORPH_10_an_end_is_followed_to_its_end_and_not_asked_for_again() {
        World world = World.running(1);
        world.kube.deletePod("web-0", 5);
        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.live()).isEmpty();
        assertThat(world.faults.count("cloud terminate")).isOne();
        assertThat(world.kube.all("cells")).isEmpty();
    }

    @Test
    void ORPH_11_an_instance_of_a_launch_that_was_reported_failed_is_ended_when_it_comes() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        world.cloud.refuseLaunches(request -> Optional.of(new CloudError.Failing("InternalError")));
        world.createPod("web-0");
        world.until("the call was made", MINUTE, () -> !world.cloud.launches().isEmpty());
        world.cloud.refuseLaunches(request -> Optional.empty());
        world.until("it is ready", Duration.ofMinutes(5), () -> world.ready("web-0"));
        InstanceFacts bound = world.cloud.live().get(0);
        var first = world.cloud.launches().get(0);
        world.cloud.plant(Instances.like(bound, "i-late", first.clientToken(), first.tags()));
        world.pass(Duration.ofMinutes(5));

        assertThat(world.cloud.live()).extracting(InstanceFacts::id).containsExactly(bound.id());
    }

    @Test
    void ORPH_12_a_node_object_that_is_deleted_by_hand_is_made_again_and_a_pod_with_it_ends_its_cell() {
        World world = World.running(2);
        world.kube.remove("nodes", World.NODE);
        world.kube.remove("pods", "default/web-0");
        world.pass(Duration.ofMinutes(3));

        assertThat(world.kube.find("nodes", World.NODE)).isPresent();
        assertThat(world.cloud.live()).hasSize(1);
        assertThat(world.ready("web-1")).isTrue();
    }

    @Test
    void ORPH_14_a_pod_that_is_deleted_at_once_leaves_no_instance() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        for (int millis : new int[] {5, 20, 100, 300, 700, 2000}) {
            world.createPod("flash");
            world.pass(Duration.ofMillis(millis));
            world.kube.remove("pods", "default/flash");
            world.pass(MINUTE);
        }
        world.pass(Duration.ofMinutes(5));

        assertThat(world.cloud.live()).isEmpty();
        assertThat(world.kube.all("cells")).isEmpty();
        assertThat(world.kube.all("launchbatches")).isEmpty();
    }
}
