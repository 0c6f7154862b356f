package dev.kip.controller.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cell.CellAddress;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.AddressMap;
import dev.kip.controller.kubelet.CellKubelets.Place;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CellKubeletsTest {

    private static final CellAddress CELL = new CellAddress("i-1", "10.0.0.7", 6421);

    private final CellKubelets kubelets = new CellKubelets(AddressMap.none());
    private final Answering cells = new Answering();
    private final CellApi observed = kubelets.observing(cells, (host, agent, kubelet) -> Optional.empty());
    private final AtomicInteger aborted = new AtomicInteger();

    @Test
    void a_pod_is_where_its_cell_says() {
        report("u1");

        assertThat(kubelets.find("u1")).contains(new Place("i-1", "10.0.0.7", 6421, 10250, "web-i-1"));
        assertThat(kubelets.find("u2")).isEmpty();
    }

    @Test
    void a_cell_that_no_longer_tells_of_its_kubelet_has_none() {
        report("u1");
        cells.next =
                Outcome.ok(new CellReport("i-1", 2, 1, Optional.of(new CellReport.PodReport("u1", 0, 1, "{}", true))));
        watch();

        assertThat(kubelets.find("u1")).isEmpty();
    }

    @Test
    void one_missed_report_ends_no_stream_and_two_do() {
        report("u1");
        kubelets.holds(kubelets.find("u1").orElseThrow(), aborted::incrementAndGet);
        fail(new CellError.Unreachable("silence"));
        report("u1");
        fail(new CellError.Unreachable("silence"));
        assertThat(aborted).hasValue(0);

        fail(new CellError.Unreachable("silence"));
        assertThat(aborted).hasValue(1);
    }

    @Test
    void a_stream_that_has_ended_is_let_go() {
        report("u1");
        kubelets.holds(kubelets.find("u1").orElseThrow(), aborted::incrementAndGet)
                .run();
        fail(new CellError.NotThatCell("another"));

        assertThat(aborted).hasValue(0);
    }

    @Test
    void another_machine_in_the_cells_place_ends_its_streams_and_is_not_asked() {
        report("u1");
        kubelets.holds(kubelets.find("u1").orElseThrow(), aborted::incrementAndGet);
        fail(new CellError.NotThatCell("another"));

        assertThat(aborted).hasValue(1);
        assertThat(kubelets.find("u1")).isEmpty();
    }

    private void report(String uid) {
        cells.next = Outcome.ok(new CellReport(
                "i-1",
                1,
                1,
                Optional.of(new CellReport.PodReport(uid, 0, 1, "{}", false)),
                Optional.of(new CellReport.Kubelet(10250, "web-i-1"))));
        watch();
    }

    private void fail(CellError error) {
        cells.next = Outcome.failed(error);
        watch();
    }

    private void watch() {
        assertThat(observed.watch(CELL, 0, Duration.ofSeconds(1))).isCompleted();
    }

    private static final class Answering implements CellApi {

        private Outcome<CellReport, CellError> next = Outcome.failed(new CellError.Unreachable("not yet"));

        @Override
        public CompletionStage<Outcome<CellReport, CellError>> watch(CellAddress cell, long seen, Duration wait) {
            return CompletableFuture.completedFuture(next);
        }

        @Override
        public CompletionStage<Outcome<CellReport, CellError>> grant(CellAddress cell, Grant grant) {
            return CompletableFuture.completedFuture(next);
        }

        @Override
        public CompletionStage<Outcome<CellReport, CellError>> end(CellAddress cell, EndOrder order) {
            return CompletableFuture.completedFuture(next);
        }
    }
}
