package dev.kip.real;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    private boolean killed;
    private int fatal;
    private Death death = Death.BEFORE;
    private Runnable kill = () -> {};

    /** Begins anew: of the calls from here on the k-th (from 1; 0 for none) is the sender's last. */
    synchronized void arm(int k, Death how, Runnable killing) {
        seen.clear();
        killed = false;
        fatal = k;
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
            killed = true; // before it dies: whoever sees it dead must find out why
            killing = kill;
        }
        killing.run();
    }

    synchronized ImmutableList<Call> seen() {
        return ImmutableList.copyOf(seen);
    }

    /** Whether the k-th call has come, and kills its sender or has done so. */
    synchronized boolean hasKilled() {
        return killed;
    }
}
