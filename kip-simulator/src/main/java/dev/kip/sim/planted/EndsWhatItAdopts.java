package dev.kip.sim.planted;

import dev.kip.cell.CellAddress;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** A cell that runs a pod when this process first meets it is told to end it, so that the pod can be started afresh. */
final class EndsWhatItAdopts implements CellApi {

    private final CellApi real;
    private final Set<String> met = new LinkedHashSet<>();

    EndsWhatItAdopts(CellApi real) {
        this.real = real;
    }

    @Override
    public CompletionStage<Outcome<CellReport, CellError>> watch(CellAddress cell, long seen, Duration wait) {
        CompletionStage<Outcome<CellReport, CellError>> answer = real.watch(cell, seen, wait);
        if (met.add(cell.instanceId())) {
            answer.thenAccept(outcome -> outcome.value()
                    .ifPresent(report -> report.pod()
                            .ifPresent(pod ->
                                    real.end(cell, new EndOrder(report.highestEpoch(), pod.uid(), Duration.ZERO)))));
        }
        return answer;
    }

    @Override
    public CompletionStage<Outcome<CellReport, CellError>> grant(CellAddress cell, Grant grant) {
        met.add(cell.instanceId());
        return real.grant(cell, grant);
    }

    @Override
    public CompletionStage<Outcome<CellReport, CellError>> end(CellAddress cell, EndOrder order) {
        return real.end(cell, order);
    }
}
