package dev.kip.crd;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.google.common.collect.ImmutableList;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import java.util.Optional;

/** What the cluster record says. */
public record InstallationSpec(
        @Required
        @PrinterColumn(name = "Installation ID")
        @JsonPropertyDescription("128 random bits, minted once: 26 characters of lower-case base32.")
        String installationID,

        @Required
        @Min(0) @PrinterColumn(name = "Epoch")
        @JsonPropertyDescription("The highest epoch of all shards; raised before any mutation.")
        long epoch,

        @Required @JsonPropertyDescription("Uid of the namespace kube-system: the cluster's identity.")
        String clusterUID,

        @JsonPropertyDescription("Account that the instances are in.")
        String account,

        @PrinterColumn(name = "Region") @JsonPropertyDescription("Region that the instances are in.")
        String region,

        @PrinterColumn(name = "VPC", priority = 1) @JsonPropertyDescription("VPC that the instances are in.")
        String vpc,

        @PrinterColumn(name = "Anchor", priority = 1)
        @JsonPropertyDescription("Where the same facts are kept outside the cluster; empty if nowhere.")
        String anchor,

        @JsonPropertyDescription("The installation is being taken down: nothing is launched any more.")
        boolean draining,

        @PrinterColumn(name = "Holder") @JsonPropertyDescription("Who raised the epoch last, for people.")
        String holder,

        @JsonPropertyDescription(
                "The virtual nodes of this installation, each with the incarnation that may act for it.")
        ImmutableList<Shard> shards,

        @Min(0) @JsonPropertyDescription(
                "How it is told who may act, by number: a controller that knows only lower numbers changes nothing.")
        int protocol) {

    /** Of this version: record, epoch for each shard, anchor, launch tokens with a MAC, template versions. */
    public static final int PROTOCOL = 1;

    /** As this version of Kip writes it. */
    public InstallationSpec(
            String installationID,
            long epoch,
            String clusterUID,
            String account,
            String region,
            String vpc,
            String anchor,
            boolean draining,
            String holder,
            ImmutableList<Shard> shards) {
        this(installationID, epoch, clusterUID, account, region, vpc, anchor, draining, holder, shards, PROTOCOL);
    }

    /** One virtual node and its incarnation. */
    public record Shard(
            @Required @JsonPropertyDescription("Name of the virtual node.")
            String node,

            @Required @Min(0) @JsonPropertyDescription("Epoch of the incarnation that may mutate for it.")
            long epoch,

            @JsonPropertyDescription("Who that is, for people.")
            String holder,

            @JsonPropertyDescription("Random; tells this incarnation from every other.")
            String nonce,

            @JsonPropertyDescription("Cluster and cloud may know of different pasts, and it is not settled yet.")
            boolean reconciling) {

        public Shard reconciled() {
            return new Shard(node, epoch, holder, nonce, false);
        }
    }

    public Optional<Shard> shard(String node) {
        return shards.stream().filter(shard -> shard.node().equals(node)).findFirst();
    }

    /** As taken over for one virtual node; the highest epoch and the holder follow. */
    public InstallationSpec with(Shard taken) {
        ImmutableList.Builder<Shard> all = ImmutableList.builder();
        boolean known = false;
        for (Shard shard : shards) {
            boolean same = shard.node().equals(taken.node());
            known |= same;
            all.add(same ? taken : shard);
        }
        if (!known) {
            all.add(taken);
        }
        return new InstallationSpec(
                installationID,
                Math.max(epoch, taken.epoch()),
                clusterUID,
                account,
                region,
                vpc,
                anchor,
                draining,
                taken.holder(),
                all.build(),
                protocol);
    }

    /** Without this virtual node. */
    public InstallationSpec without(String node) {
        return new InstallationSpec(
                installationID,
                epoch,
                clusterUID,
                account,
                region,
                vpc,
                anchor,
                draining,
                holder,
                shards.stream().filter(shard -> !shard.node().equals(node)).collect(ImmutableList.toImmutableList()),
                protocol);
    }

    public InstallationSpec withAnchor(String location) {
        return new InstallationSpec(
                installationID, epoch, clusterUID, account, region, vpc, location, draining, holder, shards, protocol);
    }

    public InstallationSpec withAccount(String id) {
        return new InstallationSpec(
                installationID, epoch, clusterUID, id, region, vpc, anchor, draining, holder, shards, protocol);
    }

    public InstallationSpec withDraining(boolean wanted) {
        return new InstallationSpec(
                installationID, epoch, clusterUID, account, region, vpc, anchor, wanted, holder, shards, protocol);
    }
}
