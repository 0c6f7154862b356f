package dev.kip.yaml;

/** What is wrong with a file, and where. */
public final class YamlProblem extends Exception {

    private static final long serialVersionUID = 1L;

    private final int line;

    public YamlProblem(String file, int line, String message) {
        super(file + ":" + line + ": " + message);
        this.line = line;
    }

    public int line() {
        return line;
    }
}
