package dev.kip.sim.invariants;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** I7. */
final class CollectionWithinBudget extends Invariant {

    /** As configured by default: {@code gc.window}, {@code gc.maxPercent}. */
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private static final int PERCENT = 20;

    private final Eyes eyes;
    private final int count;
    private final Map<String, Deque<Duration>> ended = new LinkedHashMap<>();
    private final Map<String, Integer> most = new LinkedHashMap<>();

    /** @param count {@code gc.maxCount} of this world */
    CollectionWithinBudget(Eyes eyes, int count) {
        super(
                "I7 collection within its budget",
                "Whatever else is wrong, garbage collection ends a few instances in ten minutes, and people have time to"
                        + " look.");
        this.eyes = eyes;
        this.count = count;
    }

    /** What was spent is written in the record, and gone with it. */
    @Override
    void changed(String cluster, String event, String kind, ObjectNode object) {
        if (kind.equals("installation") && event.equals("DELETED")) {
            ended.clear();
        }
    }

    @Override
    void replaced(String cluster) {
        ended.clear();
    }

    @Override
    void destroyed(String cluster) {
        ended.clear();
    }

    /** All incarnations of a virtual node have one budget. */
    @Override
    void collected(Eyes.Sender sender, String instanceId) {
        String who = sender.cluster() + ": controllers of " + sender.shard();
        Deque<Duration> recent = ended.computeIfAbsent(who, any -> new ArrayDeque<>());
        recent.addLast(eyes.elapsed());
        while (recent.peekFirst() != null
                && eyes.elapsed().minus(recent.peekFirst()).compareTo(WINDOW) > 0) {
            recent.removeFirst();
        }
        int cells = Math.max(
                most.getOrDefault(sender.cluster(), 0),
                eyes.objects(sender.cluster(), "cell").size());
        most.put(sender.cluster(), cells);
        int budget = Math.max(count, cells * PERCENT / 100);
        if (recent.size() > budget) {
            violate(who + " ended " + recent.size() + " instances as garbage within ten minutes; the budget is "
                    + budget);
        }
    }
}
