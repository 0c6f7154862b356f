package dev.kip.checkpointer.lint;

/** What {@code convert} prints; spelt as on the command line. */
enum ConvertFormat {
    diff,
    manifest,
    json
}
