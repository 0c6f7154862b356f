package dev.kip.controller.cells;

/**
 * What was handed to the cell.
 *
 * @param maybe the cell may hold the pod, whether it has said so or not
 * @param content digest of the pod that was handed over last; empty if none was
 * @param at when; tokens in it grow old
 */
record Handed(boolean maybe, String content, long at) {

    static final Handed NOTHING = new Handed(false, "", 0);
}
