package dev.kip.controller.drain;

/**
 * One kind of thing to take down. Tried from the start as often as it takes: what is gone already is no error, and a crash
 * anywhere in it is harmless. Called on the loop.
 */
interface Step {

    /** One word for the condition's reason. */
    String name();

    /** Tries once; answers exactly once, on the loop. */
    void attempt(Scope scope, Verdict verdict);

    /** What became of it. */
    interface Verdict {

        /** Nothing of it is left. */
        void done();

        /** Something is left; it is tried again after a while. */
        void waiting(String forWhat);
    }
}
