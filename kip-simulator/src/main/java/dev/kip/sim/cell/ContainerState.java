package dev.kip.sim.cell;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.time.Instant;

/** What a container is doing, as in {@code containerStatuses[].state}. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "is")
@JsonSubTypes({
    @JsonSubTypes.Type(value = ContainerState.Waiting.class, name = "waiting"),
    @JsonSubTypes.Type(value = ContainerState.Running.class, name = "running"),
    @JsonSubTypes.Type(value = ContainerState.Ended.class, name = "terminated")
})
sealed interface ContainerState {

    record Waiting(String reason, String message) implements ContainerState {}

    record Running(String id, Instant startedAt) implements ContainerState {}

    record Ended(String id, int exitCode, String reason, Instant startedAt, Instant finishedAt)
            implements ContainerState {}
}
