package dev.kip.real;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for other processes, never longer than said. */
final class Bounded {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    /** What was waited for did not come. */
    static final class NotInTime extends AssertionError {
        private static final long serialVersionUID = 1;

        NotInTime(String message) {
            super(message);
        }
    }

    /** One look: what was wanted, or what was found instead. */
    record Look<T>(Optional<T> wanted, String found) {
        static <T> Look<T> at(T value) {
            return new Look<>(Optional.of(value), "");
        }

        static <T> Look<T> notYet(String found) {
            return new Look<>(Optional.empty(), found);
        }

        /** Wanted if {@code holds}; {@code found} says how things are. */
        static Look<Boolean> holds(boolean holds, String found) {
            return holds ? at(true) : notYet(found);
        }
    }

    private Bounded() {}

    static <T> T await(String what, Duration atMost, Supplier<Look<T>> look) {
        long began = System.nanoTime();
        while (true) {
            Look<T> seen = look.get();
            if (seen.wanted().isPresent()) {
                return seen.wanted().get();
            }
            if (System.nanoTime() - began > atMost.toNanos()) {
                throw new NotInTime("waited %ss for %s; found: %s".formatted(atMost.toSeconds(), what, seen.found()));
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }
}
