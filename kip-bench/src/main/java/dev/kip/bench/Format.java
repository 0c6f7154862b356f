package dev.kip.bench;

/** How figures are printed. */
public enum Format {
    TEXT,
    JSON
}
