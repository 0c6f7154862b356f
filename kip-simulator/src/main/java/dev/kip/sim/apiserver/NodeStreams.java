package dev.kip.sim.apiserver;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.http.Forwarder;
import dev.kip.http.Forwarder.Onward;
import dev.kip.http.Forwarder.Problems;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What is streamed to and from pods: connects to the kubelet API of the pod's node, as a kube-apiserver does. */
final class NodeStreams {

    /** Of PodLogOptions; the rest is for the API server itself. */
    private static final ImmutableSet<String> LOG_OPTIONS = ImmutableSet.of(
            "follow", "previous", "sinceSeconds", "sinceTime", "timestamps", "tailLines", "limitBytes", "stream");

    private final Registry registry;
    private Optional<Forwarder> nodes = Optional.empty();

    NodeStreams(Registry registry) {
        this.registry = registry;
    }

    void connect(Forwarder forwarder) {
        nodes = Optional.of(forwarder);
    }

    /** @param pod as it is stored */
    void answer(Request request, ObjectNode pod) {
        if (nodes.isEmpty()) {
            throw Failures.notImplemented(
                    "this API server does not reach kubelets: logs, exec, attach and port-forward are not implemented");
        }
        String node = pod.path("spec").path("nodeName").asString("");
        if (node.isEmpty()) {
            throw Failures.badRequest("pod " + request.name() + " does not have a host assigned");
        }
        ObjectNode found = registry.find("", "v1", "nodes")
                .orElseThrow()
                .existing("", node)
                .object();
        String host = address(found).orElseThrow(() -> Failures.internal("node " + node + " has no address"));
        int port = found.at("/status/daemonEndpoints/kubeletEndpoint/Port").asInt(0);
        String uri = uri(request, pod);
        nodes.get()
                .forward(
                        request.call(),
                        Onward.to(host, port, uri, "the kubelet of node " + node + " at " + host + ":" + port)
                                .problems(new AsStatus()),
                        () -> {});
    }

    /** By which an API server reaches its kubelet. */
    static Optional<String> address(ObjectNode node) {
        for (JsonNode address : node.at("/status/addresses")) {
            if (address.path("type").asString("").equals("InternalIP")) {
                return Optional.of(address.path("address").asString(""));
            }
        }
        return Optional.empty();
    }

    private static String uri(Request request, ObjectNode pod) {
        String there = request.namespace() + "/" + request.name();
        List<String> parameters = new ArrayList<>();
        switch (request.subresource()) {
            case "log" -> {
                for (Map.Entry<String, String> option : request.call().query().entries()) {
                    if (LOG_OPTIONS.contains(option.getKey())) {
                        add(parameters, option.getKey(), option.getValue());
                    }
                }
                return "/containerLogs/" + there + "/" + container(request, pod) + query(parameters);
            }
            case "portforward" -> {
                request.call().query().get("ports").forEach(port -> add(parameters, "port", port));
                return "/portForward/" + there + query(parameters);
            }
            default -> {
                flag(request, parameters, "stdin", "input");
                flag(request, parameters, "stdout", "output");
                flag(request, parameters, "stderr", "error");
                flag(request, parameters, "tty", "tty");
                request.call().query().get("command").forEach(word -> add(parameters, "command", word));
                return "/" + request.subresource() + "/" + there + "/" + container(request, pod) + query(parameters);
            }
        }
    }

    private static void flag(Request request, List<String> parameters, String asked, String told) {
        if (request.parameter(asked).equals("true") || request.parameter(asked).equals("1")) {
            add(parameters, told, "1");
        }
    }

    private static void add(List<String> parameters, String name, String value) {
        parameters.add(URLEncoder.encode(name, UTF_8) + "=" + URLEncoder.encode(value, UTF_8));
    }

    private static String query(List<String> parameters) {
        return parameters.isEmpty() ? "" : "?" + String.join("&", parameters);
    }

    private static String container(Request request, ObjectNode pod) {
        List<String> all = new ArrayList<>();
        for (String list : ImmutableList.of("containers", "initContainers", "ephemeralContainers")) {
            for (JsonNode container : pod.path("spec").path(list)) {
                all.add(container.path("name").asString(""));
            }
        }
        String asked = request.parameter("container");
        if (!asked.isEmpty()) {
            if (!all.contains(asked)) {
                throw Failures.badRequest("container " + asked + " is not valid for pod " + request.name());
            }
            return asked;
        }
        JsonNode ordinary = pod.path("spec").path("containers");
        if (ordinary.size() != 1) {
            throw Failures.badRequest("a container name must be specified for pod " + request.name()
                    + ", choose one of: [" + String.join(" ", all) + "]");
        }
        return all.get(0);
    }

    /** A kubelet refuses in plain text. */
    private static final class AsStatus implements Problems {

        @Override
        public String word(int status, String text) {
            return Failures.ofNode(status, text.strip()).status().toString();
        }

        @Override
        public Optional<String> contentType() {
            return Optional.of("application/json");
        }
    }
}
