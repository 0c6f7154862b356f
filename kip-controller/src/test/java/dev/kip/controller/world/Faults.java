package dev.kip.controller.world;

import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Counts calls at all ports and breaks one of them. */
final class Faults {

    /** What happens at the call. */
    enum Kind {
        /** The process dies; the call never leaves it. */
        CRASH_BEFORE,
        /** The call has its effect; the process dies before it hears of it. */
        CRASH_AFTER,
        /** The call has its effect; its answer is lost. */
        REPLY_LOST
    }

    /** The process is dead: unwinds its stack. */
    static final class Crash extends Error {
        Crash() {
            super("crash", null, false, false);
        }
    }

    private static final Duration LATENCY = Duration.ofMillis(5);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final VirtualTime time;
    private final List<String> log = new ArrayList<>();
    private int at = -1;
    private Optional<String> next = Optional.empty();
    private Kind kind = Kind.REPLY_LOST;
    private boolean hit;
    private String cut = "nothing";

    Faults(VirtualTime time) {
        this.time = time;
    }

    void plan(int call, Kind what) {
        at = call;
        kind = what;
    }

    /** The next call of this name. */
    void planNext(String name, Kind what) {
        next = Optional.of(name);
        kind = what;
    }

    /** Calls whose name begins so are not answered, and have no effect, from now on. */
    void cutOff(String prefix) {
        cut = prefix;
    }

    boolean hit() {
        return hit;
    }

    List<String> log() {
        return log;
    }

    long count(String prefix) {
        return log.stream().filter(call -> call.startsWith(prefix)).count();
    }

    <T, E> CompletionStage<Outcome<T, E>> call(
            FakeProcess process, String name, Supplier<Outcome<T, E>> effect, E lost) {
        if (process.dead()) {
            throw new Crash();
        }
        int number = log.size();
        log.add(name);
        boolean now = number == at || next.equals(Optional.of(name));
        if (now) {
            next = Optional.empty();
        }
        hit |= now;
        CompletableFuture<Outcome<T, E>> stage = new CompletableFuture<>();
        if (now && kind == Kind.CRASH_BEFORE) {
            process.kill();
            throw new Crash();
        }
        if (name.startsWith(cut)) {
            process.after(PATIENCE, () -> stage.complete(Outcome.failed(lost)));
            return stage;
        }
        time.at(LATENCY, () -> {
            Outcome<T, E> outcome = effect.get();
            if (now && kind == Kind.CRASH_AFTER) {
                process.kill();
            } else if (now) {
                process.after(PATIENCE, () -> stage.complete(Outcome.failed(lost)));
            } else {
                process.after(LATENCY, () -> stage.complete(outcome));
            }
        });
        return stage;
    }
}
