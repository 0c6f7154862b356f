package dev.kip.controller.gc;

import com.google.common.collect.ImmutableSet;
import java.util.Optional;

/**
 * One reason why an instance that nothing claims may still not be ended. All gates must let it through. Pure: a gate judges
 * what was read for it, and reads nothing itself.
 */
public interface Gate {

    /** For logs and the audit record: {@code G1} to {@code G7}. */
    String name();

    /** One sentence: what would go wrong without it. */
    String why();

    /** When it is asked. */
    Stage stage();

    /** What must have been read anew before it can be asked; nobody reads what no gate needs. */
    default ImmutableSet<Reading> needs() {
        return ImmutableSet.of();
    }

    /** Why this instance must not be ended now; empty if this gate lets it through. */
    Optional<String> objection(Evidence evidence);

    /** In this order. */
    enum Stage {
        /** The instance was seen in a list of the cloud. */
        SIGHT,
        /** What may claim it has been read. */
        CLAIMS,
        /** It is in quarantine, and the next thing would be its end. */
        END
    }

    /** What is read for gates. */
    enum Reading {
        /** Journal, Cells and pods, whole and past every cache. */
        CLAIMS,
        /** The instance by its id, and what its agent says. */
        LAST_LOOK,
        /** The cluster record. */
        RECORD
    }
}
