package dev.kip.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.bench.adopt.AdoptedCells;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.CellFacts;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchTest {

    private static final int CELLS = 1_000;
    private static final int PASSES = 200;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** What a run allocates once it is warm; compilation may cost a little, one object a cell would cost megabytes. */
    private long allocated(Runnable run) {
        run.run();
        long before = threads.getCurrentThreadAllocatedBytes();
        run.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void a_pass_over_unchanged_cells_allocates_nothing() {
        CellFacts[] cells =
                IntStream.range(0, CELLS).mapToObj(KnownCells::settled).toArray(CellFacts[]::new);
        long[] nextLook = new long[1];
        long bytes = allocated(() -> {
            for (int pass = 0; pass < PASSES; pass++) {
                for (CellFacts cell : cells) {
                    if (!cell.next(KnownCells.POLICY, KnownCells.NOW).isEmpty()) {
                        throw new AssertionError(cell.podUid() + " is unchanged, but something is to be done");
                    }
                    nextLook[0] += cell.due(KnownCells.POLICY, KnownCells.NOW) & 1;
                }
            }
        });
        assertThat(bytes).isLessThan(PASSES * CELLS / 2);
    }

    @Test
    void hearing_of_unchanged_instances_allocates_nothing() {
        CellFacts[] cells =
                IntStream.range(0, CELLS).mapToObj(KnownCells::settled).toArray(CellFacts[]::new);
        ImmutableList<CellFact.InstanceSeen> looks =
                IntStream.range(0, CELLS).mapToObj(KnownCells::seen).collect(ImmutableList.toImmutableList());
        long bytes = allocated(() -> {
            for (int pass = 0; pass < PASSES; pass++) {
                for (int i = 0; i < cells.length; i++) {
                    if (!looks.get(i)
                            .after(cells[i], KnownCells.POLICY, KnownCells.NOW)
                            .equals(cells[i])) {
                        throw new AssertionError(cells[i].podUid() + " is unchanged, but another was made of it");
                    }
                }
            }
        });
        assertThat(bytes).isLessThan(PASSES * CELLS / 2);
    }

    @Test
    void what_is_measured_is_what_it_is_called() {
        assertThat(KnownCells.settled(1).next(KnownCells.POLICY, KnownCells.NOW))
                .isEmpty();
        assertThat(KnownCells.fresh(1).next(KnownCells.POLICY, KnownCells.NOW)).hasSize(1);
        assertThat(KnownCells.changed(1).next(KnownCells.POLICY, KnownCells.NOW))
                .hasSize(1);
    }

    @Test
    void a_small_burst_is_measured_and_repeats_itself() {
        SimulatedBurst.Figures once = SimulatedBurst.run(5, 3);
        SimulatedBurst.Figures again = SimulatedBurst.run(5, 3);
        assertThat(again.hash()).isEqualTo(once.hash());
        assertThat(once.whole().launchCalls()).isEqualTo(1);
        assertThat(once.whole().kubernetesWrites()).isPositive();
        assertThat(again.whole().cloudCalls()).isEqualTo(once.whole().cloudCalls());
    }

    @Test
    void a_standby_acts_a_second_after_the_lease_at_the_latest_and_nothing_runs_twice() {
        ImmutableList<SimulatedFailover.Run> runs = SimulatedFailover.run(8, "none");
        assertThat(runs).allSatisfy(run -> {
            assertThat(run.took())
                    .as("B10, seed %d", run.seed())
                    .isLessThanOrEqualTo(SimulatedFailover.LEASE.plusSeconds(1));
            assertThat(run.doubleGrants()).isZero();
            assertThat(run.problems()).isEmpty();
        });
    }

    @Test
    void a_controller_in_a_process_of_its_own_adopts_all_and_writes_to_none() throws IOException {
        AdoptedCells.Figures figures = AdoptedCells.measure(30, 2, false, line -> {});
        assertThat(figures.containersStarted()).isZero();
        assertThat(figures.instances()).isEqualTo(30);
        assertThat(figures.rounds()).hasSize(2).allSatisfy(round -> {
            assertThat(round.calls().cellWrites()).isZero();
            assertThat(round.calls().podWrites()).isZero();
        });
    }

    @Test
    void wrong_usage_says_what_is_right() {
        StringWriter err = new StringWriter();
        CommandLine line = Bench.commandLine().setErr(new PrintWriter(err));
        assertThat(line.execute("simulator", "--pods", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--pods: at least 1 was expected, not 0");
        assertThat(line.execute("reconsile")).isEqualTo(2);
        assertThat(err.toString()).contains("reconcile");
    }
}
