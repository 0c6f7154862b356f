package dev.kip.controller.cli;

/** For whom output is; spelt as on the command line. */
enum OutputFormat {
    text,
    json
}
