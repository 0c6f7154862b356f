package dev.kip.cell;

/** What a cell, or the way to it, answers instead of a report. */
public sealed interface CellError {

    String message();

    /** Nothing answers there (yet): refused, no route, timeout. The request may have had its effect. */
    record Unreachable(String message) implements CellError {}

    /** What answers there could not prove to be this cell. Nothing was handed over. */
    record NotThatCell(String message) implements CellError {}

    /** The cell has seen a higher epoch than ours: another controller has taken over. */
    record Fenced(long highestEpoch, String message) implements CellError {}

    /** The cell refuses the request as it is. */
    record Refused(String message) implements CellError {}
}
