package dev.kip.sim.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kip.kube.Kinds;
import dev.kip.kube.ListQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SimulationTest {

    private static final String MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: default}}";

    @Simulated(seeds = 3)
    void each_seed_has_a_world_of_its_own(Simulation world) {
        assertThat(world.objects("", "configmaps"))
                .noneMatch(map -> map.at("/metadata/name").asString("").equals("one"));
        world.apply(MAP);
        assertThat(world.elapsed()).isZero();
    }

    @Simulated(
            seed = 5,
            troubles = {"pause 20s at 1s", "order"})
    void troubles_are_as_said(Simulation world) {
        List<Duration> looks = new ArrayList<>();
        world.controller("looker", (loop, kube) -> {
            Runnable[] look = new Runnable[1];
            look[0] = () -> {
                looks.add(world.elapsed());
                loop.after(Duration.ofSeconds(2), look[0]);
            };
            look[0].run();
        });

        world.runFor(Duration.ofSeconds(30));

        assertThat(looks).noneMatch(at -> at.toSeconds() > 1 && at.toSeconds() < 21);
        assertThat(looks).hasSizeGreaterThan(3);
    }

    @Test
    void an_invariant_ends_the_run_at_the_moment_in_which_it_breaks() {
        Simulation world = Simulation.calm(1);
        world.always(
                "no maps",
                () -> world.objects("", "configmaps").stream()
                        .filter(map -> map.at("/metadata/name").asString("").equals("one"))
                        .map(map -> "there is one")
                        .findFirst());
        world.controller("maker", (loop, kube) -> loop.after(Duration.ofSeconds(3), () -> world.apply(MAP)));

        assertThatThrownBy(() -> world.runFor(Duration.ofMinutes(5)))
                .isInstanceOf(Simulation.Violation.class)
                .hasMessage("no maps: there is one");
        assertThat(world.elapsed().toSeconds()).isEqualTo(3);
    }

    @Test
    void a_killed_controller_comes_back_and_one_seed_is_one_history() {
        List<String> hashes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Simulation world = new Simulation(9, Trouble.draw(new dev.kip.sim.kernel.SeededEntropy(9)));
            List<Duration> lives = new ArrayList<>();
            world.controller("one", (loop, kube) -> {
                lives.add(world.elapsed());
                kube.list(Kinds.CONFIG_MAPS, ListQuery.ALL);
            });
            world.runFor(Duration.ofSeconds(5));
            world.kill("one");
            world.runFor(Duration.ofSeconds(5));
            assertThat(lives).hasSize(2);
            hashes.add(world.hash());
        }
        assertThat(hashes.get(0)).isEqualTo(hashes.get(1));
    }

    @Test
    void troubles_are_written_and_read() {
        for (long seed = 0; seed < 50; seed++) {
            for (Trouble trouble : Trouble.draw(new dev.kip.sim.kernel.SeededEntropy(seed))) {
                assertThat(Trouble.parse(trouble.toString())).isEqualTo(trouble);
            }
        }
        assertThatThrownBy(() -> Trouble.parse("crash 3")).hasMessageContaining("crash-after N");
        assertThat(Optional.of(Trouble.parse("order"))).isPresent();
    }
}
