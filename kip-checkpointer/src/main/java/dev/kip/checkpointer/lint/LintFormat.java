package dev.kip.checkpointer.lint;

/** For whom the verdict is; spelt as on the command line. */
enum LintFormat {
    table,
    json,
    sarif
}
