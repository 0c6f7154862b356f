package dev.kip.controller.ownership;

import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.function.LongSupplier;

/** The rights to mutate that one incarnation has, as lease and anchor last. Confined to the loop. */
public final class Mandates {

    private final long epoch;
    private final Timing timing;
    private final LongSupplier leadUntil;
    private final LongSupplier anchorUntil;

    /**
     * @param leadUntil the end of the lease, less its margin, by {@link Loop#nanos}
     * @param anchorUntil until when nobody else can have taken the anchor
     */
    public Mandates(long epoch, Timing timing, LongSupplier leadUntil, LongSupplier anchorUntil) {
        this.epoch = epoch;
        this.timing = timing;
        this.leadUntil = leadUntil;
        this.anchorUntil = anchorUntil;
    }

    /** In this cluster: whoever leads here is alone here. */
    public Mandate kube() {
        return lasting(timing.kubeTimeout(), Long.MAX_VALUE);
    }

    /** Outside it: a copy of this cluster may believe the same, and the anchor decides between them. */
    public Mandate cloud() {
        return lasting(timing.cloudTimeout(), anchorUntil.getAsLong());
    }

    /** On cells, which are outside the cluster too. */
    public Mandate cell() {
        return lasting(timing.kubeTimeout(), anchorUntil.getAsLong());
    }

    private Mandate lasting(Duration timeout, long most) {
        return new Mandate(epoch, Math.min(leadUntil.getAsLong() - timeout.toNanos(), most));
    }
}
