package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.CallFaults;
import java.util.function.BiConsumer;

/** Carries out the faults of a story: each strikes once, at the request that it is anchored to. */
public final class FaultPlan implements CallFaults {

    private final ImmutableList<Fault> faults;
    private final int[] seen;
    private final boolean[] struck;
    private final BiConsumer<Fault, String> onDeath;

    /** @param onDeath called with the fault and the sender that dies of it */
    public FaultPlan(ImmutableList<Fault> faults, BiConsumer<Fault, String> onDeath) {
        this.faults = faults;
        this.seen = new int[faults.size()];
        this.struck = new boolean[faults.size()];
        this.onDeath = onDeath;
    }

    @Override
    public Fate fateOf(Call call) {
        Fate fate = Fate.ARRIVES;
        for (int i = 0; i < seen.length; i++) {
            Fault fault = faults.get(i);
            if (!struck[i] && fault.matches(call) && ++seen[i] == fault.nth()) {
                struck[i] = true;
                fate = fault.fate();
                if (fate == Fate.SENDER_DIES_BEFORE || fate == Fate.SENDER_DIES_AFTER) {
                    onDeath.accept(fault, call.from());
                }
            }
        }
        return fate;
    }

    /** Faults that never found their request. */
    public ImmutableList<Fault> missed() {
        ImmutableList.Builder<Fault> missed = ImmutableList.builder();
        for (int i = 0; i < struck.length; i++) {
            if (!struck[i]) {
                missed.add(faults.get(i));
            }
        }
        return missed.build();
    }
}
