package dev.kip.sim.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.PodBundle;
import dev.kip.bundle.PodBundle.BundleFile;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.checkpointer.agent.AgentPlaces;
import dev.kip.sim.disk.Fate;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class AgentTest {

    private final AgentWorld world = new AgentWorld();

    @Test
    void a_granted_pod_runs_and_is_told_of_in_its_own_names() {
        assertThat(world.report().pod()).isEmpty();

        world.grant("Always");

        assertThat(world.kubelet.starts).isEqualTo(1);
        JsonNode status = world.status();
        assertThat(status.path("phase").asString()).isEqualTo("Running");
        assertThat(status.path("podIP").asString()).isEqualTo("10.0.0.1");
        assertThat(status.path("hostIP").asString()).isEqualTo("10.0.0.1");
        assertThat(world.report().kubelet().orElseThrow().podName()).isEqualTo("web-i-1");
        assertThat(world.kubelet.manifest().orElseThrow())
                .contains("{\"name\":\"IP\",\"value\":\"10.0.0.1\"}")
                .doesNotContain("fieldRef");
    }

    @Test
    void one_grant_in_its_life_and_no_lower_epoch() {
        AgentWorld.ok(world.tryGrant(9, 0, AgentWorld.bundle(1, "Always", "one")));

        assertThat(world.tryGrant(8, 0, AgentWorld.bundle(2, "Always", "two")).error())
                .containsInstanceOf(CellError.Fenced.class);
        assertThat(world.tryGrant(9, 1, AgentWorld.bundle(2, "Always", "two")).error())
                .containsInstanceOf(CellError.Refused.class);
        world.killAgent();
        world.startAgent();
        assertThat(world.tryEnd(1).error()).containsInstanceOf(CellError.Fenced.class);
    }

    @Test
    void what_kubelet_would_refuse_is_refused_before_anything_is_written() {
        PodBundle bad = new PodBundle(
                1,
                AgentWorld.bundle(1, "Always", "")
                        .manifest()
                        .replace("\"hostname\"", "\"runtimeClassName\":\"x\",\"hostname\""),
                ImmutableList.of());

        assertThat(world.tryGrant(3, 0, bad).error()).containsInstanceOf(CellError.Refused.class);
        assertThat(world.report().pod()).isEmpty();
        assertThat(world.kubelet.manifest()).isEmpty();
    }

    @Test
    void a_pod_that_is_ended_has_its_grace_and_its_exit_code_and_is_gone_for_good() {
        world.kubelet.obeys = Duration.ofSeconds(4);
        world.grant("Always");

        world.end(30);

        assertThat(world.untilEnded()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(6));
        assertThat(world.pod().ended()).isTrue();
        assertThat(world.status().path("phase").asString()).isEqualTo("Succeeded");
        assertThat(world.terminated().path("exitCode").asInt()).isZero();
        assertThat(world.kubelet.manifest()).isEmpty();
        assertThat(world.file("bundle/volumes/v/key")).isEmpty();
        world.powerCut(Fate.lost());
        world.boot();
        assertThat(world.pod().ended()).isTrue();
        assertThat(world.kubelet.starts).isEqualTo(1);
    }

    @Test
    void a_shorter_grace_shortens_one_that_is_running_and_a_longer_one_does_not() {
        world.kubelet.obeys = Duration.ofMinutes(5);
        world.grant("Always");
        world.end(120);
        world.kernel.runFor(Duration.ofSeconds(10));

        world.end(600);
        world.end(3);

        assertThat(world.untilEnded()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(6));
        assertThat(world.pod().ended()).isTrue();
        assertThat(world.terminated().path("exitCode").asInt()).isEqualTo(137);
    }

    @Test
    void a_grace_of_nothing_kills_at_once() {
        world.kubelet.obeys = Duration.ofMinutes(5);
        world.grant("Always");

        world.end(0);

        assertThat(world.untilEnded()).isLessThan(Duration.ofSeconds(4));
        assertThat(world.pod().ended()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void a_pod_that_finished_by_itself_never_runs_again(int code) {
        world.grant("Never");
        world.kubelet.exit(code);
        world.kernel.runFor(Duration.ofSeconds(5));

        assertThat(world.pod().ended()).isTrue();
        assertThat(world.status().path("phase").asString()).isEqualTo(code == 0 ? "Succeeded" : "Failed");
        assertThat(world.kubelet.manifest()).isEmpty();
        world.kubelet.forget();
        world.powerCut(Fate.lost());
        world.boot();
        assertThat(world.kubelet.starts).isEqualTo(1);
        assertThat(world.terminated().path("exitCode").asInt()).isEqualTo(code);
    }

    @Test
    void an_agent_that_is_killed_goes_on_where_it_was_and_the_pod_notices_nothing() {
        CellReport before = world.grant("Always");
        world.killAgent();
        world.kernel.runFor(Duration.ofSeconds(30));

        world.startAgent();

        assertThat(world.report().sequence()).isGreaterThan(before.sequence());
        assertThat(world.status().path("phase").asString()).isEqualTo("Running");
        assertThat(world.kubelet.starts).isEqualTo(1);
    }

    @Test
    void a_power_cut_brings_a_pod_back_that_is_to_be_kept_running() {
        world.grant("Always");
        world.powerCut(Fate.lost());

        world.boot();

        assertThat(world.status().path("phase").asString()).isEqualTo("Running");
        assertThat(world.kubelet.starts).isEqualTo(2);
        assertThat(world.file("bundle/volumes/v/key")).isEqualTo("one");
    }

    @Test
    void a_power_cut_does_not_run_twice_what_must_run_once() {
        world.grant("Never");
        world.powerCut(Fate.lost());

        world.boot();

        assertThat(world.kubelet.starts).isEqualTo(1);
        assertThat(world.pod().ended()).isTrue();
        assertThat(world.status().path("phase").asString()).isEqualTo("Failed");
        assertThat(world.terminated().path("exitCode").asInt()).isEqualTo(255);
    }

    @Test
    void what_must_run_once_is_not_run_again_though_the_runtime_has_forgotten_it() {
        world.grant("Never");
        world.powerCut(Fate.lost());
        world.kubelet.forget();
        world.kubelet.runtimeAnswers(false);

        world.boot();
        world.kernel.runFor(Duration.ofSeconds(10));
        assertThat(world.pod().ended()).isFalse();
        world.kubelet.runtimeAnswers(true);
        world.kernel.runFor(Duration.ofSeconds(10));

        assertThat(world.kubelet.starts).isEqualTo(1);
        assertThat(world.pod().ended()).isTrue();
        assertThat(world.status().path("phase").asString()).isEqualTo("Failed");
    }

    @Test
    void a_kubelet_that_is_started_anew_while_the_pod_ends_is_helped_within_the_grace() {
        world.kubelet.obeys = Duration.ofMinutes(5);
        world.grant("Always");
        world.end(20);
        world.kernel.runFor(Duration.ofSeconds(2));
        world.kubelet.kill();
        world.kernel.runFor(Duration.ofSeconds(1));
        world.kubelet.start();

        assertThat(world.untilEnded()).isLessThan(Duration.ofSeconds(22));
        assertThat(world.pod().ended()).isTrue();
        assertThat(world.terminated().path("exitCode").asInt()).isEqualTo(137);
        assertThat(world.kubelet.starts).isEqualTo(1);
    }

    @Test
    void a_power_cut_while_the_pod_ends_ends_it() {
        world.kubelet.obeys = Duration.ofMinutes(5);
        world.grant("Always");
        world.end(60);
        world.kernel.runFor(Duration.ofSeconds(2));
        world.powerCut(Fate.lost());

        world.boot();
        world.kernel.runFor(Duration.ofSeconds(10));

        assertThat(world.pod().ended()).isTrue();
        assertThat(world.kubelet.starts).isEqualTo(1);
        assertThat(world.kubelet.manifest()).isEmpty();
    }

    @Test
    void a_clock_that_jumps_neither_ends_the_pod_early_nor_keeps_it_for_ever() {
        world.kubelet.obeys = Duration.ofMinutes(50);
        world.grant("Always");
        world.end(30);
        world.agent().skewClock(Duration.ofDays(-20_000));

        assertThat(world.untilEnded()).isBetween(Duration.ofSeconds(29), Duration.ofSeconds(40));
        assertThat(world.pod().ended()).isTrue();
    }

    @Test
    void a_new_generation_changes_files_in_place() {
        world.grant("Always");

        AgentWorld.ok(world.tryGrant(3, 0, AgentWorld.bundle(2, "Always", "two")));

        assertThat(world.file("bundle/volumes/v/key")).isEqualTo("two");
        assertThat(world.pod().generation()).isEqualTo(2);
        AgentWorld.ok(world.tryGrant(3, 0, AgentWorld.bundle(1, "Always", "one")));
        assertThat(world.file("bundle/volumes/v/key")).isEqualTo("two");
        world.kernel.runFor(Duration.ofSeconds(10));
        assertThat(world.kubelet.starts).isEqualTo(1);
    }

    @Test
    void credentials_of_registries_lie_in_memory_for_as_long_as_the_pod_has_them() {
        PodBundle first = AgentWorld.bundle(1, "Always", "one");
        BundleFile credentials = new BundleFile(PodBundle.REGISTRIES, "e30=", 0400);
        AgentWorld.ok(world.tryGrant(
                3, 0, new PodBundle(1, first.manifest(), ImmutableList.of(credentials), "made of this")));
        assertThat(world.file("bundle/" + PodBundle.REGISTRIES)).isEqualTo("{}");
        assertThat(world.pod().origin()).isEqualTo("made of this");

        world.killAgent();
        world.startAgent();
        assertThat(world.pod().origin()).as("it is on the disk").isEqualTo("made of this");
        AgentWorld.ok(world.tryGrant(3, 0, AgentWorld.bundle(2, "Always", "two")));

        assertThat(world.file("bundle/" + PodBundle.REGISTRIES)).isEmpty();
        assertThat(world.pod().origin()).isEmpty();
    }

    @Test
    void a_full_disk_takes_no_grant() {
        world.disk.room(100);

        assertThat(world.tryGrant(3, 0, AgentWorld.bundle(1, "Never", "one")).error())
                .containsInstanceOf(CellError.Refused.class);

        assertThat(world.report().pod()).isEmpty();
        assertThat(world.kubelet.manifest()).isEmpty();
        world.disk.room(Long.MAX_VALUE);
        world.grant("Never");
        assertThat(world.kubelet.starts).isEqualTo(1);
    }

    @Test
    void a_disk_that_the_pod_has_filled_has_room_for_its_end() {
        world.grant("Never");
        world.disk.room(0);
        world.kubelet.exit(7);

        world.kernel.runFor(Duration.ofSeconds(5));

        assertThat(world.pod().ended()).isTrue();
        assertThat(world.terminated().path("exitCode").asInt()).isEqualTo(7);
    }

    @Test
    void a_kubelet_that_answers_no_more_makes_the_pod_unready_and_does_not_end_it() {
        world.grant("Always");
        world.kubelet.kill();

        world.kernel.runFor(Duration.ofSeconds(60));

        JsonNode ready = world.status().path("conditions").path(0);
        assertThat(ready.path("status").asString()).isEqualTo("False");
        assertThat(ready.path("reason").asString()).isEqualTo("KubeletNotAnswering");
        assertThat(world.pod().ended()).isFalse();
        world.kubelet.start();
        world.kernel.runFor(Duration.ofSeconds(10));
        assertThat(world.status().path("conditions").path(0).path("status").asString())
                .isEqualTo("True");
    }

    @Test
    void what_is_damaged_on_the_disk_is_not_taken_for_nothing() {
        world.grant("Always");
        world.killAgent();
        world.disk.flip(AgentPlaces.USUAL.state().resolve("grant"), 2000);

        assertThatThrownBy(world::tryStartAgent).hasMessageContaining("does not match its checksum");
    }

    @Test
    void the_copied_disk_of_another_instance_is_taken_away() {
        world.grant("Never");
        world.powerCut(Fate.lost());
        world.becomes("i-2");
        world.kubelet.forget();

        world.startAgent();

        assertThat(world.kubelet.starts).isEqualTo(1);
        assertThat(world.kubelet.manifest()).isEmpty();
        assertThat(world.file("bundle/volumes/v/key")).isEmpty();
    }

    @Test
    void nobody_claims_it_and_it_shuts_its_machine_down() {
        AgentWorld alone = new AgentWorld(Optional.of(Duration.ofMinutes(30)), Optional.of(Duration.ofMinutes(5)));
        alone.grant("Always");
        alone.kernel.runFor(Duration.ofMinutes(29));
        assertThat(alone.shutDown).isFalse();

        alone.kernel.runFor(Duration.ofMinutes(2));

        assertThat(alone.shutDown).isTrue();
    }

    /** A grant that was answered is there after every power cut; one that was not is there whole, or not at all. */
    @Test
    void a_power_cut_at_any_step_of_a_grant_leaves_no_half_of_it() {
        AgentWorld whole = new AgentWorld();
        int before = whole.disk.steps().size();
        whole.grant("Never");
        int after = whole.disk.steps().size();

        for (int step = before; step <= after; step++) {
            for (Fate fate : ImmutableList.of(
                    Fate.lost(), Fate.namesOnly(Fate.Remains.TORN), Fate.namesOnly(Fate.Remains.ZEROS))) {
                AgentWorld cut = new AgentWorld();
                cut.disk.cutBefore(step);
                boolean answered;
                try {
                    answered = cut.tryGrant(3, 0, AgentWorld.bundle(1, "Never", "one"))
                            .value()
                            .isPresent();
                    cut.kernel.runFor(Duration.ofSeconds(5));
                } catch (RuntimeException | Error powerFailed) {
                    answered = false;
                }
                cut.disk.cutBefore(Long.MAX_VALUE);
                cut.powerCut(fate);
                cut.boot();
                cut.kernel.runFor(Duration.ofSeconds(10));

                assertThat(cut.kubelet.starts).as("step %s", step).isLessThanOrEqualTo(1);
                if (answered) {
                    assertThat(cut.report().pod()).as("step %s", step).isPresent();
                }
                cut.report().pod().ifPresent(pod -> assertThat(pod.uid()).isEqualTo("u-1"));
            }
        }
    }
}
