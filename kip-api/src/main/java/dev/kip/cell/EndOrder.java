package dev.kip.cell;

import java.time.Duration;

/** Ends the pod with this uid; refused for another. */
public record EndOrder(long epoch, String podUid, Duration grace) {}
