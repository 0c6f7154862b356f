package dev.kip.controller.gc;

import java.time.Duration;

/**
 * How garbage is collected. None of it touches the gates.
 *
 * @param enabled whether anything is ended at all
 * @param dryRun whether it is only said what would be ended
 * @param maxCount so many may be ended in a window, whatever {@code maxPercent} says
 * @param maxPercent of the node's cells that may be ended in a window
 * @param window of the budget
 * @param quarantine between an instance's being marked and its end, at least
 */
public record GcSettings(
        boolean enabled, boolean dryRun, int maxCount, int maxPercent, Duration window, Duration quarantine) {

    public static final GcSettings DEFAULTS =
            new GcSettings(true, false, 3, 20, Duration.ofMinutes(10), Duration.ofSeconds(10));
}
