package dev.kip.sim.cell;

import java.time.Instant;

/** What a container is doing, as in {@code containerStatuses[].state}. */
sealed interface ContainerState {

    record Waiting(String reason, String message) implements ContainerState {}

    record Running(String id, Instant startedAt) implements ContainerState {}

    record Ended(String id, int exitCode, String reason, Instant startedAt, Instant finishedAt)
            implements ContainerState {}
}
