package dev.kip.controller.launch;

import dev.kip.crd.LaunchBatch;

/** What is to be done for one launch call. Handed out once: it is under way until its answer is known. */
public sealed interface BatchIntent {

    /** Write down what is about to be launched. */
    record WriteJournal(LaunchBatch record) implements BatchIntent {}

    /** Have the template of this key ready. */
    record PrepareTemplate(LaunchKey key) implements BatchIntent {}

    /** The call itself: never made twice. */
    record Launch(LaunchBatch record, LaunchKey key, Templates.Ready template) implements BatchIntent {}

    /** See what came of a call whose answer is not known. */
    record LookUp(String batch, String token) implements BatchIntent {}

    /** Every instance of the call is bound or ended: the journal need not tell of it. */
    record EraseJournal(String batch, String uid) implements BatchIntent {}
}
