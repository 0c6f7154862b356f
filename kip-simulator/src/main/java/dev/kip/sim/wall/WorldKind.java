package dev.kip.sim.wall;

/** Where a story is told. */
public enum WorldKind {
    SIMULATED("simulated"),
    MOCK("mock"),
    REAL("real");

    private final String word;

    WorldKind(String word) {
        this.word = word;
    }

    /** As words name it. */
    public String word() {
        return word;
    }

    @Override
    public String toString() {
        return word;
    }
}
