package dev.kip.controller.inventory;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ownership.Provenance;
import dev.kip.controller.ownership.Standing;
import dev.kip.crd.Cell;
import dev.kip.crd.Installation;
import dev.kip.crd.LaunchBatch;
import dev.kip.kube.ObjectRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * What cluster and cloud said when they were asked once, one after the other. Nothing here is newer than {@code now}.
 *
 * @param installationName of the Installation object that is meant by "ours"
 * @param installation it, if it could be read
 * @param standing who we are, if the keys could be read too: without it no proof can be checked
 * @param others the Installations of the cluster besides ours
 * @param instances of EC2, in any state; empty if EC2 did not answer, which {@code gaps} tells
 * @param pods of the virtual nodes, and any that was asked for by name, as the API server has them
 * @param leases of leader election, one for each virtual node that is known of
 * @param prices list price in USD an hour on demand, by instance type
 * @param gaps what could not be read, and what is missing here for it, for people
 */
public record Holdings(
        Instant now,
        String installationName,
        Optional<Installation> installation,
        Optional<Standing> standing,
        ImmutableList<Installation> others,
        ImmutableList<InstanceFacts> instances,
        ImmutableList<Cell> cells,
        ImmutableList<LaunchBatch> batches,
        ImmutableList<ObjectNode> pods,
        ImmutableList<LeaseFacts> leases,
        ImmutableMap<String, Double> prices,
        ImmutableList<Gap> gaps) {

    /** Where something is missing. */
    public enum Source {
        CLOUD,
        PODS,
        CELLS,
        JOURNAL,
        INSTALLATION,
        KEYS,
        LEASES,
        PRICES,
        OTHER
    }

    /** @param text what could not be read and why, for people */
    public record Gap(Source source, String text) {}

    /**
     * A Lease of leader election.
     *
     * @param node the virtual node that its holder acts for
     * @param holder empty if it was released, or there is none
     * @param renewed by the holder's clock
     */
    public record LeaseFacts(String node, String holder, Optional<Instant> renewed, Duration duration) {

        public boolean held(Instant now) {
            return !holder.isEmpty()
                    && renewed.isPresent()
                    && renewed.get().plus(duration).isAfter(now);
        }
    }

    public boolean lacks(Source source) {
        return gaps.stream().anyMatch(gap -> gap.source() == source);
    }

    /** Our id; empty if it is not known. */
    public String installationId() {
        return installation
                .map(found -> found.spec().installationID())
                .or(() -> standing.map(Standing::installationId))
                .orElse("");
    }

    public Provenance provenanceOf(InstanceFacts instance) {
        return Provenance.of(instance, installationId(), (node, token) -> standing.map(who -> who.macOf(node, token)));
    }

    public Optional<InstanceFacts> instance(String id) {
        return instances.stream().filter(found -> found.id().equals(id)).findFirst();
    }

    public Optional<Cell> cellOfInstance(String id) {
        return cells.stream()
                .filter(cell -> cell.status().instanceID().equals(id))
                .findFirst();
    }

    /** The Cell of the pod's latest attempt. */
    public Optional<Cell> cellOfPod(String uid) {
        return cells.stream()
                .filter(cell -> !uid.isEmpty() && cell.status().podUID().equals(uid))
                .reduce((one, other) -> other.status().attempt() > one.status().attempt() ? other : one);
    }

    public Optional<ObjectNode> pod(String uid) {
        return pods.stream()
                .filter(pod -> !uid.isEmpty()
                        && pod.path("metadata").path("uid").asString("").equals(uid))
                .findFirst();
    }

    public Optional<ObjectNode> pod(ObjectRef ref) {
        return pods.stream().filter(pod -> refOf(pod).equals(ref)).findFirst();
    }

    public Optional<LeaseFacts> leaseOf(String node) {
        return leases.stream().filter(lease -> lease.node().equals(node)).findFirst();
    }

    /** Ours, or an adopted one's: whether the Cell says so, which proves nothing. */
    public boolean isOurs(Cell cell) {
        return !installationId().isEmpty() && cell.status().controllerID().equals(installationId());
    }

    /** A Cell as the original wrote it: it names no pod's uid. */
    public static boolean isLegacy(Cell cell) {
        return cell.status().podUID().isEmpty();
    }

    public static ObjectRef refOf(ObjectNode object) {
        return new ObjectRef(
                object.path("metadata").path("namespace").asString(""),
                object.path("metadata").path("name").asString(""));
    }
}
