package dev.kip.checkpointer.lint;

/** Ends a command with something for people to read: wrong usage, or input that cannot be read. */
public final class LintFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Exit code. */
    public static final int WRONG = 2;

    LintFailure(String message) {
        super(message);
    }
}
