package dev.kip.real;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Counts the mutating requests of one process over all servers that it talks to, and ends the process at the k-th.
 * Shared by the proxies before those servers; any thread.
 */
final class CallCounter {
    /** Where in the life of the k-th request its sender dies. */
    enum Death {
        /** Killed before the server sees the request; the server gets it all the same, from nobody. */
        BEFORE,
        /** The server has carried the request out; its answer reaches nobody. */
        AFTER,
        /** The request is lost with its sender. */
        INSTEAD
    }

    /** A mutating request, as "server METHOD what". */
    record Call(String server, String method, String what) {
        @Override
        public String toString() {
            return server + " " + method + " " + what;
        }
    }

    private final List<Call> seen = new ArrayList<>();
    private final CountDownLatch reached = new CountDownLatch(1);
    private int fatal;
    private Death death = Death.BEFORE;
    private Runnable kill = () -> {};

    /** Arms it: the k-th call from here on (1 is the next) is the sender's last. */
    synchronized void arm(int k, Death how, Runnable killing) {
        fatal = seen.size() + k;
        death = how;
        kill = killing;
    }

    /** Empty: forward it and its answer. Otherwise the caller must see to this death, by {@link #kill} at its time. */
    synchronized Optional<Death> count(Call call) {
        seen.add(call);
        return seen.size() == fatal ? Optional.of(death) : Optional.empty();
    }

    void kill() {
        Runnable killing;
        synchronized (this) {
            killing = kill;
        }
        killing.run();
        reached.countDown();
    }

    synchronized ImmutableList<Call> seen() {
        return ImmutableList.copyOf(seen);
    }

    /** Whether the k-th call has come and killed its sender. */
    boolean hasKilled() {
        return reached.getCount() == 0;
    }

    boolean awaitKill(long seconds) throws InterruptedException {
        return reached.await(seconds, TimeUnit.SECONDS);
    }
}
