package dev.kip.sim.planted;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.gc.Gates;
import dev.kip.sim.scenario.Library;
import dev.kip.sim.scenario.Outcomes;
import dev.kip.sim.scenario.Runner;
import dev.kip.sim.scenario.World.Machine;
import dev.kip.sim.world.SimWorld;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each planted bug is caught in its story, in the way that it says, and the story passes without it. */
class PlantsTest {

    static ImmutableList<String> names() {
        return Plants.all().stream().map(PlantedBug::name).collect(ImmutableList.toImmutableList());
    }

    @ParameterizedTest
    @MethodSource("names")
    void a_planted_bug_is_caught_and_only_it(String name) throws Exception {
        PlantedBug bug = Plants.find(name).orElseThrow();
        Trial trial = Trial.of(bug, Library.find(bug.caughtIn()), 1);
        assertThat(trial.right()).as(trial.says()).isTrue();
    }

    @Test
    void every_gate_has_a_bug_that_removes_it() {
        assertThat(names())
                .containsAll(Gates.standard().all().stream()
                        .map(gate -> "without-" + gate.name().toLowerCase(Locale.ROOT))
                        .toList());
    }

    /** elotl/kip#131: after the redeploy {@code kubectl get pods} is empty, the Cells stand and the instances run. */
    @Test
    void the_defect_of_the_report_shows_its_table() throws Exception {
        PlantedBug bug = Plants.find("identity-in-process").orElseThrow();
        SimWorld world = SimWorld.make(
                Library.find(bug.caughtIn()), 1, false, bug.parts().get());
        Outcomes outcomes = new Runner(SimWorld::make).run(Library.find(bug.caughtIn()), 1, world);

        assertThat(outcomes.passed()).isFalse();
        world.kernel().runFor(Duration.ofHours(6));
        assertThat(world.objects("pod"))
                .noneMatch(pod -> pod.at("/metadata/name").asString("").startsWith("nginx"));
        assertThat(world.objects("cell"))
                .extracting(cell -> cell.at("/status/podName").asString("").replaceAll("-.*", ""))
                .contains("nginx", "kube", "aws");
        assertThat(world.machines()).filteredOn(Machine::lives).hasSizeGreaterThanOrEqualTo(3);
        assertThat(world.machines()).extracting(Machine::controllerId).doesNotContain("");
    }
}
