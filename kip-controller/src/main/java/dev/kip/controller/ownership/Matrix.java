package dev.kip.controller.ownership;

import dev.kip.controller.ControllerSettings.OnClusterRecreated;
import dev.kip.controller.ControllerSettings.OnLostKeys;
import dev.kip.controller.ownership.Findings.Anchor;
import dev.kip.controller.ownership.Findings.Glimpse;
import dev.kip.controller.ownership.Findings.KeysSecret;
import dev.kip.controller.ownership.Findings.Seen;
import dev.kip.controller.ownership.Findings.Via;
import dev.kip.controller.ownership.ShardAnchor.State;
import dev.kip.controller.ownership.Verdict.AnchorLost;
import dev.kip.controller.ownership.Verdict.AnchorUnreachable;
import dev.kip.controller.ownership.Verdict.CloneOrSplit;
import dev.kip.controller.ownership.Verdict.ClusterRecreated;
import dev.kip.controller.ownership.Verdict.Contradiction;
import dev.kip.controller.ownership.Verdict.FingerprintMismatch;
import dev.kip.controller.ownership.Verdict.FirstStart;
import dev.kip.controller.ownership.Verdict.KeysLost;
import dev.kip.controller.ownership.Verdict.LaterProtocol;
import dev.kip.controller.ownership.Verdict.Normal;
import dev.kip.controller.ownership.Verdict.RecordLost;
import dev.kip.controller.ownership.Verdict.StillHeld;
import dev.kip.controller.ownership.Verdict.TimeTravel;
import dev.kip.controller.store.Versions;
import dev.kip.crd.InstallationSpec;
import dev.kip.crd.InstallationSpec.Shard;
import java.time.Duration;
import java.util.Optional;

/**
 * Decides who this process is, by the cluster's record, the Secret and the anchor. Whatever forbids to act is looked at
 * before whatever allows it. Pure.
 */
public final class Matrix {

    private Matrix() {}

    public static Verdict decide(Findings found) {
        if (found.anchor() instanceof Anchor.Unreachable gone) {
            return new AnchorUnreachable("the anchor " + gone.location() + " cannot be read: " + gone.why());
        }
        return laterProtocol(found)
                .or(() -> contradiction(found))
                .or(() -> otherAnchor(found))
                .or(() -> foreignPlace(found))
                .or(() -> movedAway(found))
                .or(() -> held(found))
                .or(() -> keysLost(found))
                .orElseGet(() -> begin(found));
    }

    private static Verdict begin(Findings found) {
        if (found.record().isPresent()) {
            return known(found, found.record().get());
        }
        if (found.installationId().isEmpty()) {
            return new FirstStart("neither the cluster nor the anchor knows an installation of this name");
        }
        String id = found.installationId().get();
        boolean acted = found.shard().map(seen -> seen.shard().confirmed()).orElse(0L) > 0
                || found.glimpse()
                        .filter(glimpse -> glimpse.living() > 0 || glimpse.highestEpoch() > 0)
                        .isPresent();
        boolean elsewhere = found.identity()
                .filter(identity -> !identity.clusterUid().equals(found.here().clusterUid()))
                .isPresent();
        if (!elsewhere && !acted) {
            return new FirstStart("installation " + id + " was begun, and nothing has acted for it yet");
        }
        if (!elsewhere) {
            return new RecordLost("the Installation is gone; "
                    + (found.via() == Via.SECRET ? "the Secret with the keys" : "the anchor")
                    + " tells that it was " + id);
        }
        String whose = "the anchor knows installation " + id + " in a cluster whose kube-system is "
                + found.identity().map(Identity::clusterUid).orElse("");
        if (!mayRejoin(found, id)) {
            return new ClusterRecreated(
                    id,
                    false,
                    whose
                            + "; this cluster begins a new installation. kip cells --foreign lists what the other has left, with age"
                            + " and cost; ownership.adoptInstallation: " + id + " takes it over");
        }
        return new ClusterRecreated(id, true, whose + "; this cluster takes it over, as it is configured to");
    }

    /** The record is there, and nothing forbids to act by it. */
    private static Verdict known(Findings found, InstallationSpec record) {
        if (!record.clusterUID().equals(found.here().clusterUid())) {
            return new ClusterRecreated(
                    record.installationID(),
                    true,
                    "the Installation is of a cluster whose kube-system was " + record.clusterUID()
                            + "; this cluster takes it over, as it is configured to");
        }
        if (!(found.anchor() instanceof Anchor.Read anchor)) {
            return new Normal("the cluster's record says so; no anchor is configured");
        }
        Optional<Shard> recorded = record.shard(found.here().node());
        Optional<String> setBack = anchor.shard().flatMap(seen -> setBack(found, recorded, seen.shard()));
        if (setBack.isPresent()) {
            return new TimeTravel(setBack.get());
        }
        boolean hadAnchor = record.anchor().equals(anchor.location());
        boolean lacks = anchor.identity().isEmpty()
                || (anchor.shard().isEmpty()
                        && recorded.filter(shard -> shard.epoch() > 0).isPresent());
        if (hadAnchor && lacks) {
            return new AnchorLost("the anchor " + anchor.location() + " has lost what it knew of this installation");
        }
        return new Normal(
                hadAnchor
                        ? "record and anchor agree"
                        : "the anchor " + anchor.location() + " is new to this installation");
    }

    /** Why the cluster's storage must have been set back; empty if nothing shows that it was. */
    private static Optional<String> setBack(Findings found, Optional<Shard> recorded, ShardAnchor anchored) {
        long epoch = recorded.map(Shard::epoch).orElse(0L);
        if (epoch < anchored.confirmed()) {
            return Optional.of("the Installation is at epoch " + epoch + ", but epoch " + anchored.confirmed()
                    + " has acted: the cluster was restored from a backup");
        }
        boolean sameEpoch = epoch == anchored.confirmed() && anchored.state() != State.CLAIMED;
        if (sameEpoch
                && recorded.filter(shard -> shard.nonce().equals(anchored.nonce()))
                        .isEmpty()) {
            return Optional.of("the Installation names another incarnation of epoch " + epoch
                    + " than the anchor: the cluster was restored from a backup");
        }
        if (Versions.earlier(found.journalVersion(), anchored.mark())) {
            return Optional.of("the cluster is at version " + found.journalVersion() + ", but version "
                    + anchored.mark() + " was written: the cluster was restored from a backup");
        }
        return Optional.empty();
    }

    private static Optional<Verdict> laterProtocol(Findings found) {
        return found.record()
                .map(InstallationSpec::protocol)
                .filter(protocol -> protocol > InstallationSpec.PROTOCOL)
                .map(protocol -> new LaterProtocol("the Installation is kept by protocol " + protocol
                        + ", this version of Kip knows protocol " + InstallationSpec.PROTOCOL));
    }

    private static Optional<Verdict> contradiction(Findings found) {
        Optional<String> adopt = found.settings().adopt();
        Optional<String> known = found.record()
                .map(InstallationSpec::installationID)
                .or(() -> found.keys().map(KeysSecret::installationId).filter(id -> !id.isEmpty()));
        if (adopt.isPresent() && known.isPresent() && !adopt.equals(known)) {
            return Optional.of(new Contradiction(
                    "ownership.adoptInstallation names " + adopt.get() + ", but this cluster has installation "
                            + known.get(),
                    "end this cluster's own installation with kip drain first, or take adoptInstallation out"));
        }
        if (adopt.isPresent() && known.isEmpty() && found.identity().isEmpty()) {
            return Optional.of(
                    found.anchor() instanceof Anchor.Read read
                            ? new Contradiction(
                                    "ownership.adoptInstallation names " + adopt.get() + ", of which the anchor "
                                            + read.location() + " knows nothing",
                                    "correct the id or ownership.anchor; kip cells --foreign lists what is there")
                            : new Contradiction(
                                    "ownership.adoptInstallation names " + adopt.get()
                                            + ", but no anchor is configured",
                                    "set ownership.anchor to the anchor that has its keys"));
        }
        String keysOf = found.keys().map(KeysSecret::installationId).orElse("");
        String recordOf = found.record().map(InstallationSpec::installationID).orElse(keysOf);
        return keysOf.isEmpty() || keysOf.equals(recordOf)
                ? Optional.empty()
                : Optional.of(
                        new Contradiction(
                                "the Installation is " + recordOf + ", but the Secret has the keys of installation "
                                        + keysOf,
                                found.record().isPresent()
                                        ? "if spec.installationID of the Installation was edited, set it back to "
                                                + keysOf
                                                + "; if the Secret was replaced, restore the one that belongs to it, or with an anchor delete it"
                                        : "restore the Secret that belongs to it; with an anchor, deleting the Secret is enough"));
    }

    /** Without the anchor that it had, an installation cannot tell its clones: it is left on purpose, or not at all. */
    private static Optional<Verdict> otherAnchor(Findings found) {
        String recorded = found.record().map(InstallationSpec::anchor).orElse("");
        String configured = found.anchor() instanceof Anchor.Read read ? read.location() : "";
        return recorded.isEmpty() || recorded.equals(configured)
                ? Optional.empty()
                : Optional.of(new Contradiction(
                        "the Installation is kept at the anchor " + recorded + ", but ownership.anchor "
                                + (configured.isEmpty() ? "is not set" : "names " + configured),
                        "set ownership.anchor to " + recorded
                                + "; or, to leave that anchor for good: stop all controllers"
                                + " of the installation, set spec.anchor of the Installation to \"\", and delete what is at "
                                + recorded));
    }

    private static Optional<Verdict> foreignPlace(Findings found) {
        Findings.Here here = found.here();
        Optional<Verdict> byRecord = found.record()
                .flatMap(record -> differs(
                                "account", record.account(), here.account().orElse(""))
                        .or(() -> differs("region", record.region(), here.region()))
                        .or(() -> differs("VPC", record.vpc(), here.vpc())));
        boolean reportsOnly =
                found.via() == Via.NAME_POINTER && found.settings().onClusterRecreated() == OnClusterRecreated.REPORT;
        if (byRecord.isPresent() || reportsOnly) {
            return byRecord;
        }
        return found.identity()
                .flatMap(identity -> differs(
                                "account", identity.account(), here.account().orElse(""))
                        .or(() -> differs("region", identity.region(), here.region()))
                        .or(() -> differs("VPC", identity.vpc(), here.vpc())));
    }

    private static Optional<Verdict> differs(String what, String recorded, String configured) {
        return recorded.isEmpty() || configured.isEmpty() || recorded.equals(configured)
                ? Optional.empty()
                : Optional.of(new FingerprintMismatch(
                        "it belongs to " + what + " " + recorded + ", this controller is configured for " + configured,
                        "correct the configuration or the credentials, or name another installation; what is to be moved"
                                + " is ended with kip drain first"));
    }

    /** The installation's identity is in another cluster than its record, or its record came from another cluster. */
    private static Optional<Verdict> movedAway(Findings found) {
        String here = found.here().clusterUid();
        boolean recordOfOther = found.record()
                .filter(record -> !record.clusterUID().equals(here))
                .isPresent();
        boolean known = found.record().isPresent() || found.via() == Via.SECRET;
        boolean anchoredElsewhere = known
                && found.identity()
                        .filter(identity -> !identity.clusterUid().equals(here))
                        .isPresent();
        if ((!recordOfOther && !anchoredElsewhere)
                || mayRejoin(found, found.installationId().orElse(""))) {
            return Optional.empty();
        }
        return Optional.of(new Contradiction(
                recordOfOther
                        ? "the Installation is of another cluster: it was copied or restored into this one"
                        : "the anchor says that another cluster has taken this installation over",
                "to take it over, set ownership.adoptInstallation to its id; to begin anew, delete the Installation and the"
                        + " Secret with the keys"));
    }

    private static boolean mayRejoin(Findings found, String id) {
        return found.settings().adopt().equals(Optional.of(id))
                || found.settings().onClusterRecreated() == OnClusterRecreated.REJOIN;
    }

    /** Somebody else acts for it, or did a moment ago. */
    private static Optional<Verdict> held(Findings found) {
        if (!(found.anchor() instanceof Anchor.Read anchor) || anchor.shard().isEmpty() || beginsAnew(found)) {
            return Optional.empty();
        }
        Seen seen = anchor.shard().get();
        ShardAnchor shard = seen.shard();
        if (shard.state() != State.CONFIRMED || found.ownNonces().contains(shard.nonce())) {
            return Optional.empty();
        }
        Duration age = Duration.between(shard.renewedAt(), anchor.serverTime());
        if (age.compareTo(found.patience()) >= 0 || seen.unchangedFor().compareTo(found.patience()) >= 0) {
            return Optional.empty();
        }
        String who = shard.holder() + " of epoch " + shard.epoch() + " in the cluster whose kube-system is "
                + shard.clusterUid();
        if (seen.changed()) {
            return Optional.of(
                    new CloneOrSplit("the anchor is being renewed by " + who, found.via() == Via.NAME_POINTER));
        }
        if (age.isNegative()) {
            return Optional.of(new StillHeld(
                    found.patience().minus(seen.unchangedFor()),
                    true,
                    "the anchor was renewed by " + who + ", at a time that is "
                            + age.negated().toSeconds() + " s ahead of the store's own"));
        }
        return Optional.of(new StillHeld(found.patience().minus(age), false, "the anchor was renewed by " + who));
    }

    /** Whatever the anchor's pointer leads to is only reported. */
    private static boolean beginsAnew(Findings found) {
        return found.via() == Via.NAME_POINTER
                && found.settings().onClusterRecreated() == OnClusterRecreated.REPORT
                && found.identity()
                        .filter(identity ->
                                !identity.clusterUid().equals(found.here().clusterUid()))
                        .isPresent();
    }

    private static Optional<Verdict> keysLost(Findings found) {
        boolean elsewhere =
                found.identity().filter(identity -> !identity.keys().isEmpty()).isPresent();
        if (found.record().isEmpty() || found.keys().isPresent() || elsewhere) {
            return Optional.empty();
        }
        int living = found.glimpse().map(Glimpse::living).orElse(0);
        return living == 0 || found.settings().onLostKeys() == OnLostKeys.REKEY
                ? Optional.empty()
                : Optional.of(new KeysLost("the Secret with the installation's keys is gone, no anchor has them, and "
                        + living + " instances made with them live"));
    }
}
