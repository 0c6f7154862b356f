package dev.kip.bench;

/** How figures are printed. */
enum Format {
    TEXT,
    JSON
}
