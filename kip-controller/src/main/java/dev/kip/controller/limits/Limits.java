package dev.kip.controller.limits;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CallKind;
import dev.kip.cloud.CallLimits;
import dev.kip.cloud.CallLimits.Bucket;
import dev.kip.cloud.CallLimits.Cost;
import dev.kip.cloud.CloudError;
import dev.kip.controller.ControllerListener;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets calls leave as often as the cloud takes them, in the order of {@link CallKind}. The buckets are the account's: this
 * outlives the incarnations of its process, and learns what others take from refusals. Confined to the loop.
 */
public final class Limits {

    private static final Logger LOG = LoggerFactory.getLogger(Limits.class);

    /** Reads that hang are not to hold every slot when something is to be ended. */
    private static final int READS_AT_ONCE = 8;

    private static final Duration AT_LEAST = Duration.ofMillis(1);

    private final Loop loop;
    private final CallLimits limits;
    private final ControllerListener listener;
    private final Map<Bucket, TokenBucket> buckets = new LinkedHashMap<>();
    private final Map<CallKind, Deque<Waiting>> waiting = new EnumMap<>(CallKind.class);
    private final Set<Permit> unused = new LinkedHashSet<>();
    private final Map<CallKind, Integer> refusedInARow = new EnumMap<>(CallKind.class);
    private Optional<Loop.Timer> timer = Optional.empty();
    private int readsUnderWay;
    private boolean letting;

    public Limits(Loop loop, CallLimits limits, ControllerListener listener) {
        this.loop = loop;
        this.limits = limits;
        this.listener = listener;
        for (CallKind kind : CallKind.values()) {
            waiting.put(kind, new ArrayDeque<>());
        }
        for (Cost cost : limits.costs().values()) {
            tell(cost);
        }
    }

    private record Waiting(int count, Function<Permit, Boolean> call) {}

    /** Room for one call. It is used, or given back. */
    public final class Permit {
        private final CallKind kind;
        private final List<TokenBucket.Taking> takings = new ArrayList<>();
        private int count;
        private boolean sent;
        private boolean over;

        private Permit(CallKind kind, int count) {
            this.kind = kind;
            this.count = count;
            unused.add(this);
            cost(kind).ifPresent(cost -> {
                takings.add(bucket(cost.requests()).reserve(1));
                cost.resources()
                        .ifPresent(resources -> takings.add(bucket(resources).reserve(count)));
            });
        }

        /**
         * The call leaves now.
         *
         * @param things that it is about, perhaps fewer than there is room for
         * @return {@code call}, which is counted when it is answered
         */
        public <T> CompletionStage<Outcome<T, CloudError>> use(
                int things, CompletionStage<Outcome<T, CloudError>> call) {
            long now = loop.nanos();
            unused.remove(this);
            sent = true;
            count = things;
            for (int i = 0; i < takings.size(); i++) {
                takings.get(i).sent(i == 0 ? 1 : things, now);
            }
            readsUnderWay += kind.reads() ? 1 : 0;
            return call.thenApply(outcome -> {
                answered(outcome);
                return outcome;
            });
        }

        /** The call does not leave. */
        public void giveBack() {
            if (!sent && !over) {
                over = true;
                unused.remove(this);
                takings.forEach(TokenBucket.Taking::givenBack);
                letThrough();
            }
        }

        private void answered(Outcome<?, CloudError> outcome) {
            if (over) {
                return;
            }
            over = true;
            long now = loop.nanos();
            takings.forEach(taking -> taking.answered(now));
            readsUnderWay -= kind.reads() ? 1 : 0;
            outcome.on(ok -> refusedInARow.remove(kind), error -> {
                if (error instanceof CloudError.Throttled) {
                    refused(kind, count, error.message());
                } else {
                    refusedInARow.remove(kind);
                }
            });
            cost(kind).ifPresent(Limits.this::tell);
            if (waiting() > 0) {
                loop.post(Limits.this::letThrough); // whoever hears the answer speaks first
            }
        }
    }

    /**
     * Has a call made as soon as there is room for it, at once if there is and nobody waits before it.
     *
     * @param count things that it is about
     * @param call uses the permit and says true, or leaves it alone: then nothing is sent
     */
    public void send(CallKind kind, int count, Function<Permit, Boolean> call) {
        queue(kind).add(new Waiting(count, call));
        letThrough();
    }

    /** Room for one call that takes some preparation; empty if there is none now. */
    public Optional<Permit> reserve(CallKind kind, int count) {
        return queue(kind).isEmpty() && wait(kind, count, loop.nanos()).isZero()
                ? Optional.of(new Permit(kind, count))
                : Optional.empty();
    }

    /** How long {@link #reserve} will go on saying no, if nothing else happens. */
    public Duration until(CallKind kind, int count) {
        Duration wait = wait(kind, count, loop.nanos());
        return wait.compareTo(AT_LEAST) > 0 ? wait : AT_LEAST;
    }

    /** Whoever meant to make calls is no more: what is set aside for them is free again. */
    public void abandon() {
        ImmutableList.copyOf(unused).forEach(Permit::giveBack);
    }

    /** Calls that wait for room. */
    public int waiting() {
        return waiting.values().stream().mapToInt(Deque::size).sum();
    }

    private void letThrough() {
        if (letting) {
            return; // a call that was let through has asked for another one
        }
        letting = true;
        try {
            boolean again = true;
            while (again) {
                again = letSomeThrough();
            }
        } finally {
            letting = false;
        }
    }

    /** @return whether something was let through, so that there may be more */
    private boolean letSomeThrough() {
        long now = loop.nanos();
        Set<Bucket> spoken = new LinkedHashSet<>();
        Optional<Duration> next = Optional.empty();
        for (Map.Entry<CallKind, Deque<Waiting>> entry : waiting.entrySet()) {
            CallKind kind = entry.getKey();
            @Nullable Waiting first = entry.getValue().peek();
            if (first == null) {
                continue;
            }
            if (kind.reads() && readsUnderWay >= READS_AT_ONCE) {
                continue; // the next answer lets it through
            }
            if (cost(kind).filter(cost -> takesFrom(cost, spoken)).isPresent()) {
                continue; // what comes back is for whoever is before it
            }
            Duration wait = wait(kind, first.count(), now);
            if (wait.isZero()) {
                entry.getValue().remove();
                Permit permit = new Permit(kind, first.count());
                if (!first.call().apply(permit)) {
                    permit.giveBack();
                }
                return true;
            }
            cost(kind).ifPresent(cost -> spoken.addAll(lacking(cost, first.count(), now)));
            next = next.isEmpty() || wait.compareTo(next.get()) < 0 ? Optional.of(wait) : next;
        }
        wake(next);
        return false;
    }

    private static boolean takesFrom(Cost cost, Set<Bucket> some) {
        return some.contains(cost.requests())
                || cost.resources().filter(some::contains).isPresent();
    }

    private Set<Bucket> lacking(Cost cost, int count, long now) {
        Set<Bucket> lacking = new LinkedHashSet<>();
        if (!bucket(cost.requests()).until(1, now).isZero()) {
            lacking.add(cost.requests());
        }
        cost.resources()
                .filter(things -> !bucket(things).until(count, now).isZero())
                .ifPresent(lacking::add);
        return lacking;
    }

    private void wake(Optional<Duration> next) {
        timer.ifPresent(Loop.Timer::cancel);
        timer = next.map(wait -> loop.after(wait.compareTo(AT_LEAST) > 0 ? wait : AT_LEAST, this::letThrough));
        listener.callsWaiting(waiting());
    }

    private Duration wait(CallKind kind, int count, long now) {
        return cost(kind)
                .map(cost -> {
                    Duration requests = bucket(cost.requests()).until(1, now);
                    Duration resources = cost.resources()
                            .map(bucket -> bucket(bucket).until(count, now))
                            .orElse(Duration.ZERO);
                    return requests.compareTo(resources) > 0 ? requests : resources;
                })
                .orElse(Duration.ZERO);
    }

    /** A refusal does not say which bucket was empty: that of the requests, or if that was not it, that of the things too. */
    private void refused(CallKind kind, int count, String message) {
        Optional<Cost> cost = cost(kind);
        if (cost.isEmpty()) {
            return;
        }
        long now = loop.nanos();
        if (!learn(bucket(cost.get().requests()), 1, now, message)) {
            return;
        }
        if (refusedInARow.merge(kind, 1, Integer::sum) > 1) {
            cost.get().resources().ifPresent(things -> learn(bucket(things), count, now, message));
        }
    }

    private static boolean learn(TokenBucket bucket, int count, long now, String message) {
        boolean news = bucket.refused(count, now);
        if (news) {
            LOG.warn(
                    "{}: somebody else takes from the account's {} tokens: counting on {} % of them from now on",
                    message, bucket.name(), Math.round(bucket.share() * 100));
        }
        return news;
    }

    private void tell(Cost cost) {
        tell(bucket(cost.requests()));
        cost.resources().ifPresent(things -> tell(bucket(things)));
    }

    private void tell(TokenBucket bucket) {
        bucket.newShare().ifPresent(share -> listener.pace(bucket.name(), share));
    }

    private Optional<Cost> cost(CallKind kind) {
        return Optional.ofNullable(limits.costs().get(kind));
    }

    private TokenBucket bucket(Bucket bucket) {
        return buckets.computeIfAbsent(bucket, absent -> new TokenBucket(bucket, loop.nanos()));
    }

    private Deque<Waiting> queue(CallKind kind) {
        return waiting.computeIfAbsent(kind, absent -> new ArrayDeque<>());
    }
}
