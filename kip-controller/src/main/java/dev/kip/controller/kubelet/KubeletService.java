package dev.kip.controller.kubelet;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.kubelet.CellKubelets.Place;
import dev.kip.controller.kubelet.Route.Kind;
import dev.kip.http.Forwarder;
import dev.kip.http.Forwarder.Forwarded;
import dev.kip.http.Forwarder.Onward;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeApi;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import dev.kip.loop.Loop;
import dev.kip.outcome.Outcome;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The kubelet API of the virtual node. What is asked of a pod is handed on to the kubelet of its cell, whose answer it is;
 * what is asked of the node is gathered. Confined to the loop.
 */
public final class KubeletService implements HttpService {

    private static final ResourceKind<ObjectNode> PODS = Kinds.PODS.as(Codecs.tree());
    private static final int PAGE = 500;
    private static final ImmutableMap<String, String> JSON = ImmutableMap.of("content-type", "application/json");

    private final KubeApi kube;
    private final CellKubelets cells;
    private final HttpService metrics;
    private final String node;
    private final int maxStreams;
    private final Gatekeeper gatekeeper;
    private final Figures figures;
    private int streams;

    /** @param metrics answers {@code /metrics} */
    public KubeletService(
            Loop loop, KubeApi kube, CellKubelets cells, HttpService metrics, String node, int maxStreams) {
        this.kube = kube;
        this.cells = cells;
        this.metrics = metrics;
        this.node = node;
        this.maxStreams = maxStreams;
        this.gatekeeper = new Gatekeeper(loop, kube, node);
        this.figures = new Figures(loop, cells, node, this::pods);
    }

    /** Calls handed on and not over yet. */
    public int streams() {
        return streams;
    }

    @Override
    public void handle(HttpCall call) {
        gatekeeper.examine(call, refused -> {
            if (refused.isPresent()) {
                text(call, refused.get().status(), refused.get().message());
            } else {
                answer(call, Route.of(call.method(), call.rawPath()));
            }
        });
    }

    private void answer(HttpCall call, Route route) {
        if (route instanceof Route.OfPod asked) {
            find(call, asked);
        } else if (route instanceof Route.Health) {
            text(call, 200, "ok");
        } else if (route instanceof Route.Pods) {
            pods(call, all -> true);
        } else if (route instanceof Route.RunningPods) {
            pods(call, pod -> pod.path("status").path("phase").asString("").equals("Running"));
        } else if (route instanceof Route.Summary) {
            figures.summary(made -> made.on(
                    summary -> call.respond(200, JSON, summary.getBytes(UTF_8)), error -> text(call, 500, error)));
        } else if (route instanceof Route.ResourceMetrics) {
            figures.metrics(made -> made.on(lines -> text(call, 200, lines), error -> text(call, 500, error)));
        } else if (route instanceof Route.OwnMetrics) {
            metrics.handle(call);
        } else if (route instanceof Route.WrongMethod) {
            text(call, 405, "405: Method Not Allowed");
        } else {
            text(call, 404, "404 page not found\n");
        }
    }

    private void pods(HttpCall call, Predicate<ObjectNode> which) {
        pods(outcome -> outcome.on(
                all -> call.respond(
                        200,
                        JSON,
                        list(all.stream().filter(which).collect(ImmutableList.toImmutableList()))
                                .toString()
                                .getBytes(UTF_8)),
                error -> text(call, 500, error)));
    }

    /** Of the API server, since the controller keeps no whole pods. */
    private void pods(Consumer<Outcome<ImmutableList<ObjectNode>, String>> found) {
        page(ListQuery.ALL.fields("spec.nodeName=" + node).limit(PAGE), new ArrayList<>(), found);
    }

    private void page(
            ListQuery query, List<ObjectNode> so, Consumer<Outcome<ImmutableList<ObjectNode>, String>> found) {
        kube.list(PODS, query)
                .thenAccept(outcome -> outcome.on(
                        page -> {
                            so.addAll(page.items());
                            if (page.continueToken().isEmpty()) {
                                found.accept(Outcome.ok(ImmutableList.copyOf(so)));
                            } else {
                                page(query.continuing(page.continueToken()), so, found);
                            }
                        },
                        error -> found.accept(Outcome.failed("the pods cannot be listed: " + error.message() + "\n"))));
    }

    private static ObjectNode list(ImmutableList<ObjectNode> pods) {
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("kind", "PodList").put("apiVersion", "v1").putObject("metadata");
        ArrayNode items = list.putArray("items");
        pods.forEach(items::add);
        return list;
    }

    private void find(HttpCall call, Route.OfPod asked) {
        kube.get(PODS, new ObjectRef(asked.namespace(), asked.pod()))
                .thenAccept(outcome -> outcome.on(
                        pod -> {
                            if (pod.path("spec").path("nodeName").asString("").equals(node)) {
                                check(call, asked, pod);
                            } else {
                                noPod(call, asked);
                            }
                        },
                        error -> {
                            if (error instanceof KubeError.NotFound) {
                                noPod(call, asked);
                            } else {
                                text(call, 500, "the pod cannot be read: " + error.message() + "\n");
                            }
                        }));
    }

    private void check(HttpCall call, Route.OfPod asked, ObjectNode pod) {
        if (asked.kind() != Kind.PORT_FORWARD && !hasContainer(pod, asked.container())) {
            noContainer(call, asked);
            return;
        }
        Optional<Place> place = cells.find(pod.path("metadata").path("uid").asString(""));
        Optional<Forwarder> way = place.flatMap(cells::way);
        if (way.isEmpty()) {
            notThere(call, asked);
        } else if (streams >= maxStreams) {
            text(call, 503, "there are " + maxStreams + " streams to the node's pods already (kubelet.maxStreams)\n");
        } else {
            handOn(call, asked, place.get(), way.get());
        }
    }

    private void handOn(HttpCall call, Route.OfPod asked, Place place, Forwarder way) {
        streams++;
        Onward onward = Onward.to(
                        place.host(),
                        place.port(),
                        uri(call, asked, place.podName()),
                        "the kubelet of cell " + place.instanceId())
                .problems((status, text) -> text.replace(place.podName(), asked.pod()));
        Runnable[] release = {() -> {}};
        Forwarded forwarded = way.forward(call, onward, () -> {
            streams--;
            release[0].run();
        });
        release[0] = cells.holds(place, forwarded);
    }

    static String uri(HttpCall call, Route.OfPod asked, String podName) {
        StringBuilder uri = new StringBuilder("/")
                .append(asked.kind().path())
                .append('/')
                .append(asked.namespace())
                .append('/')
                .append(podName);
        asked.rest().forEach(segment -> uri.append('/').append(segment));
        String before = "?";
        for (Map.Entry<String, String> parameter : call.query().entries()) {
            uri.append(before)
                    .append(URLEncoder.encode(parameter.getKey(), UTF_8))
                    .append('=')
                    .append(URLEncoder.encode(parameter.getValue(), UTF_8));
            before = "&";
        }
        return uri.toString();
    }

    private static boolean hasContainer(ObjectNode pod, String name) {
        for (String list : ImmutableList.of("containers", "initContainers", "ephemeralContainers")) {
            for (JsonNode container : pod.path("spec").path(list)) {
                if (container.path("name").asString("").equals(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    // In the words of a kubelet, as far as it has words for it.

    private static void noPod(HttpCall call, Route.OfPod asked) {
        text(call, 404, asked.kind() == Kind.LOGS ? "pod \"" + asked.pod() + "\" not found\n" : "pod does not exist\n");
    }

    private static void noContainer(HttpCall call, Route.OfPod asked) {
        text(
                call,
                404,
                asked.kind() == Kind.LOGS
                        ? "container \"" + asked.container() + "\" not found in pod \"" + asked.pod() + "\"\n"
                        : "container not found (\"" + asked.container() + "\")\n");
    }

    private static void notThere(HttpCall call, Route.OfPod asked) {
        switch (asked.kind()) {
            case LOGS ->
                text(
                        call,
                        400,
                        "container \"" + asked.container() + "\" in pod \"" + asked.pod()
                                + "\" is waiting to start: its cell has not told yet that it runs the pod\n");
            case PORT_FORWARD ->
                text(call, 404, "pod not found (\"" + asked.pod() + "_" + asked.namespace() + "\"): no cell runs it\n");
            default -> text(call, 404, "container not found (\"" + asked.container() + "\"): no cell runs the pod\n");
        }
    }

    private static void text(HttpCall call, int status, String text) {
        call.respond(status, ImmutableMap.of("content-type", "text/plain; charset=utf-8"), text.getBytes(UTF_8));
    }
}
