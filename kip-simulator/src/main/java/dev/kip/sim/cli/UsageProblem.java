package dev.kip.sim.cli;

/** What the caller can mend: a wrong name, a broken file, a port in use. The message says how. */
final class UsageProblem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UsageProblem(String message) {
        super(message);
    }
}
