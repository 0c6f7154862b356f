package dev.kip.bench;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.Intent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The hot path of the controller: from what is known of a pod to what is to be done for it. The baselines do all but the
 * decision: a decision that costs as much as they do was optimised away.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ReconcileBenchmarks {

    /** Cells of a full pass. */
    static final int MANY = 10_000;

    private CellFacts unchanged = KnownCells.settled(1);
    private CellFacts fresh = KnownCells.fresh(2);
    private CellFacts changed = KnownCells.changed(3);
    private CellFact report = KnownCells.seen(1);
    private long now = KnownCells.NOW;
    private final Map<String, CellFacts> many = new LinkedHashMap<>();
    private final List<CellFact> looks = new ArrayList<>();

    public ReconcileBenchmarks() {
        for (int i = 0; i < MANY; i++) {
            many.put(KnownCells.uid(i), KnownCells.settled(i));
            looks.add(KnownCells.seen(i));
        }
        check(unchanged, 0);
        check(fresh, 1);
        check(changed, 1);
        many.values().forEach(cell -> check(cell, 0));
    }

    private static void check(CellFacts cell, int intents) {
        ImmutableList<Intent> next = cell.next(KnownCells.POLICY, KnownCells.NOW);
        if (next.size() != intents) {
            throw new IllegalStateException("not what is to be measured: " + next);
        }
    }

    @Benchmark
    public CellFacts baseline() {
        return unchanged;
    }

    @Benchmark
    public ImmutableList<Intent> decideUnchanged() {
        return unchanged.next(KnownCells.POLICY, now);
    }

    /** When to decide again if nothing changes; asked after every decision. */
    @Benchmark
    public long dueUnchanged() {
        return unchanged.due(KnownCells.POLICY, now);
    }

    @Benchmark
    public ImmutableList<Intent> decideNew() {
        return fresh.next(KnownCells.POLICY, now);
    }

    @Benchmark
    public ImmutableList<Intent> decideChanged() {
        return changed.next(KnownCells.POLICY, now);
    }

    /** EC2 shows an instance as it was. */
    @Benchmark
    public CellFacts learnNothingNew() {
        return report.after(unchanged, KnownCells.POLICY, now);
    }

    @Benchmark
    public void baselineOf10000(Blackhole sink) {
        for (CellFacts cell : many.values()) {
            sink.consume(cell);
        }
    }

    /** Every one of 10,000 cells is decided; nothing is to be done. */
    @Benchmark
    public void passOver10000(Blackhole sink) {
        for (CellFacts cell : many.values()) {
            sink.consume(cell.next(KnownCells.POLICY, now));
            sink.consume(cell.due(KnownCells.POLICY, now));
        }
    }

    /** EC2 has listed 10,000 instances; all are as they were. */
    @Benchmark
    public void lookAt10000(Blackhole sink) {
        int number = 0;
        for (CellFacts cell : many.values()) {
            sink.consume(looks.get(number++).after(cell, KnownCells.POLICY, now));
        }
    }
}
