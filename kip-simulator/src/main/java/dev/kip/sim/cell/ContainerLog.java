package dev.kip.sim.cell;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.cell.ContainerState.Ended;
import dev.kip.sim.cell.ContainerState.Running;
import dev.kip.sim.cell.ContainerState.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * What a simulated container has written: when it started, that it lives (once a minute), and how it ended. Made from what
 * the container is, whenever it is asked for: so it is the same after a reboot, and nothing is kept. Confined to the cell's
 * loop.
 */
final class ContainerLog {

    private static final Duration BEAT = Duration.ofMinutes(1);

    /** Beats that are kept, as a kubelet that turns logs over keeps so much and no more. */
    private static final long KEPT = 1000;

    private final ContainerRun container;

    ContainerLog(ContainerRun container) {
        this.container = container;
    }

    /**
     * From one start of the container to its end.
     *
     * @param end empty while it runs
     */
    record Run(String id, Instant startedAt, Optional<Ended> end) {

        static Run of(Ended ended) {
            return new Run(ended.id(), ended.startedAt(), Optional.of(ended));
        }
    }

    /**
     * One line of it.
     *
     * @param message without its end of line
     */
    record Line(Instant at, String message) {

        String text(boolean timestamp) {
            return (timestamp ? stamp(at) + " " : "") + message + "\n";
        }

        /** With nine digits always, as the container runtime writes it. */
        private static String stamp(Instant at) {
            String whole = Instant.ofEpochSecond(at.getEpochSecond()).toString();
            return whole.substring(0, whole.length() - 1) + String.format(Locale.ROOT, ".%09dZ", at.getNano());
        }
    }

    /** The one that runs or has ended last; the one before it if {@code previous}. Empty if there is none. */
    Optional<Run> run(boolean previous) {
        if (previous) {
            return container.last().map(Run::of);
        }
        if (container.state() instanceof Running running) {
            return Optional.of(new Run(running.id(), running.startedAt(), Optional.empty()));
        }
        return container.ended().or(container::last).map(Run::of);
    }

    /** The same run once it is over. */
    Optional<Run> ended(Run run) {
        return container
                .ended()
                .or(container::last)
                .filter(end -> end.id().equals(run.id()))
                .map(Run::of);
    }

    /** Why there is no run yet. */
    String waitingFor() {
        return container.state() instanceof Waiting waiting ? waiting.reason() : "ContainerCreating";
    }

    /** Up to this moment, in order. */
    ImmutableList<Line> lines(Run run, Instant now) {
        Instant until = run.end()
                .map(Ended::finishedAt)
                .filter(end -> end.isBefore(now))
                .orElse(now);
        ImmutableList.Builder<Line> lines = ImmutableList.builder();
        long beats = Math.max(0, Duration.between(run.startedAt(), until).dividedBy(BEAT));
        if (beats <= KEPT) {
            lines.add(new Line(
                    run.startedAt(),
                    "simulated container " + container.name() + " started, image " + container.image()));
        }
        for (long beat = Math.max(1, beats - KEPT + 1); beat <= beats; beat++) {
            lines.add(new Line(run.startedAt().plus(BEAT.multipliedBy(beat)), "has run for " + beat + "m"));
        }
        run.end()
                .filter(end -> !end.finishedAt().isAfter(now))
                .ifPresent(end -> lines.add(
                        new Line(end.finishedAt(), "ended: " + end.reason() + ", exit code " + end.exitCode())));
        return lines.build();
    }

    /** When a container that runs on writes again. */
    Instant nextLine(Run run, Instant now) {
        long beats = Duration.between(run.startedAt(), now).dividedBy(BEAT);
        return run.startedAt().plus(BEAT.multipliedBy(beats + 1));
    }
}
