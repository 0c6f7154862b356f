package dev.kip.bench.adopt;

import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;

/** Counts what is asked of the servers of a world. Confined to the loop. */
public final class CallCounts {

    private long cellWrites;
    private long podWrites;
    private long events;
    private long leases;
    private long otherWrites;
    private long reads;
    private long cloud;

    /**
     * What has been asked so far.
     *
     * @param cellWrites to Cells; as the others, of calls that are no reads
     * @param podWrites to pods and their status
     * @param leases renewals, of the leader's lease and the node's
     * @param cloud calls to EC2 and to the anchor's store
     */
    public record Counts(
            long cellWrites, long podWrites, long events, long leases, long otherWrites, long reads, long cloud) {

        Counts since(Counts before) {
            return new Counts(
                    cellWrites - before.cellWrites,
                    podWrites - before.podWrites,
                    events - before.events,
                    leases - before.leases,
                    otherWrites - before.otherWrites,
                    reads - before.reads,
                    cloud - before.cloud);
        }
    }

    HttpService kubernetes(HttpService server) {
        return call -> {
            count(call);
            server.handle(call);
        };
    }

    HttpService cloud(HttpService server) {
        return call -> {
            cloud++;
            server.handle(call);
        };
    }

    private void count(HttpCall call) {
        String path = call.rawPath();
        if (call.method().equals("GET")) {
            reads++;
        } else if (path.contains("/cells")) {
            cellWrites++;
        } else if (path.contains("/leases")) {
            leases++;
        } else if (path.contains("/events")) {
            events++;
        } else if (path.contains("/pods")) {
            podWrites++;
        } else {
            otherWrites++;
        }
    }

    Counts now() {
        return new Counts(cellWrites, podWrites, events, leases, otherWrites, reads, cloud);
    }
}
