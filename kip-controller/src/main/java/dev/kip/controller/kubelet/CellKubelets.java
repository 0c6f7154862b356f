package dev.kip.controller.kubelet;

import dev.kip.cell.CellAddress;
import dev.kip.cell.CellApi;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.EndOrder;
import dev.kip.cell.Grant;
import dev.kip.cell.wire.AddressMap;
import dev.kip.http.Forwarder;
import dev.kip.http.Forwarder.Forwarded;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Which cell's kubelet runs which pod: learnt from what cells say of themselves to the controller that leads. Confined to
 * the loop.
 */
public final class CellKubelets {

    /** Places remembered; the one that was heard of longest ago is forgotten, until it is heard of again. */
    private static final int MOST = 20_000;

    /** A cell that has missed so many long polls is dead for those who hold a stream to it. */
    private static final int MISSED = 2;

    private final AddressMap addresses;
    private final Map<String, Place> byPod = new LinkedHashMap<>();
    private final Map<String, Integer> missed = new LinkedHashMap<>();
    private final Map<String, Set<Forwarded>> streams = new LinkedHashMap<>();
    private Optional<Link> link = Optional.empty();

    public CellKubelets(AddressMap addresses) {
        this.addresses = addresses;
    }

    /** The way to cells' kubelets. */
    public interface Link {

        /** Empty if the cell has not proved itself, so that nobody knows whom to trust there. */
        Optional<Forwarder> to(String host, int agentPort, int kubeletPort);
    }

    /**
     * Where a pod is.
     *
     * @param agentPort where the cell's agent answers
     * @param port where its kubelet does
     * @param podName what that kubelet calls the pod
     */
    public record Place(String instanceId, String host, int agentPort, int port, String podName) {}

    /** The same way to cells, listened to from now on; what was known of another way is forgotten. */
    public CellApi observing(CellApi cells, Link way) {
        link = Optional.of(way);
        byPod.clear();
        missed.clear();
        return new Observed(cells);
    }

    public Optional<Place> find(String podUid) {
        return Optional.ofNullable(byPod.get(podUid));
    }

    Optional<Forwarder> way(Place place) {
        return link.flatMap(found -> found.to(place.host(), place.agentPort(), place.port()));
    }

    /** @return what to do when the stream has ended */
    Runnable holds(Place place, Forwarded stream) {
        streams.computeIfAbsent(place.instanceId(), id -> new LinkedHashSet<>()).add(stream);
        return () -> {
            Set<Forwarded> left = streams.getOrDefault(place.instanceId(), new LinkedHashSet<>());
            left.remove(stream);
            if (left.isEmpty()) {
                streams.remove(place.instanceId());
            }
        };
    }

    private void heard(CellAddress cell, Outcome<CellReport, CellError> outcome) {
        outcome.on(report -> reported(cell, report), error -> failed(cell, error));
    }

    private void reported(CellAddress cell, CellReport report) {
        missed.remove(cell.instanceId());
        if (report.pod().isEmpty()) {
            return;
        }
        String uid = report.pod().get().uid();
        byPod.remove(uid);
        report.kubelet().ifPresent(kubelet -> {
            CellAddress dialled = addresses.resolve(cell);
            byPod.put(
                    uid,
                    new Place(cell.instanceId(), dialled.host(), dialled.port(), kubelet.port(), kubelet.podName()));
            if (byPod.size() > MOST) {
                byPod.remove(byPod.keySet().iterator().next());
            }
        });
    }

    private void failed(CellAddress cell, CellError error) {
        int times = missed.merge(cell.instanceId(), 1, Integer::sum);
        boolean other = error instanceof CellError.NotThatCell;
        if (other || (error instanceof CellError.Unreachable && times >= MISSED)) {
            missed.remove(cell.instanceId());
            List<Forwarded> dead = new ArrayList<>(streams.getOrDefault(cell.instanceId(), new LinkedHashSet<>()));
            dead.forEach(Forwarded::abort);
        }
        if (other) {
            byPod.values().removeIf(place -> place.instanceId().equals(cell.instanceId()));
        }
    }

    private final class Observed implements CellApi {

        private final CellApi cells;

        Observed(CellApi cells) {
            this.cells = cells;
        }

        @Override
        public CompletionStage<Outcome<CellReport, CellError>> watch(CellAddress cell, long seen, Duration wait) {
            return listened(cell, cells.watch(cell, seen, wait));
        }

        @Override
        public CompletionStage<Outcome<CellReport, CellError>> grant(CellAddress cell, Grant grant) {
            return listened(cell, cells.grant(cell, grant));
        }

        @Override
        public CompletionStage<Outcome<CellReport, CellError>> end(CellAddress cell, EndOrder order) {
            return listened(cell, cells.end(cell, order));
        }

        private CompletionStage<Outcome<CellReport, CellError>> listened(
                CellAddress cell, CompletionStage<Outcome<CellReport, CellError>> answer) {
            return answer.thenApply(outcome -> {
                heard(cell, outcome);
                return outcome;
            });
        }
    }
}
