package dev.kip.controller.gc;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.CellReport;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.Provenance;
import dev.kip.controller.ownership.Standing;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The record of each end: one JSON line of the logger {@code dev.kip.audit} before the call and one after it, so that a
 * crash between leaves a trace; an event on the Installation; a count. Confined to the loop.
 */
public final class Audit {

    /** Reason of the events that {@code kip audit} lists. */
    public static final String TERMINATED = "InstanceTerminated";

    private static final Logger LOG = LoggerFactory.getLogger("dev.kip.audit");

    private final Standing standing;
    private final String node;
    private final Events events;
    private final ControllerListener listener;

    /** Writes events on the Installation. */
    public interface Events {

        /** @param instance that it is about: the same of it is told once */
        void tell(String reason, String message, String instance);
    }

    public Audit(Standing standing, String node, Events events, ControllerListener listener) {
        this.standing = standing;
        this.node = node;
        this.events = events;
        this.listener = listener;
    }

    /** It is about to be ended, for these reasons. */
    void ending(Evidence evidence, ImmutableList<String> gates) {
        LOG.info("{}", record("InstanceTerminating", evidence, gates));
    }

    void ended(Evidence evidence, ImmutableList<String> gates) {
        ObjectNode record = record(TERMINATED, evidence, gates);
        LOG.info("{}", record);
        events.tell(
                TERMINATED, "Ended " + describe(evidence), evidence.instance().id());
        listener.collected("ended");
        listener.anomaly("orphan", evidence.instance().id());
    }

    /** Nothing claimed it when the node was taken down. */
    public void drained(InstanceFacts instance, Provenance provenance) {
        ObjectNode record = record(TERMINATED, instance, provenance);
        record.put("because", "drain");
        LOG.info("{}", record);
        events.tell(
                TERMINATED,
                "Ended " + describe(instance) + ": it " + provenance.because() + "; the virtual node is being drained",
                instance.id());
    }

    /** An earlier incarnation has ended it, and may have died before it said so. */
    void endedEarlier(Ledger.Entry entry) {
        events.tell(
                TERMINATED,
                "Ended instance " + entry.instance() + ": an earlier incarnation of the controller decided it at "
                        + entry.at() + "; its log of " + LOG.getName() + " has the proof",
                entry.instance());
    }

    void wouldEnd(Evidence evidence, ImmutableList<String> gates) {
        ObjectNode record = record("InstanceWouldBeTerminated", evidence, gates);
        LOG.info("{}", record);
        events.tell(
                "InstanceWouldBeTerminated",
                "gc.dryRun is set; without it this would be ended: " + describe(evidence),
                evidence.instance().id());
        listener.collected("dryRun");
    }

    private static String describe(Evidence evidence) {
        return describe(evidence.instance()) + ": it " + evidence.provenance().because()
                + "; in no Cell and no LaunchBatch for "
                + evidence.sighting().unclaimedFor().toSeconds() + " s; its agent: " + agent(evidence);
    }

    private static String describe(InstanceFacts instance) {
        return "instance " + instance.id() + " (" + instance.type() + ", launched " + instance.launchTime() + ")";
    }

    private static String agent(Evidence evidence) {
        Optional<CellReport> report = evidence.look().flatMap(LastLook::report);
        if (report.isEmpty()) {
            return evidence.look()
                    .flatMap(LastLook::silence)
                    .map(why -> "silent, " + why)
                    .orElse("not asked");
        }
        return report.get()
                .pod()
                .map(pod -> "pod " + pod.uid() + (pod.ended() ? " has ended" : " is gone from the API"))
                .orElse("holds no pod");
    }

    private ObjectNode record(String what, Evidence evidence, ImmutableList<String> gates) {
        ObjectNode json = record(what, evidence.instance(), evidence.provenance());
        json.put("because", "unclaimed");
        json.put("unclaimedSeconds", evidence.sighting().unclaimedFor().toSeconds());
        json.put("agent", agent(evidence));
        ArrayNode passed = json.putArray("gates");
        gates.forEach(passed::add);
        return json;
    }

    private ObjectNode record(String what, InstanceFacts instance, Provenance provenance) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("event", what);
        json.put("instance", instance.id());
        json.put("type", instance.type());
        json.put("zone", instance.zone());
        json.put("state", instance.state().name());
        json.put("launched", instance.launchTime().toString());
        json.put("installation", standing.installationId());
        json.put("node", node);
        json.put("epoch", standing.epoch());
        json.put("launchEpoch", instance.tags().getOrDefault(Tags.EPOCH, ""));
        json.put("batch", instance.tags().getOrDefault(Tags.BATCH, ""));
        json.put("clientToken", instance.clientToken());
        json.put("proof", provenance.because());
        return json;
    }
}
