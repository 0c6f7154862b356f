package dev.kip.sim.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.Checkpointer;
import dev.kip.checkpointer.CheckpointerSettings;
import dev.kip.checkpointer.NodeStatus;
import dev.kip.checkpointer.cri.Cri;
import dev.kip.checkpointer.generation.CheckpointReader.Scope;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.sanitise.KubeletCheck;
import dev.kip.checkpointer.sanitise.TableSanitiser;
import dev.kip.checkpointer.standing.Policy;
import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Entry;
import dev.kip.http.HttpService;
import dev.kip.kube.HttpKubeApi;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.apiserver.ResourceType;
import dev.kip.sim.disk.Fate;
import dev.kip.sim.disk.SimDisk;
import dev.kip.sim.kernel.CallFaults;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimHttpClient;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimOffload;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The production checkpointer with a simulated API server and disk; what the runtime runs is said by the test. */
final class Bench {

    static final String NODE = "node-1";
    static final Layout LAYOUT = new Layout(Path.of("/var/lib/kip-checkpointer"), Path.of("/etc/kubernetes/manifests"));

    private static final URI API = URI.create("https://api.cluster:6443");
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    final Kernel kernel = new Kernel(11, Instant.parse("2026-11-30T12:00:00Z"), new Trace(true));
    /** What was asked of the API server: method and path. */
    final Set<String> asked = new TreeSet<>();
    /** Whom something was asked of, or would have been. */
    final Set<String> askedOf = new TreeSet<>();

    private final SimNetwork network = new SimNetwork(kernel, (from, to, request) -> {
        asked.add(request.method() + " " + request.rawPath());
        askedOf.add(to);
        return new CallFaults.Call(from, to, request.method() + " " + request.rawPath(), "", false);
    });
    final SimDisk machine = new SimDisk();
    final Disk disk = machine.as("the test");
    private final Map<String, Cri.Sandbox> sandboxes = new LinkedHashMap<>();
    private final Map<String, Cri.Container> containers = new LinkedHashMap<>();
    private ApiServer server;
    private SimProcess apiProcess;
    boolean runtimeFails;
    private int processes;

    Bench() {
        newCluster();
        apiUp();
    }

    /** Another cluster, or this one without a memory. */
    void newCluster() {
        apiProcess = new SimProcess(kernel, "apiserver");
        server = new ApiServer(apiProcess, kernel.entropy("server" + processes++), ApiServerSettings.DEFAULT);
        create("nodes", "", """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"},
                 "status": {"nodeInfo": {"kubeletVersion": "v1.34.4"}}}
                """);
        create("serviceaccounts", "kube-system", """
                {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "apiserver"}}
                """);
    }

    void apiUp() {
        network.listen(API.getHost(), API.getPort(), "apiserver", apiProcess, server);
    }

    /** Where the original asked it, with a token and without. */
    void kubeletListens() {
        for (String host : List.of("127.0.0.1", "localhost", NODE)) {
            for (int port : List.of(10250, 10255)) {
                network.listen(host, port, "kubelet", apiProcess, call -> {});
            }
        }
    }

    /** Connections are refused. */
    void apiDown() {
        network.unlisten(API.getHost(), API.getPort());
    }

    /** Requests arrive, and nothing ever comes back. */
    void apiSwallows() {
        HttpService silent = call -> {};
        network.listen(API.getHost(), API.getPort(), "apiserver", apiProcess, silent);
    }

    /** Every request is answered with this status. */
    void apiAnswers(int status, String reason) {
        HttpService refusing = call -> call.respond(
                status,
                com.google.common.collect.ImmutableMap.of("content-type", "application/json"),
                ("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"" + reason
                                + "\",\"code\":" + status + "}")
                        .getBytes(UTF_8));
        network.listen(API.getHost(), API.getPort(), "apiserver", apiProcess, refusing);
    }

    private ApiClient client() {
        return server.client();
    }

    private ResourceType type(String plural) {
        return client().resource("", plural);
    }

    void create(String plural, String namespace, String json) {
        client().create(type(plural), namespace, (ObjectNode)
                JsonMapper.shared().readTree(json));
    }

    void replace(String plural, String json) {
        client().update(type(plural), "", (ObjectNode) JsonMapper.shared().readTree(json));
    }

    void delete(String plural, String namespace, String name) {
        client().delete(
                        type(plural),
                        namespace,
                        name,
                        JsonMapper.shared().createObjectNode().put("gracePeriodSeconds", 0));
    }

    String uid(String namespace, String name) {
        return client().get(type("pods"), namespace, name)
                .orElseThrow()
                .path("metadata")
                .path("uid")
                .asString();
    }

    /** A pod on the node that wants a checkpoint; {@code spec} has more fields, each followed by a comma. */
    void pod(String namespace, String name, String spec) {
        create("pods", namespace, """
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": "%s", "annotations": {"checkpointer.alpha.coreos.com/checkpoint": "true"}},
                 "spec": {"nodeName": "node-1", %s
                   "containers": [{"name": "main", "image": "apiserver:1"}]}}
                """.formatted(name, spec));
    }

    void runs(String namespace, String name, String uid) {
        String id = namespace + "/" + name;
        sandboxes.put(id, new Cri.Sandbox(id, namespace, name, uid, true));
        containers.put(id, new Cri.Container("c-" + id, id, "main", 0, true));
    }

    void stops(String namespace, String name) {
        sandboxes.remove(namespace + "/" + name);
        containers.remove(namespace + "/" + name);
    }

    /** Starts a checkpointer, as a pod of its own process. */
    SimProcess start() {
        SimProcess process = new SimProcess(kernel, "checkpointer-" + processes++);
        process.onDeath(() -> machine.release(process.name()));
        SimOffload offload = new SimOffload(process, 4, Duration.ofMillis(50));
        Checkpointer checkpointer = new Checkpointer(
                new CheckpointerSettings(
                        NODE,
                        CheckpointerSettings.self("kube-system", "checkpointer-x", NODE),
                        ImmutableList.of("kube-system"),
                        LAYOUT,
                        Path.of("/var/run/lock/pod-checkpointer.lock"),
                        Policy.withGrace(Duration.ofMinutes(1)),
                        CheckpointerSettings.PASS,
                        CheckpointerSettings.REFRESH,
                        Duration.ofSeconds(10),
                        Duration.ofHours(2),
                        Optional.empty()),
                new Checkpointer.Seams(
                        process,
                        offload,
                        machine.as(process.name()),
                        new PlayedRuntime(),
                        new HttpKubeApi(
                                new SimHttpClient(network, process, Optional.empty()),
                                API,
                                process,
                                Runnable::run,
                                TIMEOUT),
                        new TableSanitiser(),
                        version -> new KubeletCheck(KubeletModel.of(version), NodeFacts.named(NODE))));
        checkpointer.whenRefused(process::kill);
        process.post(checkpointer::start);
        return process;
    }

    void pass(Duration time) {
        kernel.runFor(time);
    }

    void pass(int seconds) {
        pass(Duration.ofSeconds(seconds));
    }

    /** The power fails and comes back: nothing runs any more. */
    void powerCycle(SimProcess checkpointer) {
        powerCycle(checkpointer, Fate.lost());
    }

    void powerCycle(SimProcess checkpointer, Fate fate) {
        checkpointer.kill();
        sandboxes.clear();
        containers.clear();
        machine.powerCycle(fate);
    }

    /** Names of the pods whose manifests kubelet sees. */
    List<String> active() {
        return manifests().stream()
                .map(manifest -> manifest.path("metadata").path("name").asString())
                .toList();
    }

    List<ObjectNode> manifests() {
        try {
            List<ObjectNode> manifests = new ArrayList<>();
            for (Entry entry : disk.list(LAYOUT.manifests())) {
                manifests.add(Trees.object(
                        disk.read(LAYOUT.manifests().resolve(entry.name())).orElseThrow()));
            }
            return manifests;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    NodeStatus status() {
        try {
            return NodeStatus.read(
                    disk,
                    LAYOUT,
                    new Scope(NODE, "kube-system"),
                    Optional.empty(),
                    version -> new KubeletCheck(KubeletModel.of(version), NodeFacts.named(NODE)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    List<String> stored() {
        return status().pods().stream().map(pod -> pod.key().toString()).toList();
    }

    /** A file that the active pod's container sees. */
    Optional<String> mounted(String volume, String path) {
        for (ObjectNode manifest : manifests()) {
            for (var one : manifest.path("spec").path("volumes")) {
                if (one.path("name").asString("").equals(volume)) {
                    try {
                        return disk.read(Path.of(
                                        one.path("hostPath").path("path").asString(), path))
                                .map(bytes -> new String(bytes, UTF_8));
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }
            }
        }
        return Optional.empty();
    }

    private final class PlayedRuntime implements Cri {
        @Override
        public ImmutableList<Sandbox> sandboxes() throws IOException {
            answer();
            return ImmutableList.copyOf(sandboxes.values());
        }

        @Override
        public ImmutableList<Container> containers() throws IOException {
            answer();
            return ImmutableList.copyOf(containers.values());
        }

        private void answer() throws IOException {
            if (runtimeFails) {
                throw new IOException("no such file: /run/containerd/containerd.sock");
            }
        }
    }
}
