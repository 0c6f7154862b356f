package dev.kip.sim.faults;

import dev.kip.sim.kernel.CallFaults;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What becomes of requests while strikes last. */
public final class Fates implements CallFaults {

    private final List<Rule> rules = new ArrayList<>();

    private record Rule(Predicate<Call> which, Fate fate) {}

    /** @return takes it back */
    Runnable add(Predicate<Call> which, Fate fate) {
        Rule rule = new Rule(which, fate);
        rules.add(rule);
        return () -> rules.remove(rule);
    }

    @Override
    public Fate fateOf(Call call) {
        for (Rule rule : rules) {
            if (rule.which().test(call)) {
                return rule.fate();
            }
        }
        return Fate.ARRIVES;
    }
}
