package dev.kip.controller.config;

import static dev.kip.controller.config.Forms.bool;
import static dev.kip.controller.config.Forms.choice;
import static dev.kip.controller.config.Forms.dollars;
import static dev.kip.controller.config.Forms.duration;
import static dev.kip.controller.config.Forms.listOf;
import static dev.kip.controller.config.Forms.mapOf;
import static dev.kip.controller.config.Forms.optional;
import static dev.kip.controller.config.Forms.quantity;
import static dev.kip.controller.config.Forms.text;
import static dev.kip.controller.config.Forms.whole;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.ControllerSettings.CellSettings;
import dev.kip.controller.ControllerSettings.DaemonSets;
import dev.kip.controller.ControllerSettings.OnClusterRecreated;
import dev.kip.controller.ControllerSettings.OnLostKeys;
import dev.kip.controller.ControllerSettings.OwnershipSettings;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.gc.GcSettings;
import dev.kip.controller.kubelet.KubeletSettings;
import dev.kip.controller.launch.WarmPool;
import java.time.Duration;
import java.util.Optional;

/**
 * The table of keys. Reading, {@code config explain}, {@code config print-default} and docs/reference/provider-yaml.md come
 * from it. Names are the original's where the meaning is the same.
 */
public final class ProviderKeys {

    public static final Key<Optional<String>> REGION = Key.of(
                    "cloud.aws.region",
                    optional(text("a region such as us-east-1", ValueChecks::region)),
                    Optional.empty(),
                    "Region to launch in. The environment's AWS_DEFAULT_REGION, then AWS_REGION, win over it.")
            .original("the same; asked the instance metadata when nothing was set");

    public static final Key<Optional<String>> ACCESS_KEY_ID = Key.of(
                    "cloud.aws.accessKeyID",
                    optional(text("an access key id", Forms.matching("\\S+", "an access key id"))),
                    Optional.empty(),
                    "Access key. Without one the AWS SDK's default chain applies: environment, profile, web identity,"
                            + " instance profile. AWS_ACCESS_KEY_ID of the environment wins over it.")
            .original("the same")
            .hidden();

    public static final Key<Optional<String>> SECRET_ACCESS_KEY = Key.of(
                    "cloud.aws.secretAccessKey",
                    optional(text("a secret access key", Forms.matching("\\S+", "a secret access key"))),
                    Optional.empty(),
                    "Goes with accessKeyID.")
            .original("the same")
            .hidden();

    public static final Key<Optional<String>> VPC_ID = Key.of(
                    "cloud.aws.vpcID",
                    optional(text(
                            "the id of a VPC such as vpc-0a1b2c3d, or default",
                            Forms.matching(
                                    "default|vpc-[0-9a-f]{8,17}", "the id of a VPC such as vpc-0a1b2c3d, or default"))),
                    Optional.empty(),
                    "VPC of the cells. The account's default VPC if not set or \"default\".")
            .original("the same; if not set, the VPC that the controller ran in");

    public static final Key<Optional<String>> SUBNET_ID = Key.of(
                    "cloud.aws.subnetID",
                    optional(text(
                            "the id of a subnet such as subnet-0a1b2c3d",
                            Forms.matching("subnet-[0-9a-f]{8,17}", "the id of a subnet such as subnet-0a1b2c3d"))),
                    Optional.empty(),
                    "Subnet of the cells. Any subnet of the VPC if not set.")
            .original("the same; if not set, the subnet that the controller ran in");

    public static final Key<Optional<String>> ENDPOINT_URL = Key.of(
                    "cloud.aws.endpointURL",
                    optional(text("a URL such as http://127.0.0.1:5000", ValueChecks::url)),
                    Optional.empty(),
                    "Where EC2 is, for emulators and private endpoints. The flag --ec2-endpoint wins over it.")
            .original("the same");

    public static final Key<Boolean> INSECURE_TLS = Key.of(
                    "cloud.aws.insecureTLSSkipVerify",
                    bool(),
                    false,
                    "Do not check the certificate of the endpoint. For tests only.")
            .original("the same");

    public static final Key<Optional<String>> PROFILE = Key.of(
            "cloud.aws.profile",
            optional(text("the name of a profile", text -> text)),
            Optional.empty(),
            "Profile of the shared files (AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE) whose credentials are used. Not"
                    + " together with accessKeyID.");

    public static final Key<Boolean> FIPS = Key.of(
            "cloud.aws.useFIPSEndpoint",
            bool(),
            false,
            "Ask AWS at its endpoints with validated cryptography. Not together with endpoints of one's own, nor in China.");

    public static final Key<Boolean> DUAL_STACK = Key.of(
            "cloud.aws.useDualStackEndpoint",
            bool(),
            false,
            "Ask AWS at its endpoints that IPv6 reaches too. Not together with endpoints of one's own.");

    public static final Key<Duration> CONSISTENCY_WINDOW = Key.of(
            "cloud.aws.consistencyWindow",
            duration(Duration.ofSeconds(1), Duration.ofHours(1)),
            Timing.DEFAULTS.cloudConsistency(),
            "How long EC2 may take to show what it has started. A launch whose answer was lost is looked for until then."
                    + " Shorten it only for an emulator.");

    public static final Key<Optional<String>> EVENT_QUEUE = Key.of(
            "cloud.aws.eventQueueURL",
            optional(text("the URL of an SQS queue", ValueChecks::url)),
            Optional.empty(),
            "SQS queue that EventBridge puts EC2's spot interruption warnings, rebalance recommendations and state changes"
                    + " into. Each virtual node needs one of its own; it is tagged when it is first read. Without one, what"
                    + " changes is seen when the instances are next listed, and nobody is warned of an interruption.");

    public static final Key<Optional<String>> EVENT_QUEUE_ENDPOINT = Key.of(
            "cloud.aws.eventQueueEndpointURL",
            optional(text("a URL such as http://127.0.0.1:5000", ValueChecks::url)),
            Optional.empty(),
            "Where SQS is, for emulators and private endpoints.");

    public static final Key<Optional<String>> IMAGE_OWNERS = Key.of(
                    "cells.bootImageSpec.owners",
                    optional(text("account ids or names, separated by spaces", text -> text)),
                    Optional.empty(),
                    "Owners of the cells' image. With no key of bootImageSpec set, the newest image named kip-cell-* of the"
                            + " own account is taken for each architecture.")
            .original("the same; by default the images of the original's vendor");

    public static final Key<Optional<String>> IMAGE_EXECUTABLE_USERS = Key.of(
                    "cells.bootImageSpec.executableUsers",
                    optional(text("account ids or names, separated by spaces", text -> text)),
                    Optional.empty(),
                    "Who may launch the image.")
            .original("the same");

    public static final Key<Optional<String>> IMAGE_IDS = Key.of(
                    "cells.bootImageSpec.imageIDs",
                    optional(text("ids such as ami-0a1b2c3d, separated by spaces", ValueChecks::imageIds)),
                    Optional.empty(),
                    "Ids of images.")
            .original("the same");

    public static final Key<Optional<String>> IMAGE_FILTERS = Key.of(
                    "cells.bootImageSpec.filters",
                    optional(text("filters such as name=kip-cell-*, separated by spaces", ValueChecks::imageFilters)),
                    Optional.empty(),
                    "Filters of EC2's DescribeImages, each name=value or name=value,value.")
            .original("the same");

    public static final Key<Optional<String>> IMAGE_PARAMETERS = Key.of(
            "cells.bootImageSpec.ssmParameters",
            optional(text(
                    "names of parameters such as /kip/cell/amd64, separated by spaces", ValueChecks::imageParameters)),
            Optional.empty(),
            "Parameters of Systems Manager's Parameter Store that hold ids of images, one for each architecture, at most ten."
                    + " Read again with everything else that can be launched; with :VERSION or :LABEL at its end a name"
                    + " stands still. Needs iam-policy-images.json.");

    public static final Key<String> DEFAULT_INSTANCE_TYPE = Key.of(
                    "cells.defaultInstanceType",
                    text(
                            "an instance type such as t3.nano",
                            Forms.matching("[a-z][a-z0-9-]*\\.[a-z0-9-]+", "an instance type such as t3.nano")),
                    "t3.nano",
                    "Instance type of pods that ask for no resources.")
            .original("the same; had to be set");

    public static final Key<Boolean> BURSTABLE = Key.of(
            "cells.burstable",
            bool(),
            false,
            "Whether pods that ask for resources may get burstable instance types (t2, t3, t3a, t4g), whose CPU is slowed down, or"
                    + " charged for, when it is used for long. Those that name such a type get it all the same, and"
                    + " cells.defaultInstanceType may be one.");

    public static final Key<String> DEFAULT_VOLUME_SIZE = Key.of(
                    "cells.defaultVolumeSize",
                    quantity("5Gi, from 1Gi to 64Ti", ValueChecks::volumeSize),
                    "5Gi",
                    "Size of a cell's root volume, rounded up to whole GiB; the image's own size if that is larger.")
            .original("the same");

    public static final Key<ImmutableList<String>> EXTRA_CIDRS = Key.of(
                    "cells.extraCIDRs",
                    listOf(text("an IPv4 range such as 10.0.0.0/8", ValueChecks::cidr)),
                    ImmutableList.of(),
                    "Ranges, besides the VPC's, that may reach the cells.")
            .original("the same");

    public static final Key<ImmutableList<String>> EXTRA_SECURITY_GROUPS = Key.of(
                    "cells.extraSecurityGroups",
                    listOf(text(
                            "the id of a security group such as sg-0a1b2c3d",
                            Forms.matching(
                                    "sg-[0-9a-f]{8,17}",
                                    "the id of a security group such as sg-0a1b2c3d; a name will not do"))),
                    ImmutableList.of(),
                    "Security groups of every cell, besides Kip's own.")
            .original("the same");

    public static final Key<Optional<String>> NAMETAG = Key.of(
                    "cells.nametag",
                    optional(text(
                            "a lower-case word of at most 24 letters, digits and dashes",
                            Forms.matching(
                                    "[a-z]([a-z0-9-]{0,22}[a-z0-9])?",
                                    "a lower-case word of at most 24 letters, digits and dashes"))),
                    Optional.empty(),
                    "In names and tags of what Kip makes, for people. The installation id if not set.")
            .original("the same");

    public static final Key<Boolean> PRIVATE_IP_ONLY = Key.of(
                    "cells.privateIPOnly", bool(), false, "Give no cell a public address.")
            .original("the same");

    public static final Key<Optional<String>> DEFAULT_IAM_PERMISSIONS = Key.of(
                    "cells.defaultIAMPermissions",
                    optional(text("the name or ARN of an instance profile", ValueChecks::instanceProfile)),
                    Optional.empty(),
                    "Instance profile of the cells.")
            .original("the same");

    public static final Key<Integer> AGENT_PORT = Key.of(
            "cells.agentPort",
            whole(1, 65535),
            CellSettings.AGENT_PORT,
            "Where the agent of a cell answers the controller.");

    public static final Key<Optional<String>> ADDRESS_MAP = Key.of(
            "cells.addressMap",
            optional(text("the path of a file", text -> text)),
            Optional.empty(),
            "File that says where cells are dialled instead of at their own addresses: a JSON object from instance id or"
                    + " private address to host:port. Only for emulated instances; start-up warns about it.");

    public static final Key<Duration> BOOT_DEADLINE = Key.of(
            "cells.bootDeadline",
            duration(Duration.ofSeconds(10), Duration.ofHours(2)),
            Timing.DEFAULTS.bootDeadline(),
            "An instance whose agent has not answered by then is given up and replaced.");

    public static final Key<Optional<Duration>> DEAD_MAN = Key.of(
            "cells.deadMan",
            optional(duration(Duration.ofMinutes(5), Duration.ofDays(30))),
            Optional.empty(),
            "A cell with a pod shuts down, and so terminates, when no controller has reached it for this long. Never if not"
                    + " set: pods then outlive any absence of the controller, and cost until somebody ends them.");

    public static final Key<Duration> INERT_DEAD_MAN = Key.of(
            "cells.inertDeadMan",
            duration(Duration.ofMinutes(15), Duration.ofDays(1)),
            CellSettings.INERT_DEAD_MAN,
            "The same for a cell that was never handed a pod: what a controller launched and no controller claims ends by"
                    + " itself.");

    public static final Key<Optional<String>> API_SERVER = Key.of(
            "cells.apiServer",
            optional(text("host:port", ValueChecks::hostAndPort)),
            Optional.empty(),
            "Where pods find the API server from their cells: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT of their"
                    + " containers. The cluster's service addresses are not reached from a cell. Not told if not set.");

    public static final Key<Optional<String>> WARM_POOL = Key.of(
            "cells.warmPool",
            optional(text(WarmPool.WANTED, ValueChecks::warmPool)),
            Optional.empty(),
            "Running cells without a pod that are kept ready: a pod for which one of this type and market would be launched"
                    + " gets it at once, and another takes its place. They cost what they cost with a pod. Days and times,"
                    + " in UTC if no zone is named, say when; without them it is always. kip cells lists them.");

    public static final Key<Boolean> GC_ENABLED = Key.of(
            "gc.enabled",
            bool(),
            true,
            "End instances that are provably this installation's and that nothing claims. If false they are only shown.");

    public static final Key<Boolean> GC_DRY_RUN =
            Key.of("gc.dryRun", bool(), false, "Say which instances would be ended, with the proof, and end none.");

    public static final Key<Integer> GC_MAX_COUNT = Key.of(
            "gc.maxCount",
            whole(0, 1000),
            GcSettings.DEFAULTS.maxCount(),
            "So many unclaimed instances may be ended within gc.window, or gc.maxPercent of the cells if that is more. What"
                    + " is beyond waits, with an alarm.");

    public static final Key<Integer> GC_MAX_PERCENT =
            Key.of("gc.maxPercent", whole(0, 100), GcSettings.DEFAULTS.maxPercent(), "See gc.maxCount.");

    public static final Key<Duration> GC_WINDOW = Key.of(
            "gc.window",
            duration(Duration.ofSeconds(10), Duration.ofDays(1)),
            GcSettings.DEFAULTS.window(),
            "See gc.maxCount.");

    public static final Key<Duration> GC_QUARANTINE = Key.of(
            "gc.quarantine",
            duration(Duration.ZERO, Duration.ofDays(1)),
            GcSettings.DEFAULTS.quarantine(),
            "An unclaimed instance is tagged kip.elotl.co/gc-candidate and ended after this long at the earliest: the time"
                    + " in which somebody may object.");

    public static final Key<DaemonSets> DAEMON_SETS = Key.of(
            "daemonSets",
            choice(ImmutableMap.of("skip", DaemonSets.SKIP, "run", DaemonSets.RUN)),
            DaemonSets.SKIP,
            "Whether pods of DaemonSets get cells. \"skip\" leaves them Pending with an event that says why.");

    public static final Key<String> NODE_NAME = Key.of(
            "node.name",
            text("the name of a node", ValueChecks.dnsName("the name of a node")),
            "virtual-kubelet",
            "Name of the virtual node. The flag --node-name wins over it.");

    public static final Key<Boolean> NODE_TAINT = Key.of(
            "node.taint",
            bool(),
            true,
            "Put the taint virtual-kubelet.io/provider=kip:NoSchedule on the node, so that only pods that tolerate it"
                    + " come.");

    public static final Key<Optional<String>> NODE_INTERNAL_IP = Key.of(
            "node.internalIP",
            optional(text("an IPv4 or IPv6 address", ValueChecks::address)),
            Optional.empty(),
            "The node's InternalIP. The environment's VKUBELET_POD_IP, then POD_IP, if not set.");

    public static final Key<Optional<String>> BUDGET = Key.of(
            "budget.hourlyUSD",
            optional(dollars()),
            Optional.empty(),
            "What the instances of this node's pods may cost an hour together, by list prices, and spot by the zone's price."
                    + " A pod whose instance would go over it waits, with an event, until there is room; nothing that runs is"
                    + " ended. No ceiling if not set.");

    public static final Key<ImmutableMap<String, String>> NAMESPACE_BUDGETS = Key.of(
            "budget.namespaces",
            mapOf("a namespace", ValueChecks.dnsName("a namespace"), dollars()),
            ImmutableMap.of(),
            "The same for the pods of single namespaces, besides budget.hourlyUSD.");

    public static final Key<ImmutableMap<String, String>> CAPACITY = Key.of(
                    "kubelet.capacity",
                    mapOf("a resource", ValueChecks::resourceName, quantity("20 or 100Gi", text -> text)),
                    ImmutableMap.of("cpu", "20", "memory", "100Gi", "pods", "20"),
                    "Capacity of the virtual node, put over the defaults one by one; allocatable is the same.")
            .original("the same");

    public static final Key<ImmutableMap<String, String>> LABELS = Key.of(
                    "kubelet.labels",
                    mapOf("a label's key", ValueChecks::labelKey, Forms.labelValue()),
                    ImmutableMap.of(),
                    "Labels of the virtual node, besides those that every virtual node has.")
            .original("the same");

    public static final Key<Integer> KUBELET_PORT = Key.of(
            "kubelet.port",
            whole(0, 65535),
            KubeletSettings.DEFAULTS.port(),
            "Where the virtual node's kubelet API answers (kubectl logs, exec, attach, port-forward, top); 0 for a free"
                    + " port. The API server must reach it at the node's InternalIP.");

    public static final Key<Optional<String>> KUBELET_CLIENT_CA = Key.of(
            "kubelet.clientCAFile",
            optional(text("the path of a file", text -> text)),
            Optional.empty(),
            "PEM file with the authority that signs the client certificates of kubelets' callers, the API server first."
                    + " Without it only bearer tokens are accepted. Read again when it changes.");

    public static final Key<Optional<String>> KUBELET_CERTIFICATE = Key.of(
            "kubelet.tlsCertFile",
            optional(text("the path of a file", text -> text)),
            Optional.empty(),
            "PEM file with the certificate that the kubelet API serves, then its intermediates. Without it the controller"
                    + " signs one itself. Read again when it changes.");

    public static final Key<Optional<String>> KUBELET_KEY = Key.of(
            "kubelet.tlsPrivateKeyFile",
            optional(text("the path of a file", text -> text)),
            Optional.empty(),
            "PEM file with the key of tlsCertFile.");

    public static final Key<Boolean> KUBELET_BOOTSTRAP = Key.of(
            "kubelet.serverTLSBootstrap",
            bool(),
            false,
            "Ask the cluster for the serving certificate (CertificateSigningRequest, signer"
                    + " kubernetes.io/kubelet-serving), at each start and before it ends. Somebody must approve it. Not"
                    + " together with tlsCertFile.");

    public static final Key<Duration> KUBELET_IDLE = Key.of(
            "kubelet.streamIdleTimeout",
            duration(Duration.ofSeconds(10), Duration.ofDays(7)),
            KubeletSettings.DEFAULTS.idle(),
            "A stream of exec, attach or port-forward on which nothing moves for so long is cut.");

    public static final Key<Integer> KUBELET_MAX_STREAMS = Key.of(
            "kubelet.maxStreams",
            whole(1, 4000),
            KubeletSettings.DEFAULTS.maxStreams(),
            "Streams and logs open at a time; what is beyond is answered 503.");

    public static final Key<Duration> LEASE_DURATION = Key.of(
            "leaderElection.leaseDuration",
            // No call is sent that could outlast the lease: within less than a call's time-out nothing could be done.
            duration(Duration.ofSeconds(15), Duration.ofMinutes(10)),
            Timing.DEFAULTS.leaseDuration(),
            "How long a leader that has vanished is waited for before another replica takes over.");

    public static final Key<String> NAMESPACE = Key.of(
            "namespace",
            text("the name of a namespace", ValueChecks.dnsName("the name of a namespace")),
            "kube-system",
            "Namespace of the leader election's lease and of the Secret with the installation's keys.");

    public static final Key<String> INSTALLATION = Key.of(
            "installation",
            text("a name", ValueChecks.dnsName("a name")),
            "kip",
            "Name of the Installation object. Two installations in one cluster need two names.");

    public static final Key<Optional<String>> ANCHOR = Key.of(
            "ownership.anchor",
            optional(text(
                    "a place such as s3://bucket/prefix or dynamodb://table",
                    Forms.matching("(s3|dynamodb)://\\S+", "a place such as s3://bucket/prefix or dynamodb://table"))),
            Optional.empty(),
            "Where the installation's identity, keys and epochs are kept outside the cluster. Without it, the loss of the"
                    + " Secret, a restored or cloned etcd and a re-created cluster are not survived.");

    public static final Key<Optional<String>> ANCHOR_ENDPOINT = Key.of(
            "ownership.anchorEndpointURL",
            optional(text("a URL", ValueChecks::url)),
            Optional.empty(),
            "Asks this endpoint for the anchor instead of AWS.");

    public static final Key<Optional<String>> ADOPT_INSTALLATION = Key.of(
            "ownership.adoptInstallation",
            optional(text(
                    "an installation id",
                    Forms.matching("[a-z2-7]{26}", "an installation id: 26 letters and digits 2 to 7"))),
            Optional.empty(),
            "Id of an installation that another cluster has left behind and that this one is to take over. Needs the"
                    + " anchor that has it.");

    public static final Key<OnClusterRecreated> ON_CLUSTER_RECREATED = Key.of(
            "ownership.onClusterRecreated",
            choice(ImmutableMap.of("report", OnClusterRecreated.REPORT, "rejoin", OnClusterRecreated.REJOIN)),
            OwnershipSettings.DEFAULTS.onClusterRecreated(),
            "What is done when the anchor knows an installation of this name in another cluster, and this cluster has"
                    + " none: \"report\" begins a new one and lists what the other has left, \"rejoin\" takes it over once nobody acts"
                    + " for it: clusters that live side by side with one anchor need installations or nodes of different names then.");

    public static final Key<OnLostKeys> ON_LOST_KEYS = Key.of(
            "ownership.onLostKeys",
            choice(ImmutableMap.of("stop", OnLostKeys.STOP, "rekey", OnLostKeys.REKEY)),
            OwnershipSettings.DEFAULTS.onLostKeys(),
            "What is done when the Secret with the keys is gone, no anchor has them, and instances made with them live:"
                    + " \"stop\" changes nothing until the Secret is back, \"rekey\" makes new keys; what runs then runs on,"
                    + " but is never again told anything, nor ended unless a Cell names it.");

    private static final ImmutableList<Key<?>> ALL = ImmutableList.of(
            REGION,
            ACCESS_KEY_ID,
            SECRET_ACCESS_KEY,
            VPC_ID,
            SUBNET_ID,
            ENDPOINT_URL,
            INSECURE_TLS,
            PROFILE,
            FIPS,
            DUAL_STACK,
            CONSISTENCY_WINDOW,
            EVENT_QUEUE,
            EVENT_QUEUE_ENDPOINT,
            IMAGE_OWNERS,
            IMAGE_EXECUTABLE_USERS,
            IMAGE_IDS,
            IMAGE_FILTERS,
            IMAGE_PARAMETERS,
            DEFAULT_INSTANCE_TYPE,
            BURSTABLE,
            DEFAULT_VOLUME_SIZE,
            EXTRA_CIDRS,
            EXTRA_SECURITY_GROUPS,
            NAMETAG,
            PRIVATE_IP_ONLY,
            DEFAULT_IAM_PERMISSIONS,
            AGENT_PORT,
            ADDRESS_MAP,
            BOOT_DEADLINE,
            DEAD_MAN,
            INERT_DEAD_MAN,
            API_SERVER,
            WARM_POOL,
            GC_ENABLED,
            GC_DRY_RUN,
            GC_MAX_COUNT,
            GC_MAX_PERCENT,
            GC_WINDOW,
            GC_QUARANTINE,
            BUDGET,
            NAMESPACE_BUDGETS,
            CAPACITY,
            LABELS,
            KUBELET_PORT,
            KUBELET_CLIENT_CA,
            KUBELET_CERTIFICATE,
            KUBELET_KEY,
            KUBELET_BOOTSTRAP,
            KUBELET_IDLE,
            KUBELET_MAX_STREAMS,
            DAEMON_SETS,
            NODE_NAME,
            NODE_TAINT,
            NODE_INTERNAL_IP,
            LEASE_DURATION,
            NAMESPACE,
            INSTALLATION,
            ANCHOR,
            ANCHOR_ENDPOINT,
            ADOPT_INSTALLATION,
            ON_CLUSTER_RECREATED,
            ON_LOST_KEYS);

    private ProviderKeys() {}

    /** In the order of the reference; keys of one section are neighbours. */
    public static ImmutableList<Key<?>> all() {
        return ALL;
    }

    /** The key with this path, or the one that {@code path} leads into, such as an item of a list. */
    public static Optional<Key<?>> find(String path) {
        return ALL.stream()
                .filter(key -> path.equals(key.path())
                        || path.startsWith(key.path() + ".")
                        || path.startsWith(key.path() + "["))
                .findFirst()
                .map(key -> key);
    }
}
