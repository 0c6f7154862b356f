package dev.kip.cell;

import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The node agent of a cell, over HTTPS with mutual TLS. Every method sends one request; its stage completes on the loop,
 * never exceptionally. A cell's identity is proved before anything is handed to it. Called on the loop.
 */
public interface CellApi {

    /**
     * The cell's state as soon as it is newer than {@code seen}, else after {@code wait} as it is.
     *
     * @param seen the {@link CellReport#sequence} last received; 0 for none
     */
    CompletionStage<Outcome<CellReport, CellError>> watch(CellAddress cell, long seen, Duration wait);

    /** Hands over a pod, or a new generation of it. Idempotent by pod uid and generation. */
    CompletionStage<Outcome<CellReport, CellError>> grant(CellAddress cell, Grant grant);

    /** Ends the pod gracefully. Idempotent; a shorter grace shortens one that is running. */
    CompletionStage<Outcome<CellReport, CellError>> end(CellAddress cell, EndOrder order);
}
