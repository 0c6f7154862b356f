package dev.kip.controller.cli;

/** For whom a list is; spelt as on the command line. */
enum TableFormat {
    table,
    json
}
