package dev.kip.sim.kernel;

import dev.kip.loop.Loop;
import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Offloaded calls in virtual time. A call waits for a slot, is carried out at one instant, and answers at a later one; a
 * call whose invocation is under way outlives the process that sent it. A call that never answers keeps its slot until
 * the transport gives the connection up. A second request inside one call is a bug and is thrown as one.
 */
public final class SimOffload implements Offload {

    /** As the blocking transport of production has it. */
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(45);

    private final SimProcess process;
    private final SeededEntropy entropy;
    private final Deque<Pending<?>> queue = new ArrayDeque<>();
    private final Duration slowest;
    private int freeSlots;
    private Optional<String> running = Optional.empty();
    private int requests;

    /**
     * @param slots as many calls are under way at once
     * @param slowest a call takes between a tenth of this and this
     */
    public SimOffload(SimProcess process, int slots, Duration slowest) {
        this.process = process;
        this.entropy = process.kernel().entropy("offload").fork(process.name());
        this.freeSlots = slots;
        this.slowest = slowest;
    }

    @Override
    public <T> CompletionStage<Outcome<T, Abandoned>> call(String name, Duration deadline, Callable<T> call) {
        CompletableFuture<Outcome<T, Abandoned>> answer = new CompletableFuture<>();
        Loop.Timer timer = process.after(
                deadline, () -> answer.complete(Outcome.failed(new Abandoned.DeadlinePassed(name, deadline))));
        queue.add(new Pending<>(name, call, answer, timer));
        next();
        return answer;
    }

    /** Called by the in-process transports: a request leaves now. */
    SimProcess countRequest() {
        String name =
                running.orElseThrow(() -> new IllegalStateException("a blocking request outside an offloaded call"));
        if (++requests > 1) {
            throw new IllegalStateException("a second request inside the one call " + name);
        }
        return process;
    }

    private void next() {
        while (freeSlots > 0 && !queue.isEmpty()) {
            Pending<?> first = queue.remove();
            if (!first.answer.isDone()) { // else it waited for its slot too long: nobody wants it any more
                freeSlots--;
                invoke(first);
            }
        }
    }

    private <T> void invoke(Pending<T> pending) {
        Duration there = drawn();
        Duration back = drawn();
        process.kernel().schedule(there, () -> {
            Optional<Outcome<T, Abandoned>> outcome = carryOut(pending);
            Outcome<T, Abandoned> result = outcome.orElseGet(
                    () -> Outcome.failed(new Abandoned.Threw(pending.name, new SocketTimeoutException("no answer"))));
            process.after(outcome.isPresent() ? back : SOCKET_TIMEOUT, () -> {
                freeSlots++;
                pending.deadline.cancel();
                pending.answer.complete(result);
                next();
            });
        });
    }

    private <T> Optional<Outcome<T, Abandoned>> carryOut(Pending<T> pending) {
        running = Optional.of(pending.name);
        requests = 0;
        try {
            return Optional.of(Outcome.ok(pending.call.call()));
        } catch (Exception e) {
            if (causedBySilence(e)) {
                return Optional.empty();
            }
            if (e instanceof IllegalStateException bug && requests > 1) {
                throw bug;
            }
            return Optional.of(Outcome.failed(new Abandoned.Threw(pending.name, e)));
        } finally {
            running = Optional.empty();
        }
    }

    private static boolean causedBySilence(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SimNetwork.Silence) {
                return true;
            }
        }
        return false;
    }

    private Duration drawn() {
        long most = slowest.toNanos() / 2;
        return Duration.ofNanos(most / 10 + entropy.below(Math.max(1, most - most / 10)));
    }

    private record Pending<T>(
            String name, Callable<T> call, CompletableFuture<Outcome<T, Abandoned>> answer, Loop.Timer deadline) {}
}
