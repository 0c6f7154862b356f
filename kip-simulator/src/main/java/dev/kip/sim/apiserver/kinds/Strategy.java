package dev.kip.sim.apiserver.kinds;

import dev.kip.sim.apiserver.schema.FieldErrors;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is particular to a kind. The first tree passed to a method belongs to the write and may be changed by the methods
 * that prepare; {@code old} is what is stored and must not be.
 */
public interface Strategy {

    Traits traits();

    /** Fills in what a client may leave out. Called for every write. */
    default void fillDefaults(ObjectNode object) {}

    /** After the defaults, before validation: what the server itself decides about a new object. */
    default void beforeCreate(ObjectNode object) {}

    default void beforeUpdate(ObjectNode object, ObjectNode old) {}

    /** Before a write to the status subresource: status may be changed, the rest belongs to {@code old}. */
    default void beforeStatusUpdate(ObjectNode object, ObjectNode old) {}

    /** Called for every write. */
    default void validate(ObjectNode object, FieldErrors errors) {}

    /** What a change may not touch. */
    default void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {}

    /** A kind without rules of its own. */
    static Strategy plain(Traits traits) {
        return () -> traits;
    }
}
