package dev.kip.checkpointer.generation;

/**
 * Something on disk that is not as it was written, or not ours.
 *
 * @param path where
 * @param message what was found and what follows
 */
public record Flaw(String path, String message) {}
