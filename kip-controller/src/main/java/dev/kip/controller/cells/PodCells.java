package dev.kip.controller.cells;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.calls.Calls;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All pods and their cells. A fact changes one of them and wakes that one only; what is to be done is decided a little
 * later, once for all facts that came together. Confined to the loop.
 */
public final class PodCells {

    private static final int AT_ONCE = 256;

    private final Loop loop;
    private final Calls calls;
    private final Policy policy;
    private final ControllerListener listener;
    private final Hands hands;
    private final Map<String, CellFacts> cells = new LinkedHashMap<>();
    private final Map<String, String> podByInstance = new LinkedHashMap<>();
    private final Set<String> awake = new LinkedHashSet<>();
    private final Map<String, Alarm> alarms = new LinkedHashMap<>();
    private final Queue<Learnt> inbox = new ArrayDeque<>();
    private boolean learning;
    private boolean deciding;
    private boolean open;
    private int unsettled;

    public PodCells(Loop loop, Calls calls, Policy policy, ControllerListener listener, Hands hands) {
        this.loop = loop;
        this.calls = calls;
        this.policy = policy;
        this.listener = listener;
        this.hands = hands;
    }

    /** Carries out what is decided here. */
    public interface Hands {

        void carryOut(CellFacts cell, Intent intent);

        /** Both are of one pod. */
        void changed(CellFacts before, CellFacts after);
    }

    private record Learnt(String podUid, CellFact fact) {}

    private record Alarm(long due, Loop.Timer timer) {}

    /** Takes a fact in. Facts about pods that are not known are dropped, unless they make one known. */
    public void learn(String podUid, CellFact fact) {
        inbox.add(new Learnt(podUid, fact));
        if (learning) {
            return; // a listener of the last one learnt something: one after the other
        }
        learning = true;
        try {
            for (Learnt next = inbox.poll(); next != null; next = inbox.poll()) {
                take(next);
            }
        } finally {
            learning = false;
        }
    }

    private void take(Learnt learnt) {
        @Nullable CellFacts known = cells.get(learnt.podUid());
        boolean introduces = learnt.fact() instanceof CellFact.PodSeen || learnt.fact() instanceof CellFact.CellSeen;
        if (known == null && !introduces) {
            return;
        }
        CellFacts before = known == null ? CellFacts.of(learnt.podUid()) : known;
        CellFacts after = learnt.fact().after(before, policy, loop.nanos());
        if (known != null && after.equals(before)) {
            return;
        }
        if (known == null) {
            listener.cells(before.phase().name(), 1);
        }
        if (after.forgettable()) {
            forget(before, after);
        } else {
            cells.put(after.podUid(), after);
            index(before, after);
            wake(after.podUid());
        }
        hands.changed(before, after);
    }

    private void forget(CellFacts before, CellFacts after) {
        index(before, after);
        cells.remove(after.podUid());
        awake.remove(after.podUid());
        @Nullable Alarm alarm = alarms.remove(after.podUid());
        if (alarm != null) {
            alarm.timer().cancel();
        }
        listener.cells(after.phase().name(), -1);
    }

    private void index(CellFacts before, CellFacts after) {
        unsettled += (after.unsettled() ? 1 : 0) - (before.unsettled() ? 1 : 0);
        if (!before.phase().name().equals(after.phase().name())) {
            listener.cells(before.phase().name(), -1);
            listener.cells(after.phase().name(), 1);
        }
        Optional<String> was = before.instanceId();
        Optional<String> is = after.instanceId();
        if (!was.equals(is)) {
            was.ifPresent(podByInstance::remove);
            is.ifPresent(instance -> podByInstance.put(instance, after.podUid()));
        }
    }

    public Optional<CellFacts> get(String podUid) {
        return Optional.ofNullable(cells.get(podUid));
    }

    public Collection<CellFacts> all() {
        return Collections.unmodifiableCollection(cells.values());
    }

    /** The pod that this instance is bound to. */
    public Optional<String> podOf(String instanceId) {
        return Optional.ofNullable(podByInstance.get(instanceId));
    }

    /** Instances that are bound to a pod. */
    public ImmutableList<String> instances() {
        return ImmutableList.copyOf(podByInstance.keySet());
    }

    /** Whether something is expected to change soon. */
    public boolean unsettled() {
        return unsettled > 0;
    }

    /** From now on things are decided: all that was there before is known. */
    public void open() {
        open = true;
        decideSoon();
    }

    private void wake(String podUid) {
        awake.add(podUid);
        decideSoon();
    }

    private void decideSoon() {
        if (open && !deciding && !awake.isEmpty()) {
            deciding = true;
            calls.post("decide", this::decide);
        }
    }

    private void decide() {
        long began = loop.nanos();
        int decided = 0;
        while (!awake.isEmpty() && decided < AT_ONCE) {
            String podUid = awake.iterator().next();
            awake.remove(podUid);
            calls.guarded("pod " + podUid, () -> decide(podUid));
            decided++;
        }
        deciding = false;
        decideSoon(); // others get their turn in between
        listener.reconciled(decided, Duration.ofNanos(loop.nanos() - began));
    }

    private void decide(String podUid) {
        @Nullable CellFacts cell = cells.get(podUid);
        if (cell == null) {
            return;
        }
        for (Intent intent : cell.next(policy, loop.nanos())) {
            if (intent instanceof Intent.Become become) {
                learn(podUid, new CellFact.Became(become.phase()));
            } else {
                intent.errand().ifPresent(errand -> learn(podUid, new CellFact.Begun(errand)));
                hands.carryOut(cell, intent);
            }
        }
        @Nullable CellFacts after = cells.get(podUid);
        if (after != null && !awake.contains(podUid)) {
            setAlarm(podUid, after.due(policy, loop.nanos()));
        }
    }

    private void setAlarm(String podUid, long due) {
        @Nullable Alarm set = alarms.get(podUid);
        if (set != null && set.due() == due) {
            return;
        }
        if (set != null) {
            set.timer().cancel();
            alarms.remove(podUid);
        }
        long now = loop.nanos();
        if (due != CellPhase.NEVER && due - now > 0) {
            Loop.Timer timer = calls.after(Duration.ofNanos(due - now), "alarm", () -> {
                alarms.remove(podUid);
                if (cells.containsKey(podUid)) {
                    wake(podUid);
                }
            });
            alarms.put(podUid, new Alarm(due, timer));
        }
    }
}
