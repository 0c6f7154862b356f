package dev.kip.checkpointer.image;

/**
 * One thing that was looked at.
 *
 * @param found what is there
 * @param remedy what to do; empty if nothing
 */
record Finding(String what, Verdict verdict, String found, String remedy) {

    /** Whether the machine can serve as a cell, as far as this goes. */
    enum Verdict {
        OK,
        /** It can, with a loss that is named. */
        WARN,
        /** It cannot. */
        FAIL,
        /** Nothing can be told: the machine does not run. */
        NOT_SEEN
    }

    static Finding ok(String what, String found) {
        return new Finding(what, Verdict.OK, found, "");
    }

    static Finding warn(String what, String found, String remedy) {
        return new Finding(what, Verdict.WARN, found, remedy);
    }

    static Finding fail(String what, String found, String remedy) {
        return new Finding(what, Verdict.FAIL, found, remedy);
    }

    static Finding notSeen(String what) {
        return new Finding(what, Verdict.NOT_SEEN, "it does not run", "");
    }
}
