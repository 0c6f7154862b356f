package dev.kip.checkpointer.standing;

/**
 * What is remembered of one pod between two judgements.
 *
 * @param since it has stood so, by the monotonic clock, in nanoseconds
 * @param parent how the pod itself fares
 * @param copy how its checkpoint fares
 * @param distrusted uid of a parent that did not come to run; empty if none. It is not waited for again
 * @param attempt how often kubelet was asked in vain to run the checkpoint
 * @param attemptSince when it was asked last
 */
public record Track(
        Standing standing,
        long since,
        Watched parent,
        Watched copy,
        String distrusted,
        int attempt,
        long attemptSince) {

    static Track begin(Standing standing, long nanos) {
        return new Track(standing, nanos, Watched.UNSEEN, Watched.UNSEEN, "", 0, nanos);
    }

    Track stand(Standing next, long nanos) {
        if (next == standing) {
            return this;
        }
        boolean begins = next.runs() && !standing.runs();
        long nextSince = next == Standing.REMOVE ? since : nanos; // it goes for the reason that it was waiting for
        return new Track(
                next, nextSince, parent, copy, distrusted, begins ? 0 : attempt, begins ? nanos : attemptSince);
    }

    /** Stands otherwise, but its time goes on. */
    Track relabel(Standing next) {
        return new Track(next, since, parent, copy, distrusted, attempt, attemptSince);
    }

    Track seen(Watched newParent, Watched newCopy) {
        return new Track(standing, since, newParent, newCopy, distrusted, attempt, attemptSince);
    }

    Track distrust(String uid) {
        return new Track(standing, since, parent, copy, uid, attempt, attemptSince);
    }

    Track tryAgain(long nanos) {
        return new Track(standing, since, parent, copy, distrusted, attempt + 1, nanos);
    }

    /** Its parent is there, and is worth waiting for. */
    boolean parentMayCome() {
        return parent.isThere() && (!parent.uid().equals(distrusted) || parent.stable());
    }

    /** A container of its parent was made: the checkpoint is in its way. */
    boolean parentHasCome() {
        return parentMayCome() && parent.begun();
    }

    /** Whether it is the parent's turn: to whom has it, it is left. */
    boolean isParentsTurn() {
        return standing.runs() ? parentHasCome() : parentMayCome();
    }
}
