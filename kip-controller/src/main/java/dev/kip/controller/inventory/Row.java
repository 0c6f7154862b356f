package dev.kip.controller.inventory;

import java.time.Duration;
import java.util.Optional;

/**
 * A Cell, an instance, or both together.
 *
 * @param cell name of the Cell; empty if none binds the instance
 * @param pod {@code namespace/name}; empty if unknown
 * @param instanceId empty if the Cell names none
 * @param state EC2's word for it; {@code gone} if EC2 knows the instance no longer, {@code unknown} if it was not asked
 * @param age since the instance was launched
 * @param hourlyUsd list price on demand, of the instance alone; empty if it has ended or the price is unknown
 * @param spot the price is an upper bound
 * @param proof why it is held to be whose it is
 * @param note what is out of the ordinary, and what comes of it; empty if nothing is
 */
public record Row(
        Whose whose,
        String installationId,
        String cell,
        String pod,
        String node,
        String instanceId,
        String type,
        String state,
        Optional<Duration> age,
        Optional<Double> hourlyUsd,
        boolean spot,
        String proof,
        String note) {

    /** Whose something is, as people see it. */
    public enum Whose {
        /** By proof. */
        OURS("ours"),
        /** Says that it is; the keys to check it were not at hand, or EC2 was not. */
        UNCHECKED("unchecked"),
        SUSPECT("suspect"),
        FOREIGN("foreign"),
        LEGACY("legacy"),
        NOBODY("nobody");

        private final String word;

        Whose(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    public boolean costs() {
        return hourlyUsd.isPresent();
    }
}
