package dev.kip.controller.doctor;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.controller.ControllerSettings;
import dev.kip.controller.ControllerSettings.DaemonSets;
import dev.kip.controller.inventory.Holdings;
import dev.kip.controller.inventory.Holdings.LeaseFacts;
import dev.kip.controller.inventory.Holdings.Source;
import dev.kip.controller.inventory.Inventory;
import dev.kip.controller.inventory.Row;
import dev.kip.controller.inventory.Row.Whose;
import dev.kip.controller.inventory.Texts;
import dev.kip.controller.ownership.Conditions;
import dev.kip.controller.podstatus.Explanation;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What the cluster shows. Pure. */
public final class ClusterChecks {

    private static final ImmutableSet<String> QUOTAS = ImmutableSet.of("LaunchFailedLimitReached", "VcpuQuotaReached");
    private static final Pattern VERSION = Pattern.compile("v?(\\d+)\\.(\\d+).*");

    /** A kubelet may be as old as this many minor versions behind its API server. */
    private static final int OLDEST_KUBELET = 3;

    private static final Duration CLOCK_WARNS = Duration.ofSeconds(10);
    private static final Duration CLOCK_FAILS = Duration.ofMinutes(5);

    private ClusterChecks() {}

    /**
     * Whether each right is there.
     *
     * @param who whose rights were looked at
     * @param allowed whether, or why it is not known
     */
    public static ImmutableList<Finding> rights(String who, ImmutableMap<Right, Boolean> allowed) {
        ImmutableList<Finding> missing = allowed.entrySet().stream()
                .filter(entry -> !entry.getValue())
                .map(entry -> Finding.error(
                        "rbac",
                        who + " must be allowed to " + entry.getKey().text() + ", and is not",
                        "kubectl apply -f deploy/rbac.yaml, and see that its bindings name that account"))
                .collect(ImmutableList.toImmutableList());
        return missing.isEmpty()
                ? ImmutableList.of(
                        Finding.ok("rbac", who + " has all " + allowed.size() + " rights of deploy/rbac.yaml"))
                : missing;
    }

    /**
     * Our definitions.
     *
     * @param wanted as this version makes them
     * @param found by name, as the API server has them
     */
    public static ImmutableList<Finding> definitions(
            ImmutableList<ObjectNode> wanted, ImmutableMap<String, ObjectNode> found) {
        ImmutableList.Builder<Finding> findings = ImmutableList.builder();
        for (ObjectNode definition : wanted) {
            String name = definition.path("metadata").path("name").asString("");
            Optional<ObjectNode> there = Optional.ofNullable(found.get(name));
            if (there.isEmpty()) {
                findings.add(Finding.error(
                        "crds", "CustomResourceDefinition " + name + " is missing", "kubectl apply -f deploy/crds"));
                continue;
            }
            String lacks = lacks(definition, there.get());
            findings.add(
                    lacks.isEmpty()
                            ? Finding.ok("crds", name + " is there, with all that this version writes")
                            : Finding.error(
                                    "crds",
                                    name + " is of another version: " + lacks + "; what is written there would be lost",
                                    "kubectl apply -f deploy/crds of this version"));
        }
        return findings.build();
    }

    private static String lacks(ObjectNode wanted, ObjectNode found) {
        for (JsonNode version : wanted.path("spec").path("versions")) {
            String name = version.path("name").asString("");
            Optional<JsonNode> there = version(found, name);
            if (there.isEmpty() || !there.get().path("served").asBoolean(false)) {
                return "version " + name + " is not served";
            }
            for (String part : ImmutableList.of("spec", "status")) {
                String missing = missing(fields(version, part), fields(there.get(), part));
                if (!missing.isEmpty()) {
                    return "version " + name + " has no " + part + "." + missing;
                }
            }
        }
        return "";
    }

    private static Optional<JsonNode> version(ObjectNode definition, String name) {
        for (JsonNode version : definition.path("spec").path("versions")) {
            if (version.path("name").asString("").equals(name)) {
                return Optional.of(version);
            }
        }
        return Optional.empty();
    }

    private static JsonNode fields(JsonNode version, String part) {
        return version.at("/schema/openAPIV3Schema/properties/" + part + "/properties");
    }

    private static String missing(JsonNode wanted, JsonNode found) {
        return wanted.propertyStream()
                .map(Map.Entry::getKey)
                .filter(field -> !found.has(field))
                .collect(Collectors.joining(", "));
    }

    /** The record, and who leads at which epoch. */
    public static ImmutableList<Finding> leaders(Holdings holdings) {
        ImmutableList.Builder<Finding> findings = ImmutableList.builder();
        holdings.gaps().stream()
                .filter(gap -> gap.source() != Source.CLOUD && gap.source() != Source.PRICES)
                .forEach(gap -> findings.add(Finding.error("kubernetes", gap.text(), "")));
        if (holdings.installation().isEmpty()) {
            return findings.add(Finding.unknown(
                            "leader",
                            "there is no Installation " + holdings.installationName() + ": no controller has ever led",
                            "kip run; or name the right one by installation: in provider.yaml"))
                    .build();
        }
        for (LeaseFacts lease : holdings.leases()) {
            long epoch = holdings.installation()
                    .get()
                    .spec()
                    .shard(lease.node())
                    .map(shard -> shard.epoch())
                    .orElse(holdings.installation().get().spec().epoch());
            findings.add(
                    lease.held(holdings.now())
                            ? Finding.ok(
                                    "leader", lease.holder() + " leads for node " + lease.node() + ", epoch " + epoch)
                            : Finding.error(
                                    "leader",
                                    "nobody leads for node " + lease.node()
                                            + lease.renewed()
                                                    .map(then -> "; the lease was last renewed "
                                                            + Texts.age(Duration.between(then, holdings.now()))
                                                            + " ago")
                                                    .orElse(""),
                                    "see that the controller's pod runs, and its log: kubectl -n NAMESPACE logs deploy/kip"));
        }
        holdings.installation().get().status().conditions().stream()
                .filter(condition -> condition.status().equals("False")
                        && !condition.type().equals(Conditions.ANCHORED)
                        && !condition.type().startsWith(Conditions.drained("")))
                .forEach(condition -> findings.add(Finding.error(
                        "leader",
                        condition.type() + " is False: " + condition.reason() + ": " + condition.message(),
                        "kip audit --all tells how it came to that")));
        if (holdings.installation().get().spec().draining()) {
            findings.add(Finding.warning(
                    "leader",
                    "Installation " + holdings.installationName() + " is being drained: nothing is launched any more",
                    "if that is not meant: kubectl patch installation " + holdings.installationName()
                            + " --type=merge -p '{\"spec\":{\"draining\":false}}'"));
        }
        return findings.build();
    }

    /** Each virtual node. */
    public static Finding node(String name, Optional<ObjectNode> node, String ours) {
        if (node.isEmpty()) {
            return Finding.error(
                    "node",
                    "there is no Node " + name,
                    "its controller makes it when it leads; or name another by node.name in provider.yaml");
        }
        for (JsonNode condition : node.get().path("status").path("conditions")) {
            if (condition.path("type").asString("").equals("Ready")
                    && !condition.path("status").asString("").equals("True")) {
                return Finding.error(
                        "node",
                        "Node " + name + " is not ready: "
                                + condition.path("message").asString(""),
                        "see that a controller leads for it");
            }
        }
        String version = node.get()
                .path("status")
                .path("nodeInfo")
                .path("kubeletVersion")
                .asString("");
        return version.endsWith("-kip-" + ours) || ours.equals("dev")
                ? Finding.ok("node", "Node " + name + " is ready, " + version)
                : Finding.warning(
                        "version",
                        "Node " + name + " is run by " + version + ", this is " + ours
                                + ": what it says may not be what that one does",
                        "run kip of the same version as the controller");
    }

    /** @param kubelet the version that the virtual node gives itself out for */
    public static Finding skew(String apiServer, String kubelet) {
        Optional<int[]> server = version(apiServer);
        Optional<int[]> node = version(kubelet);
        if (server.isEmpty() || node.isEmpty()) {
            return Finding.unknown("version", "API server says it is \"" + apiServer + "\"", "");
        }
        int behind = server.get()[1] - node.get()[1];
        if (server.get()[0] != node.get()[0] || behind < 0 || behind > OLDEST_KUBELET) {
            return Finding.warning(
                    "version",
                    "API server is " + apiServer + ", the virtual node stands for a kubelet " + kubelet
                            + ": Kubernetes supports kubelets of the same minor version and up to " + OLDEST_KUBELET
                            + " older",
                    "nothing fails for it as far as is known; take a version of Kip for that Kubernetes if there is one");
        }
        return Finding.ok("version", "API server " + apiServer + ", virtual node as of Kubernetes " + kubelet);
    }

    private static Optional<int[]> version(String text) {
        Matcher matcher = VERSION.matcher(text);
        return matcher.matches()
                        && matcher.group(1).length() < 6
                        && matcher.group(2).length() < 6
                ? Optional.of(new int[] {Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))})
                : Optional.empty();
    }

    /** @param theirs when it answered, by its own clock; whole seconds */
    public static Finding clock(String whose, Instant ours, Optional<Instant> theirs) {
        if (theirs.isEmpty()) {
            return Finding.unknown("clock", whose + " tells no time", "");
        }
        Duration off = Duration.between(theirs.get(), ours);
        String text = "this machine's clock is "
                + (off.abs().compareTo(Duration.ofSeconds(2)) < 0
                        ? "that of " + whose
                        : Texts.age(off.abs()) + (off.isNegative() ? " behind " : " ahead of ") + whose);
        if (off.abs().compareTo(CLOCK_FAILS) >= 0) {
            return Finding.error(
                    "clock",
                    text + ": AWS refuses requests that are signed 5 minutes off",
                    "set the clock by NTP (chronyc tracking)");
        }
        return off.abs().compareTo(CLOCK_WARNS) >= 0
                ? Finding.warning("clock", text, "set the clock by NTP (chronyc tracking)")
                : Finding.ok("clock", text);
    }

    /** DaemonSets whose pods have come to a virtual node, with the command that keeps each off it. */
    public static ImmutableList<Finding> daemonSets(
            ControllerSettings settings, ImmutableList<ObjectNode> daemonSets, ImmutableList<ObjectNode> podsOfNodes) {
        ImmutableList<ObjectNode> landed = DaemonSetPatch.landed(daemonSets, podsOfNodes);
        if (landed.isEmpty()) {
            return ImmutableList.of(Finding.ok("daemonsets", "no DaemonSet has a pod on the virtual node"));
        }
        boolean skipped = settings.cells().daemonSets() == DaemonSets.SKIP;
        return landed.stream()
                .map(set -> Finding.warning(
                        "daemonsets",
                        "DaemonSet " + Holdings.refOf(set) + " has a pod on the virtual node; "
                                + (skipped
                                        ? "it gets no cell and stays Pending"
                                        : "it costs an instance (daemonSets: run)"),
                        DaemonSetPatch.command(set)))
                .collect(ImmutableList.toImmutableList());
    }

    /** What pods are told for which reason, as far as it needs somebody. */
    public static ImmutableList<Finding> waitingPods(Holdings holdings) {
        Map<String, Integer> reasons = new TreeMap<>();
        Map<String, String> examples = new TreeMap<>();
        for (ObjectNode pod : holdings.pods()) {
            for (JsonNode condition : pod.path("status").path("conditions")) {
                String reason = condition.path("reason").asString("");
                if (condition.path("type").asString("").equals(Explanation.CONDITION)
                        && !reason.equals("DaemonSetSkipped")) {
                    reasons.merge(reason, 1, Integer::sum);
                    examples.putIfAbsent(
                            reason,
                            Holdings.refOf(pod) + ": "
                                    + condition.path("message").asString(""));
                }
            }
        }
        return reasons.entrySet().stream()
                .map(entry -> Finding.warning(
                        QUOTAS.contains(entry.getKey()) ? "quota" : "pods",
                        Texts.count(entry.getValue(), "pod") + " get no instance: " + entry.getKey() + ", for example "
                                + examples.get(entry.getKey()),
                        QUOTAS.contains(entry.getKey())
                                ? "ask for more: aws service-quotas list-service-quotas --service-code ec2, then"
                                        + " request-service-quota-increase; or take a subnet with more addresses"
                                : "kip explain POD"))
                .collect(ImmutableList.toImmutableList());
    }

    /** What costs money and is not ours to end. */
    public static ImmutableList<Finding> leftovers(Holdings holdings) {
        ImmutableList<Row> rows = Inventory.of(holdings);
        ImmutableList.Builder<Finding> findings = ImmutableList.builder();
        for (Whose whose : ImmutableList.of(Whose.SUSPECT, Whose.LEGACY)) {
            ImmutableList<Row> some = rows.stream()
                    .filter(row -> row.whose() == whose && row.costs())
                    .collect(ImmutableList.toImmutableList());
            if (!some.isEmpty()) {
                findings.add(Finding.warning(
                        "leftovers",
                        Texts.count(some.size(), whose.word() + " instance") + " for "
                                + Texts.hourlyAndMonthly(Inventory.hourlyUsd(some)) + ", which nothing ends by itself",
                        "kip cells --" + whose.word()));
            }
        }
        return findings.build();
    }
}
