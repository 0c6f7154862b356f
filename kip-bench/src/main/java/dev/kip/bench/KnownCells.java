package dev.kip.bench;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.Errand;
import dev.kip.controller.cells.Policy;
import dev.kip.controller.podstatus.StatusView;
import dev.kip.controller.store.PodFacts;
import dev.kip.controller.store.PodReader;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import dev.kip.crd.ObjectMetadata;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Pods and cells in the states that benchmarks decide, made of the same facts as in production. */
final class KnownCells {

    /** The time of all decisions; facts were learnt at 0. */
    static final long NOW = 60_000_000_000L;

    static final Policy POLICY = new Policy("kip", "installation", 7, true, 6421, Optional.empty(), Timing.DEFAULTS);

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String RUNNING = "{\"phase\": \"Running\", \"startTime\": \"2026-11-30T12:00:00Z\","
            + " \"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}], \"containerStatuses\": ["
            + "{\"name\": \"app\", \"ready\": true, \"state\": {\"running\": {}}}]}";

    private KnownCells() {}

    /** A pod that was bound to the node just now. */
    static CellFacts fresh(int number) {
        return learn(CellFacts.of(uid(number)), new CellFact.PodSeen(pod(number, "Pending")));
    }

    /** A pod that runs on its instance and has its status written; nothing is to be done. */
    static CellFacts settled(int number) {
        CellFacts cell = fresh(number);
        cell = learn(
                cell,
                new CellFact.CellSeen(cell(number)),
                seen(number),
                new CellFact.Begun(Errand.GRANT),
                new CellFact.Done(Errand.GRANT),
                report(number, 1));
        String digest =
                StatusView.of(RUNNING, ip(number), ip(number)).orElseThrow().digest();
        return learn(
                cell, new CellFact.StatusWritten(digest, pod(number, "Running")), new CellFact.Begun(Errand.WATCH));
    }

    /** The same, and the cell has just reported another status. */
    static CellFacts changed(int number) {
        CellFacts cell = settled(number);
        String failing = RUNNING.replace("{\"running\": {}}", "{\"waiting\": {\"reason\": \"CrashLoopBackOff\"}}");
        return learn(
                cell,
                new CellFact.Reported(new CellReport(
                        instanceId(number), 2, 7, Optional.of(new PodReport(uid(number), 0, 1, failing, false)))));
    }

    /** What EC2 shows of the instance of {@link #settled}: nothing new. */
    static CellFact.InstanceSeen seen(int number) {
        return new CellFact.InstanceSeen(new InstanceFacts(
                instanceId(number),
                InstanceState.RUNNING,
                "t3.nano",
                "us-east-1a",
                Market.ON_DEMAND,
                Optional.of(ip(number)),
                Optional.empty(),
                "token",
                number,
                Instant.EPOCH,
                Optional.empty(),
                "",
                ImmutableMap.of()));
    }

    static String uid(int number) {
        return "6a1b0000-0000-4000-8000-" + (100_000_000_000L + number);
    }

    private static CellFact report(int number, long sequence) {
        return new CellFact.Reported(new CellReport(
                instanceId(number), sequence, 7, Optional.of(new PodReport(uid(number), 0, 1, RUNNING, false))));
    }

    private static CellFacts learn(CellFacts cell, CellFact... facts) {
        CellFacts known = cell;
        for (CellFact fact : facts) {
            known = fact.after(known, POLICY, 0);
        }
        return known;
    }

    private static PodFacts pod(int number, String phase) {
        ObjectNode pod = JSON.createObjectNode();
        pod.putObject("metadata")
                .put("namespace", "default")
                .put("name", "web-" + number)
                .put("uid", uid(number))
                .put("resourceVersion", "1");
        ObjectNode spec = pod.putObject("spec").put("nodeName", "kip");
        spec.putArray("containers").addObject().put("name", "app").put("image", "nginx");
        ObjectNode status = phase.equals("Running")
                ? JSON.readValue(RUNNING, ObjectNode.class)
                : JSON.createObjectNode().put("phase", phase);
        pod.set("status", status);
        return PodReader.PODS.codec().decode(pod);
    }

    private static Cell cell(int number) {
        return new Cell(
                new ObjectMetadata(
                        Cell.nameOf(uid(number), 0),
                        "cell-" + number,
                        "1",
                        "",
                        ImmutableMap.of(),
                        ImmutableMap.of(),
                        ImmutableList.of()),
                new CellStatus(
                        "web-" + number,
                        "default",
                        "kip",
                        "installation",
                        "On-Demand",
                        "t3.nano",
                        instanceId(number),
                        ip(number),
                        uid(number),
                        0,
                        7,
                        "launch-1",
                        "token"));
    }

    private static String instanceId(int number) {
        return "i-" + (100_000_000_000L + number);
    }

    private static String ip(int number) {
        return "10." + (number >> 16 & 255) + "." + (number >> 8 & 255) + "." + (number & 255);
    }
}
