package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.http.Forwarder;
import dev.kip.http.Forwarder.Onward;
import dev.kip.http.HttpCall;
import dev.kip.sim.apiserver.ResourceUse.Use;
import dev.kip.sim.apiserver.selector.BadSelector;
import dev.kip.sim.apiserver.selector.LabelSelector;
import dev.kip.sim.apiserver.store.Versioned;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code metrics.k8s.io}, as a metrics-server beside the API server serves it: asks each node that announces a kubelet for
 * {@code /metrics/resource} every 15 s. Nothing of the group is served until nodes can be reached.
 */
final class MetricsApi {

    private static final String GROUP = "metrics.k8s.io";
    private static final String VERSION = "v1beta1";
    private static final Duration INTERVAL = Duration.ofSeconds(15);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int MOST_BYTES = 256 << 20;
    private static final ImmutableList<String> VERBS = ImmutableList.of("get", "list");

    private static final ResourceType NODES = type("NodeMetrics", "nodes", false);
    private static final ResourceType PODS = type("PodMetrics", "pods", true);

    private final Core core;
    private final Map<String, ResourceUse> byNode = new LinkedHashMap<>();
    private Optional<Forwarder> nodes = Optional.empty();

    MetricsApi(Core core) {
        this.core = core;
    }

    private static ResourceType type(String kind, String plural, boolean namespaced) {
        return new ResourceType(
                GROUP,
                VERSION,
                kind,
                plural,
                "",
                namespaced,
                ImmutableList.of(),
                ImmutableList.of(),
                VERBS,
                ImmutableList.of());
    }

    void gatherFrom(Forwarder forwarder) {
        boolean first = nodes.isEmpty();
        nodes = Optional.of(forwarder);
        if (first) {
            core.loop().post(this::gather);
        }
    }

    /** What discovery shows of it. */
    ImmutableList<ResourceType> types() {
        return nodes.isEmpty() ? ImmutableList.of() : ImmutableList.of(NODES, PODS);
    }

    boolean serves(ImmutableList<String> segments) {
        return nodes.isPresent()
                && segments.size() > 3
                && segments.get(0).equals("apis")
                && segments.get(1).equals(GROUP)
                && segments.get(2).equals(VERSION);
    }

    private void gather() {
        core.loop().after(INTERVAL, this::gather);
        ImmutableList<Versioned> all =
                ImmutableList.copyOf(core.resource("", "nodes").shelf().now().values());
        byNode.keySet().retainAll(all.stream().map(MetricsApi::name).collect(ImmutableSet.toImmutableSet()));
        for (Versioned node : all) {
            Optional<String> host = NodeStreams.address(node.object());
            int port = node.object()
                    .at("/status/daemonEndpoints/kubeletEndpoint/Port")
                    .asInt(0);
            if (host.isPresent() && port > 0) {
                Onward onward = Onward.to(host.get(), port, "/metrics/resource", "the kubelet of node " + name(node));
                nodes.orElseThrow()
                        .fetch(onward, PATIENCE, MOST_BYTES)
                        .thenAccept(outcome -> outcome.value()
                                .ifPresent(text -> byNode.computeIfAbsent(name(node), none -> new ResourceUse())
                                        .take(text, core.loop().now())));
            }
        }
    }

    private static String name(Versioned object) {
        return object.object().path("metadata").path("name").asString("");
    }

    void answer(HttpCall call, ImmutableList<String> segments) {
        if (!call.method().equals("GET") && !call.method().equals("HEAD")) {
            throw Failures.methodNotAllowed();
        }
        ImmutableList<String> rest = segments.subList(3, segments.size());
        String what = String.join("/", rest);
        if (what.equals("nodes")) {
            Answers.json(call, 200, list(call, "NodeMetrics", core.resource("", "nodes"), ""));
        } else if (rest.size() == 2 && rest.get(0).equals("nodes")) {
            Answers.json(call, 200, one(core.resource("", "nodes"), "", rest.get(1), NODES, rest.get(1)));
        } else if (what.equals("pods")) {
            Answers.json(call, 200, list(call, "PodMetrics", core.resource("", "pods"), ""));
        } else if (rest.size() == 3
                && rest.get(0).equals("namespaces")
                && rest.get(2).equals("pods")) {
            Answers.json(call, 200, list(call, "PodMetrics", core.resource("", "pods"), rest.get(1)));
        } else if (rest.size() == 4
                && rest.get(0).equals("namespaces")
                && rest.get(2).equals("pods")) {
            String whole = rest.get(1) + "/" + rest.get(3);
            Answers.json(call, 200, one(core.resource("", "pods"), rest.get(1), rest.get(3), PODS, whole));
        } else {
            throw Failures.noSuchResource();
        }
    }

    private ObjectNode list(HttpCall call, String kind, Resource of, String namespace) {
        LabelSelector selector;
        try {
            selector = LabelSelector.parse(call.parameter("labelSelector").orElse(""));
        } catch (BadSelector e) {
            throw Failures.badRequest(e.text());
        }
        ObjectNode list = core.emptyObject().put("kind", kind + "List").put("apiVersion", GROUP + "/" + VERSION);
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        for (Versioned each : of.shelf().now().values()) {
            ObjectNode object = each.object();
            boolean inside = namespace.isEmpty()
                    || object.path("metadata").path("namespace").asString("").equals(namespace);
            if (inside && selector.matches(object.path("metadata").path("labels"))) {
                measured(of, object).ifPresent(found -> {
                    found.remove("kind"); // of the list
                    found.remove("apiVersion");
                    items.add(found);
                });
            }
        }
        return list;
    }

    private ObjectNode one(Resource of, String namespace, String name, ResourceType type, String whole) {
        return of.find(namespace, name)
                .flatMap(found -> measured(of, found.object()))
                .orElseThrow(() -> Failures.notFound(type, whole));
    }

    private Optional<ObjectNode> measured(Resource of, ObjectNode object) {
        return of.type().plural().equals("nodes") ? node(object) : pod(object);
    }

    private Optional<ObjectNode> node(ObjectNode node) {
        return Optional.ofNullable(byNode.get(node.path("metadata").path("name").asString("")))
                .flatMap(ResourceUse::node)
                .map(use -> {
                    ObjectNode metrics = head("NodeMetrics", node, use);
                    usage(metrics, use);
                    return metrics;
                });
    }

    /** As metrics-server: all of its containers or nothing. */
    private Optional<ObjectNode> pod(ObjectNode pod) {
        String namespace = pod.path("metadata").path("namespace").asString("");
        String name = pod.path("metadata").path("name").asString("");
        Optional<ResourceUse> there =
                Optional.ofNullable(byNode.get(pod.path("spec").path("nodeName").asString("")));
        List<String> names =
                there.map(found -> found.containersOf(namespace, name)).orElse(ImmutableList.of());
        List<Use> uses = new ArrayList<>();
        names.forEach(
                container -> there.get().container(namespace, name, container).ifPresent(uses::add));
        if (uses.isEmpty() || uses.size() < names.size()) {
            return Optional.empty();
        }
        ObjectNode metrics = head("PodMetrics", pod, uses.get(0));
        ArrayNode containers = metrics.putArray("containers");
        for (int at = 0; at < names.size(); at++) {
            usage(containers.addObject().put("name", names.get(at)), uses.get(at));
        }
        return Optional.of(metrics);
    }

    private ObjectNode head(String kind, ObjectNode of, Use use) {
        ObjectNode metrics = core.emptyObject().put("kind", kind).put("apiVersion", GROUP + "/" + VERSION);
        ObjectNode metadata = metrics.putObject("metadata");
        metadata.set("name", of.path("metadata").path("name"));
        if (of.path("metadata").has("namespace")) {
            metadata.set("namespace", of.path("metadata").path("namespace"));
        }
        metadata.put("creationTimestamp", core.timestamp());
        if (of.path("metadata").has("labels")) {
            metadata.set("labels", of.path("metadata").path("labels"));
        }
        metrics.put("timestamp", use.at().truncatedTo(ChronoUnit.SECONDS).toString());
        metrics.put("window", seconds(use.window()));
        return metrics;
    }

    /** As Go prints a duration of seconds. */
    private static String seconds(Duration window) {
        String fraction =
                String.format(Locale.ROOT, "%03d", window.toMillisPart()).replaceAll("0+$", "");
        String seconds = window.toSecondsPart() + (fraction.isEmpty() ? "" : "." + fraction) + "s";
        return window.toMinutes() > 0 ? window.toMinutes() + "m" + seconds : seconds;
    }

    private static void usage(ObjectNode into, Use use) {
        into.putObject("usage")
                .put("cpu", quantity(use.nanoCores(), 1000, "n", "u", "m", ""))
                .put("memory", quantity(use.bytes(), 1024, "", "Ki", "Mi", "Gi"));
    }

    /** With the largest suffix that leaves a whole number, as the real server writes it. */
    private static String quantity(long amount, int step, String... suffixes) {
        int at = 0;
        long number = amount;
        while (number != 0 && number % step == 0 && at < suffixes.length - 1) {
            number /= step;
            at++;
        }
        return number == 0 ? "0" : number + suffixes[at];
    }
}
