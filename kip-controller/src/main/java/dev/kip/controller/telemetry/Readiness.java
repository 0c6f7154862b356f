package dev.kip.controller.telemetry;

import dev.kip.controller.ControllerListener;

/** Whether this process does its work: leads and knows its world, or stands by and would hear if it had to. Confined to the loop. */
public final class Readiness implements ControllerListener {

    private boolean leader;
    private long epoch;
    private boolean synced;
    private boolean reachable;

    @Override
    public void leading(boolean leads, long itsEpoch) {
        leader = leads;
        epoch = itsEpoch;
        synced &= leads;
    }

    @Override
    public void synced() {
        synced = true;
    }

    public void apiServerReachable(boolean answers) {
        reachable = answers;
    }

    public boolean ready() {
        return leader ? synced : reachable;
    }

    /** One line, for people. */
    public String explanation() {
        if (leader) {
            return synced ? "leading, epoch " + epoch : "leading, but still reading what there is";
        }
        return reachable ? "standing by: another replica leads" : "the API server does not answer";
    }
}
