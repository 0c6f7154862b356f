package dev.kip.sim.planted;

import dev.kip.sim.world.Parts;
import java.util.function.Supplier;

/**
 * A bug planted on purpose.
 *
 * @param name for {@code --plant}
 * @param stemsFrom the report, or the line of the protocol, that it undoes
 * @param what is wrong, in a sentence
 * @param how it is planted: which part is another one
 * @param caughtIn name of the scenario in which it is caught
 * @param caughtBy how the first problem there begins: an invariant's number, {@code step} or {@code expect}
 * @param parts made anew for each world
 */
public record PlantedBug(
        String name,
        String stemsFrom,
        String what,
        String how,
        String caughtIn,
        String caughtBy,
        Supplier<Parts> parts) {}
