package dev.kip.sim.scenario;

import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.CallFaults.Fate;
import java.time.Duration;
import java.util.Optional;

/**
 * A fault anchored to its cause: what becomes of the n-th request that matches. Removing other steps does not shift it.
 *
 * @param from the sender's name; a star stands for anything
 * @param to the service; a star stands for anything
 * @param action for example {@code POST cells} or {@code RunInstances}, with or without its target; {@code mutating} for every request
 *     that changes something, lease renewals and events apart
 * @param nth counts from 1
 * @param times how many requests in a row it strikes
 * @param suspend the sender's machine is suspended for so long as it sends
 * @param restartAfter when the sender dies of it, a new process starts after this long
 * @param optional whether it is fine that there is no such request
 */
public record Fault(
        String from,
        String to,
        String action,
        int nth,
        int times,
        Fate fate,
        Optional<Duration> suspend,
        Optional<Duration> restartAfter,
        boolean optional) {

    /** One that strikes once. */
    public static Fault once(
            String from, String to, String action, int nth, Fate fate, Optional<Duration> restartAfter) {
        return new Fault(from, to, action, nth, 1, fate, Optional.empty(), restartAfter, false);
    }

    boolean matches(Call call) {
        return Globs.matches(from, call.from())
                && Globs.matches(to, call.to())
                && (action.equals("mutating")
                        ? call.mutating()
                        : Globs.matches(action, call.action())
                                || Globs.matches(action, call.action() + " " + call.target()));
    }

    public String describe() {
        return suspend.map(length -> "SUSPENDED").orElse(fate.name()) + " at request " + nth + " of " + from + " -> "
                + to + " " + action;
    }
}
