package dev.kip.controller.telemetry;

import dev.kip.controller.ControllerListener;
import java.util.Optional;

/** Whether this process does its work: leads and knows its world, or stands by and would hear if it had to. Confined to the loop. */
public final class Readiness implements ControllerListener {

    private boolean leader;
    private long epoch;
    private Optional<String> blocked = Optional.empty();
    private Optional<String> refused = Optional.empty();
    private boolean synced;
    private boolean reachable;

    @Override
    public void leading(boolean leads, long itsEpoch) {
        leader = leads;
        epoch = itsEpoch;
        synced &= leads;
        if (!leads) {
            blocked = Optional.empty();
        }
    }

    @Override
    public void blocked(Optional<String> why) {
        blocked = why;
    }

    @Override
    public void refused(Optional<String> why) {
        refused = why;
    }

    @Override
    public void synced() {
        synced = true;
    }

    public void apiServerReachable(boolean answers) {
        reachable = answers;
    }

    public boolean ready() {
        return leader ? synced && blocked.isEmpty() : reachable && refused.isEmpty();
    }

    /** One line, for people. */
    public String explanation() {
        if (leader && blocked.isPresent()) {
            return "leading, but may not act: " + blocked.get();
        }
        if (leader) {
            return synced ? "leading, epoch " + epoch : "leading, but still reading what there is";
        }
        if (reachable && refused.isPresent()) {
            return "may not stand by: " + refused.get();
        }
        return reachable ? "standing by: another replica leads" : "the API server does not answer";
    }
}
