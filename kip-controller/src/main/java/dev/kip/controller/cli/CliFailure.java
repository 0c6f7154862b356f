package dev.kip.controller.cli;

/** Ends a command with an exit code and something for people to read, not a stack trace. */
public final class CliFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The command was understood, but could not be done. */
    static final int FAILED = 1;

    /** Wrong usage or configuration. */
    static final int CONFIGURATION = 2;

    private final int exitCode;

    CliFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
