package dev.kip.checkpointer.kubelet;

/** What becomes of a static pod when kubelet starts. */
public enum Fate {
    COMES_BACK("comes back", true),
    /** No mirror pod: kubectl does not show it once the API server is there. */
    UNSEEN("comes back, but kubectl will not show it", true),
    STUCK("does not come back: never starts", false),
    CRASHES_KUBELET("does not come back: kubelet crashes", false),
    REJECTED("does not come back: rejected", false),
    NOT_LOADED("does not come back: not loaded", false);

    private final String text;
    private final boolean runs;

    Fate(String text, boolean runs) {
        this.text = text;
        this.runs = runs;
    }

    public String text() {
        return text;
    }

    public boolean runs() {
        return runs;
    }
}
