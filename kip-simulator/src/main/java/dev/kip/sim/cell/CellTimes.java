package dev.kip.sim.cell;

import dev.kip.entropy.Entropy;
import java.time.Duration;

/** How long things take on a cell; each is drawn anew, uniformly. */
public record CellTimes(Range boot, Range notice, Range pull, Range create, Range obey) {

    /** As on EC2 with a prepared image. */
    public static CellTimes realistic() {
        return new CellTimes(
                Range.ofMillis(6_000, 14_000),
                Range.ofMillis(300, 600),
                Range.ofMillis(800, 4_000),
                Range.ofMillis(150, 400),
                Range.ofMillis(50, 1_500));
    }

    /** For people and tests that wait in real time. */
    public static CellTimes quick() {
        return new CellTimes(
                Range.ofMillis(300, 900),
                Range.ofMillis(20, 50),
                Range.ofMillis(100, 400),
                Range.ofMillis(20, 80),
                Range.ofMillis(20, 200));
    }

    /**
     * From one duration up to another.
     *
     * @param most inclusive
     */
    public record Range(Duration least, Duration most) {

        public static Range ofMillis(long least, long most) {
            return new Range(Duration.ofMillis(least), Duration.ofMillis(most));
        }

        Duration draw(Entropy entropy) {
            return least.plusNanos(entropy.below(most.minus(least).toNanos() + 1));
        }
    }
}
