package dev.kip.controller.telemetry;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.ControllerListener;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Tells several listeners, in order. */
public final class Listeners implements ControllerListener {

    private final ImmutableList<ControllerListener> all;

    public Listeners(ControllerListener... all) {
        this.all = ImmutableList.copyOf(all);
    }

    @Override
    public void leading(boolean leader, long epoch) {
        tell(listener -> listener.leading(leader, epoch));
    }

    @Override
    public void blocked(Optional<String> why) {
        tell(listener -> listener.blocked(why));
    }

    @Override
    public void refused(Optional<String> why) {
        tell(listener -> listener.refused(why));
    }

    @Override
    public void synced() {
        tell(ControllerListener::synced);
    }

    @Override
    public void called(String port, String verb, String outcome, Duration took) {
        tell(listener -> listener.called(port, verb, outcome, took));
    }

    @Override
    public void callsWaiting(int calls) {
        tell(listener -> listener.callsWaiting(calls));
    }

    @Override
    public void pace(String bucket, double share) {
        tell(listener -> listener.pace(bucket, share));
    }

    @Override
    public void cloudTrouble(String kind, boolean there) {
        tell(listener -> listener.cloudTrouble(kind, there));
    }

    @Override
    public void cloudEvent(String kind) {
        tell(listener -> listener.cloudEvent(kind));
    }

    @Override
    public void launched(int asked, int got) {
        tell(listener -> listener.launched(asked, got));
    }

    @Override
    public void reconciled(int keys, Duration took) {
        tell(listener -> listener.reconciled(keys, took));
    }

    @Override
    public void pods(String phase, int delta) {
        tell(listener -> listener.pods(phase, delta));
    }

    @Override
    public void cells(String phase, int delta) {
        tell(listener -> listener.cells(phase, delta));
    }

    @Override
    public void unclaimed(int candidates, int suspects) {
        tell(listener -> listener.unclaimed(candidates, suspects));
    }

    @Override
    public void collected(String outcome) {
        tell(listener -> listener.collected(outcome));
    }

    @Override
    public void collectionStopped(boolean open) {
        tell(listener -> listener.collectionStopped(open));
    }

    @Override
    public void drained() {
        tell(ControllerListener::drained);
    }

    @Override
    public void anomaly(String what, String detail) {
        tell(listener -> listener.anomaly(what, detail));
    }

    private void tell(Consumer<ControllerListener> what) {
        all.forEach(what);
    }
}
