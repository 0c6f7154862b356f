package dev.kip.sim.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.disk.Fate;
import dev.kip.sim.disk.PowerCut;
import dev.kip.sim.kernel.SimProcess;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The power fails at every step that the whole program makes on the disk, and comes back with no API server. */
class CutWhileWorkingTest {

    private static final String SYSTEM = "kube-system";

    /** What a node must be like before: a checkpointer works, and one pod is stored. */
    private static Bench ready() {
        Bench bench = new Bench();
        bench.pod(SYSTEM, "apiserver", "");
        bench.runs(SYSTEM, "apiserver", bench.uid(SYSTEM, "apiserver"));
        return bench;
    }

    private static SimProcess stored(Bench bench) {
        SimProcess checkpointer = bench.start();
        bench.pass(45);
        assertThat(bench.stored()).containsExactly("kube-system/apiserver");
        return checkpointer;
    }

    /** @return how many steps there were */
    private static int atEveryStep(Consumer<Bench> work, Consumer<Bench> check) {
        int steps = 0;
        for (long step = 0; ; step++) {
            boolean cut = false;
            for (Fate fate : List.of(Fate.lost(), Fate.kept(), Fate.only(0), Fate.drawn(step), Fate.drawn(-step - 1))) {
                Bench bench = ready();
                SimProcess checkpointer = stored(bench);
                bench.machine.cutBefore(bench.machine.steps().size() + step);
                try {
                    work.accept(bench);
                } catch (PowerCut e) {
                    cut = true;
                }
                bench.powerCycle(checkpointer, fate);
                bench.apiDown();
                bench.start();
                bench.pass(10);
                check.accept(bench);
            }
            if (!cut) {
                return steps;
            }
            steps++;
        }
    }

    @Test
    void while_another_generation_is_stored() {
        int steps = atEveryStep(
                bench -> {
                    bench.delete("pods", SYSTEM, "apiserver");
                    bench.pod(SYSTEM, "apiserver", "\"hostNetwork\": true,");
                    bench.pass(12);
                },
                bench -> assertThat(bench.active()).containsExactly("apiserver"));

        assertThat(steps).isGreaterThan(7);
    }

    @Test
    void while_it_is_activated() {
        int steps = atEveryStep(
                bench -> {
                    bench.apiDown();
                    bench.stops(SYSTEM, "apiserver");
                    bench.pass(20);
                },
                bench -> assertThat(bench.active()).containsExactly("apiserver"));

        assertThat(steps).isGreaterThan(4);
    }

    @Test
    void while_it_is_removed() {
        int steps = atEveryStep(
                bench -> {
                    bench.pod(SYSTEM, "scheduler", "");
                    bench.delete("pods", SYSTEM, "apiserver");
                    bench.stops(SYSTEM, "apiserver");
                    bench.pass(75);
                },
                bench -> {
                    // Whole, or gone; and what was not meant is not touched.
                    assertThat(bench.active()).isSubsetOf("apiserver", "scheduler");
                    assertThat(bench.status().flaws()).isEmpty();
                    assertThat(bench.active()).hasSameSizeAs(bench.stored());
                });

        assertThat(steps).isGreaterThan(10);
    }

    /** The second boot is cut off as well, at every step of it; the third finds all. */
    @Test
    void while_it_recovers_from_the_cut_before() {
        for (long step = 0; step < 40; step++) {
            Bench bench = ready();
            SimProcess checkpointer = stored(bench);
            bench.powerCycle(checkpointer, Fate.lost());
            bench.apiDown();
            bench.machine.cutBefore(bench.machine.steps().size() + step);
            SimProcess second = bench.start();
            try {
                bench.pass(10);
            } catch (PowerCut e) {
                // That was the second.
            }
            bench.powerCycle(second, Fate.drawn(step));
            bench.start();
            bench.pass(10);

            assertThat(bench.active()).as("cut at step %d of the boot", step).containsExactly("apiserver");
        }
    }
}
