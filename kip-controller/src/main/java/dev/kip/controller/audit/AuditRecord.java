package dev.kip.controller.audit;

import java.time.Instant;
import java.util.Optional;

/**
 * One thing that was recorded.
 *
 * @param time when it was said; empty if the line does not tell
 * @param event what happened, for example {@code InstanceTerminated}
 * @param instance empty if it is about none
 * @param by who said it: node and epoch, as far as it is told
 * @param text why, for people
 */
public record AuditRecord(Optional<Instant> time, String event, String instance, String by, String text) {}
