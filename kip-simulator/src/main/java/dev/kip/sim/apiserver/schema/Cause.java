package dev.kip.sim.apiserver.schema;

/**
 * One cause of a failed request, as {@code metav1.StatusCause} has it.
 *
 * @param reason for example {@code FieldValueRequired}; empty for none
 * @param field path; empty if it is about no field
 */
public record Cause(String reason, String message, String field) {}
