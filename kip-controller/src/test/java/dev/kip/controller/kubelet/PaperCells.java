package dev.kip.controller.kubelet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kip.cell.CellAddress;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.AddressMap;
import dev.kip.http.Forwarder;
import dev.kip.http.HttpCall;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Cells that have reported their pods, and the way to their kubelets: what is asked of it is written down. */
final class PaperCells implements Forwarder {

    final CellKubelets kubelets = new CellKubelets(AddressMap.none());
    final List<Onward> asked = new ArrayList<>();
    final List<Handed> handed = new ArrayList<>();
    private final Map<String, String> summaries = new LinkedHashMap<>();
    private final List<Runnable> held = new ArrayList<>();
    private final CellApi observed = kubelets.observing(new Answering(), (host, agent, kubelet) -> Optional.of(this));
    private Outcome<CellReport, CellError> next = Outcome.failed(new CellError.Unreachable("not yet"));
    private boolean holds;
    int mostAtOnce;

    /** A call that was handed on. */
    static final class Handed implements Forwarded {
        final Onward onward;
        final Runnable ended;
        boolean aborted;

        Handed(Onward onward, Runnable ended) {
            this.onward = onward;
            this.ended = ended;
        }

        @Override
        public void abort() {
            aborted = true;
        }
    }

    /** The pod runs in a cell of its own, where it is called {@code NAME-CELL}. */
    void runs(String uid, String name, String cell) {
        next = Outcome.ok(new CellReport(
                cell,
                1,
                1,
                Optional.of(new CellReport.PodReport(uid, 0, 1, "{}", false)),
                Optional.of(new CellReport.Kubelet(10250, name + "-" + cell))));
        watch(cell);
    }

    void misses(String cell) {
        next = Outcome.failed(new CellError.Unreachable("silence"));
        watch(cell);
    }

    private void watch(String cell) {
        observed.watch(new CellAddress(cell, cell + ".example", 6421), 0, Duration.ofSeconds(1));
    }

    /** What the cell's kubelet tells of its use; silence if nothing. */
    void tells(String cell, @Nullable String summary) {
        if (summary == null) {
            summaries.remove(cell);
        } else {
            summaries.put(cell, summary);
        }
    }

    /** From now on answers wait for {@link #release}. */
    void hold() {
        holds = true;
    }

    /** Gives one answer. False if none is asked for. */
    boolean release() {
        if (held.isEmpty()) {
            return false;
        }
        held.remove(0).run();
        return true;
    }

    @Override
    public Forwarded forward(HttpCall call, Onward onward, Runnable ended) {
        Handed one = new Handed(onward, ended);
        handed.add(one);
        return one;
    }

    @Override
    public CompletionStage<Outcome<byte[], String>> fetch(Onward onward, Duration patience, int most) {
        asked.add(onward);
        CompletableFuture<Outcome<byte[], String>> answer = new CompletableFuture<>();
        Optional<String> summary =
                Optional.ofNullable(summaries.get(onward.host().replace(".example", "")));
        Runnable tell =
                () -> answer.complete(summary.<Outcome<byte[], String>>map(text -> Outcome.ok(text.getBytes(UTF_8)))
                        .orElseGet(() -> Outcome.failed("silence")));
        if (holds) {
            held.add(tell);
            mostAtOnce = Math.max(mostAtOnce, held.size());
        } else {
            tell.run();
        }
        return answer;
    }

    private final class Answering implements CellApi {

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
