package dev.kip.controller;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.net.HostAndPort;
import dev.kip.controller.cost.BudgetSettings;
import dev.kip.controller.gc.GcSettings;
import dev.kip.controller.launch.WarmPool;
import dev.kip.kube.ObjectRef;
import java.time.Duration;
import java.util.Optional;

/**
 * What the controller is told before it starts. Checked by whoever reads the configuration; nothing here is read again.
 *
 * @param identity names this process in leader election, for example the pod's name; unique among the replicas
 * @param installation name of the Installation object
 * @param namespace of the leader election's lease and of the Secret with the installation's keys
 */
public record ControllerSettings(
        String identity,
        String installation,
        String namespace,
        NodeSettings node,
        LaunchSettings launch,
        CellSettings cells,
        OwnershipSettings ownership,
        Timing timing,
        GcSettings gc,
        BudgetSettings budget) {

    /** Names of leases and Secrets when nothing else is said. */
    public static ControllerSettings of(
            String identity, NodeSettings node, LaunchSettings launch, CellSettings cells, Timing timing) {
        return new ControllerSettings(
                identity,
                "kip",
                "kube-system",
                node,
                launch,
                cells,
                OwnershipSettings.DEFAULTS,
                timing,
                GcSettings.DEFAULTS,
                BudgetSettings.NONE);
    }

    /** The Secret with the installation's keys. */
    public ObjectRef keysSecret() {
        return new ObjectRef(namespace, installation + "-installation");
    }

    /** The same with the node's kubelet API at another port. */
    public ControllerSettings withKubeletPort(int port) {
        NodeSettings there = new NodeSettings(
                node.name(), node.taint(), node.capacity(), node.labels(), node.internalIp(), port, node.version());
        return new ControllerSettings(
                identity, installation, namespace, there, launch, cells, ownership, timing, gc, budget);
    }

    /** The same with other rules for what cluster and cloud disagree on. */
    public ControllerSettings with(OwnershipSettings other) {
        return new ControllerSettings(
                identity, installation, namespace, node, launch, cells, other, timing, gc, budget);
    }

    /** The same with other rules for garbage collection. */
    public ControllerSettings with(GcSettings other) {
        return new ControllerSettings(
                identity, installation, namespace, node, launch, cells, ownership, timing, other, budget);
    }

    /** The same with a ceiling on what cells may cost. */
    public ControllerSettings with(BudgetSettings other) {
        return new ControllerSettings(
                identity, installation, namespace, node, launch, cells, ownership, timing, gc, other);
    }

    /**
     * The virtual node.
     *
     * @param taint whether pods must tolerate {@code virtual-kubelet.io/provider=kip:NoSchedule}
     * @param capacity quantities by resource, for example {@code cpu}; allocatable is the same
     * @param labels added to those that every virtual node has
     * @param internalIp where the kubelet API of this process is reached; empty if nowhere
     * @param version of Kip, as part of the node's kubelet version
     */
    public record NodeSettings(
            String name,
            boolean taint,
            ImmutableMap<String, String> capacity,
            ImmutableMap<String, String> labels,
            Optional<String> internalIp,
            int kubeletPort,
            String version) {

        /** What the virtual node says its machines are, in Kubernetes' words. */
        public static final String ARCHITECTURE = "amd64";
    }

    /**
     * What launches have in common.
     *
     * @param vpcId the default VPC if both ids are empty
     * @param imageSpec selector of the cells' image, as the cloud understands it
     * @param defaultInstanceType of pods that ask for no resources
     * @param burstable whether pods that ask for resources may get burstable types
     * @param instanceProfile name or ARN
     * @param nametag in names and tags for people; the installation id if empty
     */
    public record LaunchSettings(
            String region,
            Optional<String> vpcId,
            Optional<String> subnetId,
            ImmutableMap<String, String> imageSpec,
            String defaultInstanceType,
            boolean burstable,
            int defaultVolumeGib,
            boolean privateIpOnly,
            ImmutableList<String> extraSecurityGroups,
            ImmutableList<String> extraCidrs,
            Optional<String> instanceProfile,
            Optional<String> nametag) {}

    /**
     * What runs on cells.
     *
     * @param agentPort where a cell's agent answers
     * @param daemonSets what becomes of pods that belong to a DaemonSet
     * @param deadMan a cell that holds a pod ends itself when no controller has reached it for so long; never if empty
     * @param inertDeadMan a cell that holds none does so after this long
     * @param warmPools inert cells that are kept for pods that are yet to come
     * @param apiServer where pods find the API server from their cells; empty if they are not told
     */
    public record CellSettings(
            int agentPort,
            DaemonSets daemonSets,
            Optional<Duration> deadMan,
            Duration inertDeadMan,
            Optional<HostAndPort> apiServer,
            ImmutableList<WarmPool> warmPools) {

        public static final int AGENT_PORT = 6421;

        /** Longer than a boot, a consistency window and a change of leader together. */
        public static final Duration INERT_DEAD_MAN = Duration.ofHours(1);

        public static CellSettings of(DaemonSets daemonSets) {
            return new CellSettings(
                    AGENT_PORT, daemonSets, Optional.empty(), INERT_DEAD_MAN, Optional.empty(), ImmutableList.of());
        }
    }

    /** Whether pods of DaemonSets get cells. */
    public enum DaemonSets {
        /** They stay Pending, with one event. */
        SKIP,
        RUN
    }

    /**
     * What is done when the cluster and the cloud disagree on who this installation is.
     *
     * @param adopt the installation that an operator has said this cluster is to take over
     */
    public record OwnershipSettings(
            Optional<String> adopt, OnClusterRecreated onClusterRecreated, OnLostKeys onLostKeys) {

        public static final OwnershipSettings DEFAULTS =
                new OwnershipSettings(Optional.empty(), OnClusterRecreated.REPORT, OnLostKeys.STOP);
    }

    /** What becomes of an installation of the same name that another cluster has left behind. */
    public enum OnClusterRecreated {
        /** This cluster gets an installation of its own; what the other left is listed with age and cost. */
        REPORT,
        /** This cluster takes it over. */
        REJOIN
    }

    /** What is done when the keys are gone while something made with them lives. */
    public enum OnLostKeys {
        /** Nothing is changed until an operator has brought them back. */
        STOP,
        /** New keys are made; what was made with the old ones runs on, cannot be told anything, and proves nothing. */
        REKEY
    }

    /**
     * Windows and time-outs.
     *
     * @param batchIdle a batch closes this long after the last arrival
     * @param batchMax and at the latest this long after the first
     * @param cloudConsistency until then the cloud may not show what it has started
     * @param cloudTimeout the longest a call to the cloud may take
     * @param kubeTimeout the longest a call to the API server may take
     * @param capacityPause how long an offering without capacity is avoided
     * @param describeBusy between looks at the instances while something is expected to change
     * @param describeIdle between looks otherwise
     * @param bootDeadline an instance whose agent does not answer by then is given up
     * @param cellLost a cell that has not answered for so long counts as suspicious: its instance is looked at more often
     * @param orphanAge between the first sight of an instance that nothing claims and its end, at least
     * @param leaseDuration of the leader election; well above both time-outs, or nothing may ever be changed
     */
    public record Timing(
            Duration batchIdle,
            Duration batchMax,
            Duration cloudConsistency,
            Duration cloudTimeout,
            Duration kubeTimeout,
            Duration capacityPause,
            Duration describeBusy,
            Duration describeIdle,
            Duration bootDeadline,
            Duration cellLost,
            Duration orphanAge,
            Duration leaseDuration) {

        public static final Timing DEFAULTS = new Timing(
                Duration.ofMillis(50),
                Duration.ofMillis(500),
                Duration.ofMinutes(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofMinutes(3),
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                Duration.ofMinutes(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofSeconds(20));

        /** For a cloud whose reads show its writes sooner than EC2 promises. */
        public Timing withCloudConsistency(Duration window) {
            return new Timing(
                    batchIdle,
                    batchMax,
                    window,
                    cloudTimeout,
                    kubeTimeout,
                    capacityPause,
                    describeBusy,
                    describeIdle,
                    bootDeadline,
                    cellLost,
                    orphanAge,
                    leaseDuration);
        }
    }
}
