package dev.kip.sim.kernel;

import com.google.common.collect.ImmutableList;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One incarnation of a simulated process: its loop, its clock, and whether it still lives. Once killed it runs no more;
 * what it had sent goes on its way. A restart is a new incarnation.
 */
public final class SimProcess implements Loop {

    private final Kernel kernel;
    private final String name;
    private final Map<Long, Runnable> onDeath = new LinkedHashMap<>();
    private Duration skew = Duration.ZERO;
    private Duration pausedUntil = Duration.ZERO;
    /** In all sleeps but the last. */
    private Duration slept = Duration.ZERO;

    private Duration asleepFrom = Duration.ZERO;
    private Duration asleepUntil = Duration.ZERO;
    private boolean alive = true;
    private long registrations;

    public SimProcess(Kernel kernel, String name) {
        this.kernel = kernel;
        this.name = name;
    }

    public String name() {
        return name;
    }

    public Kernel kernel() {
        return kernel;
    }

    public boolean alive() {
        return alive;
    }

    /** SIGKILL: nothing of it runs from now on. */
    public void kill() {
        if (alive) {
            alive = false;
            ImmutableList<Runnable> mourners = ImmutableList.copyOf(onDeath.values());
            onDeath.clear();
            mourners.forEach(Runnable::run);
        }
    }

    /**
     * Runs {@code task} when the process is killed: connections break, addresses go silent.
     *
     * @return takes it back
     */
    public Runnable onDeath(Runnable task) {
        if (!alive) {
            return () -> {};
        }
        long registration = registrations++;
        onDeath.put(registration, task);
        return () -> onDeath.remove(registration);
    }

    /** Sets its wall clock wrong by this much from now on. */
    public void skewClock(Duration skew) {
        this.skew = skew;
    }

    /** Freezes the process (SIGSTOP, a long pause): what falls due meanwhile runs when it is over. */
    public void pause(Duration length) {
        pausedUntil = later(pausedUntil, kernel.elapsed().plus(length));
    }

    /**
     * Freezes the machine (a VM that is suspended, a laptop's lid): as {@link #pause}, and its monotonic clock stands still
     * meanwhile, as CLOCK_MONOTONIC does. One that sleeps already sleeps on until the later of both ends.
     */
    public void suspend(Duration length) {
        Duration now = kernel.elapsed();
        if (now.compareTo(asleepUntil) >= 0) {
            slept = slept.plus(asleepUntil.minus(asleepFrom));
            asleepFrom = now;
            asleepUntil = now;
        }
        asleepUntil = later(asleepUntil, now.plus(length));
    }

    /** When the sleep ends in which it is, since the start of the world; empty if it is awake. */
    public Optional<Duration> wakes() {
        return kernel.elapsed().compareTo(asleepUntil) < 0 ? Optional.of(asleepUntil) : Optional.empty();
    }

    private static Duration later(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    @Override
    public Instant now() {
        return kernel.now().plus(skew);
    }

    @Override
    public long nanos() {
        if (asleepUntil.isZero()) {
            return kernel.nanos();
        }
        Duration now = kernel.elapsed();
        Duration sinceAsleep = (now.compareTo(asleepUntil) < 0 ? now : asleepUntil).minus(asleepFrom);
        return kernel.nanos() - slept.plus(sinceAsleep).toNanos();
    }

    @Override
    public void post(Runnable task) {
        run(Duration.ZERO, nanos(), task, new Cancellation());
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        Cancellation cancellation = new Cancellation();
        Duration wait = delay.isNegative() ? Duration.ZERO : delay;
        run(wait, nanos() + wait.toNanos(), task, cancellation);
        return cancellation;
    }

    /** @param due by this process's own monotonic clock, which sleeps may hold up meanwhile */
    private void run(Duration delay, long due, Runnable task, Cancellation cancellation) {
        kernel.insert(delay, name, () -> alive && !cancellation.cancelled, () -> {
            Duration now = kernel.elapsed();
            Duration wait = later(
                    later(asleepUntil, pausedUntil).minus(now),
                    now.compareTo(asleepUntil) < 0 ? Duration.ZERO : Duration.ofNanos(due - nanos()));
            if (wait.compareTo(Duration.ZERO) > 0) {
                run(wait, due, task, cancellation);
            } else {
                task.run();
            }
        });
    }

    private static final class Cancellation implements Timer {

        private boolean cancelled;

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
