package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Lists;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudError;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.effects.CloudEffects;
import dev.kip.controller.ownership.Mandate;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends instances, many in one call. One bad id fails the whole call, so a refused batch is tried again in halves. Confined
 * to the loop.
 */
public final class Terminations {

    private static final Logger LOG = LoggerFactory.getLogger(Terminations.class);
    private static final Duration IDLE = Duration.ofMillis(100);
    private static final Duration MAX = Duration.ofMillis(500);
    private static final int FULL = 1_000;
    private static final Duration REMEMBERED = Duration.ofHours(1);

    private final Loop loop;
    private final CloudEffects cloud;
    private final Calls calls;
    private final Supplier<Mandate> mandate;
    private final Consumer<String> refusals;
    private final Map<String, Ending> waiting = new LinkedHashMap<>();

    /** Each that was to be ended, and when: that it was not is never quite certain. */
    private final Map<String, Long> asked = new LinkedHashMap<>();

    private long firstArrival;
    private Optional<Loop.Timer> timer = Optional.empty();

    /** @param refusals hears what EC2 says when it does not want to end an instance that it knows */
    public Terminations(
            Loop loop, CloudEffects cloud, Calls calls, Supplier<Mandate> mandate, Consumer<String> refusals) {
        this.loop = loop;
        this.cloud = cloud;
        this.calls = calls;
        this.mandate = mandate;
        this.refusals = refusals;
    }

    /** Hears what became of one instance: exactly one of these. */
    public interface Ending {

        /** It ends, or has ended. */
        void accepted();

        /** EC2 knows no such instance. */
        void unknown();

        /** Not done, or nobody knows. */
        void undone();
    }

    public void end(String instanceId, Ending ending) {
        long now = loop.nanos();
        remember(instanceId, now);
        if (waiting.isEmpty()) {
            firstArrival = now;
        }
        waiting.put(instanceId, ending);
        timer.ifPresent(Loop.Timer::cancel);
        Duration left = MAX.minus(Duration.ofNanos(now - firstArrival));
        boolean atOnce = waiting.size() >= FULL || left.isNegative();
        timer = Optional.of(
                calls.after(atOnce ? Duration.ZERO : left.compareTo(IDLE) < 0 ? left : IDLE, "terminate", this::send));
    }

    private void remember(String instanceId, long now) {
        asked.remove(instanceId);
        asked.put(instanceId, now);
        Iterator<Long> oldest = asked.values().iterator();
        while (now - oldest.next() > REMEMBERED.toNanos()) {
            oldest.remove();
        }
    }

    /** Whether its end was asked for within the last hour: by then it has ended, or is not going to. */
    public boolean asked(String instanceId) {
        return asked.containsKey(instanceId);
    }

    private void send() {
        ImmutableMap<String, Ending> batch = ImmutableMap.copyOf(waiting);
        waiting.clear();
        for (List<String> ids : Lists.partition(batch.keySet().asList(), FULL)) {
            call(ImmutableList.copyOf(ids), batch);
        }
    }

    private void call(ImmutableList<String> ids, ImmutableMap<String, Ending> endings) {
        cloud.terminate(
                ids,
                mandate,
                () -> undone(ids, endings),
                states -> ids.forEach(id -> answered(id, states, endings)),
                error -> failed(ids, endings, error));
    }

    private static void answered(
            String id, ImmutableMap<String, InstanceState> states, ImmutableMap<String, Ending> endings) {
        @Nullable InstanceState state = states.get(id);
        if (state != null && state.ended()) {
            of(endings, id).accepted();
        } else {
            of(endings, id).undone();
        }
    }

    private void failed(ImmutableList<String> ids, ImmutableMap<String, Ending> endings, CloudError error) {
        boolean oneIsBad = error instanceof CloudError.NotFound || error instanceof CloudError.Refused;
        LOG.warn("terminate {}: {}", ids, error.message());
        if (oneIsBad && ids.size() > 1) {
            call(ids.subList(0, ids.size() / 2), endings);
            call(ids.subList(ids.size() / 2, ids.size()), endings);
        } else if (error instanceof CloudError.NotFound) {
            of(endings, ids.get(0)).unknown();
        } else {
            if (error instanceof CloudError.Denied || error instanceof CloudError.Refused) {
                refusals.accept(error.message());
            }
            undone(ids, endings);
        }
    }

    private static void undone(ImmutableList<String> ids, ImmutableMap<String, Ending> endings) {
        ids.forEach(id -> of(endings, id).undone());
    }

    private static Ending of(ImmutableMap<String, Ending> endings, String id) {
        @Nullable Ending ending = endings.get(id);
        if (ending == null) {
            throw new IllegalStateException(id + " was not to be ended");
        }
        return ending;
    }
}
