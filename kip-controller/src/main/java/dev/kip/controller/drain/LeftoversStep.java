package dev.kip.controller.drain;

import com.google.common.collect.ImmutableList;
import java.util.stream.Collectors;

/**
 * Sees to it that volumes and network interfaces have gone with their instances: they linger for a while, and while one
 * does, its security group cannot go (elotl/kip#201).
 */
final class LeftoversStep implements Step {

    private final Room room;

    LeftoversStep(Room room) {
        this.room = room;
    }

    @Override
    public String name() {
        return "WaitingForVolumesAndInterfaces";
    }

    @Override
    public void attempt(Scope scope, Verdict verdict) {
        room.cloud()
                .volumes(
                        scope.tags(),
                        volumes -> interfaces(
                                scope,
                                volumes.stream()
                                        .map(volume -> volume.id() + " (" + volume.state() + ")")
                                        .collect(ImmutableList.toImmutableList()),
                                verdict),
                        error -> verdict.waiting("the volumes could not be listed: " + error.message()));
    }

    private void interfaces(Scope scope, ImmutableList<String> volumes, Verdict verdict) {
        room.cloud()
                .networkInterfaces(
                        scope.tags(),
                        interfaces -> {
                            if (volumes.isEmpty() && interfaces.isEmpty()) {
                                verdict.done();
                            } else {
                                verdict.waiting("still there: "
                                        + ImmutableList.<String>builder()
                                                .addAll(volumes)
                                                .addAll(interfaces.stream()
                                                        .map(one -> one.id() + " (" + one.state() + ")")
                                                        .iterator())
                                                .build()
                                                .stream()
                                                .collect(Collectors.joining(", ")));
                            }
                        },
                        error -> verdict.waiting("the network interfaces could not be listed: " + error.message()));
    }
}
