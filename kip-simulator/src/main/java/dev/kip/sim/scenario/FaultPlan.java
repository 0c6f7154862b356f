package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.CallFaults;
import java.util.function.BiConsumer;

/** Carries out the faults of a story: each strikes at the requests that it is anchored to, and never again. */
public final class FaultPlan implements CallFaults {

    private final ImmutableList<Fault> faults;
    private final int[] seen;
    private final int[] struck;
    private final BiConsumer<Fault, String> onHit;

    /** @param onHit called with the fault and the sender that dies of it or is suspended by it */
    public FaultPlan(ImmutableList<Fault> faults, BiConsumer<Fault, String> onHit) {
        this.faults = faults;
        this.seen = new int[faults.size()];
        this.struck = new int[faults.size()];
        this.onHit = onHit;
    }

    @Override
    public Fate fateOf(Call call) {
        Fate fate = Fate.ARRIVES;
        for (int i = 0; i < seen.length; i++) {
            Fault fault = faults.get(i);
            if (struck[i] < fault.times() && fault.matches(call) && ++seen[i] >= fault.nth()) {
                struck[i]++;
                fate = fault.fate();
                if (fate == Fate.SENDER_DIES_BEFORE
                        || fate == Fate.SENDER_DIES_AFTER
                        || fault.suspend().isPresent()) {
                    onHit.accept(fault, call.from());
                }
            }
        }
        return fate;
    }

    /** Faults that never found their request. */
    public ImmutableList<Fault> missed() {
        ImmutableList.Builder<Fault> missed = ImmutableList.builder();
        for (int i = 0; i < struck.length; i++) {
            if (struck[i] == 0 && !faults.get(i).optional()) {
                missed.add(faults.get(i));
            }
        }
        return missed.build();
    }
}
