package dev.kip.sim.kubelet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.Checkpointer;
import dev.kip.checkpointer.CheckpointerSettings;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.sanitise.ManifestCheck;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.standing.Policy;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.KubeApi;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.disk.Fate;
import dev.kip.sim.kernel.CallFaults;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimHttpClient;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimOffload;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A self-hosted control plane on one node or several, as bootkube made them: the API server is a pod of a DaemonSet, and so
 * is the checkpointer, which is the production program on simulated seams. The store of the API server is elsewhere.
 */
final class SelfHosted {

    static final String NODE = "master-1";
    static final String API_SERVER = "kube-apiserver-x7k2p";
    static final String CHECKPOINTER = "pod-checkpointer-b9dzq";

    private static final URI API = URI.create("https://api.cluster:6443");
    private static final String NAMESPACE = "kube-system";
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Kernel kernel = new Kernel(7, Instant.parse("2018-10-01T00:00:00Z"), new Trace(true));
    private final SimNetwork network = new SimNetwork(
            kernel,
            (from, to, request) ->
                    new CallFaults.Call(from, to, request.method() + " " + request.rawPath(), "", false));
    private final SimProcess store = new SimProcess(kernel, "store");
    private final ApiServer server = new ApiServer(store, kernel.entropy("server"), ApiServerSettings.DEFAULT);
    private final SimProcess elsewhere = new SimProcess(kernel, "another-master");
    private final KubeletVersion version;
    private final Sanitiser sanitiser;
    private final ManifestCheck check;
    /** The first of them, and the only one unless more were asked for. */
    final SimNode node;

    final ImmutableList<SimNode> nodes;
    private final Map<SimNode, SimProcess> serving = new LinkedHashMap<>();
    private boolean anotherMaster;

    /** @param check what the checkpointer asks before it replaces a checkpoint */
    SelfHosted(KubeletVersion version, Sanitiser sanitiser, ManifestCheck check) {
        this(version, sanitiser, check, 1);
    }

    SelfHosted(KubeletVersion version, Sanitiser sanitiser, ManifestCheck check, int masters) {
        this.version = version;
        this.sanitiser = sanitiser;
        this.check = check;
        this.nodes = IntStream.rangeClosed(1, masters)
                .mapToObj(number -> new SimNode(
                        kernel, facts(version, number), version, this::program, process -> Optional.of(api(process))))
                .collect(ImmutableList.toImmutableList());
        this.node = nodes.get(0);
        populate();
    }

    static NodeFacts facts(KubeletVersion version) {
        return facts(version, 1);
    }

    /** Kubelet may set the role label on itself until 1.15. */
    private static NodeFacts facts(KubeletVersion version, int number) {
        NodeFacts bare = NodeFacts.named(master(number));
        return version.isAtLeast("1.16")
                ? bare
                : bare.withLabels(ImmutableMap.of("node-role.kubernetes.io/master", ""));
    }

    static String master(int number) {
        return "master-" + number;
    }

    /** The pods of the first master have the names of the report. */
    private static String pod(String name, int number) {
        return number == 1 ? name : name + number;
    }

    private KubeApi api(SimProcess process) {
        return new HttpKubeApi(
                new SimHttpClient(network, process, Optional.empty()), API, process, Runnable::run, TIMEOUT);
    }

    // --- programs

    private void program(Programs.Run run) {
        switch (run.image()) {
            case "kube-apiserver:1" -> serve(run);
            case "pod-checkpointer:1" -> checkpoint(run);
            default -> Programs.idle().start(run);
        }
    }

    /** Only one on a node can have the port; who asks is led to one that serves. */
    private void serve(Programs.Run run) {
        if (serving.containsKey(run.node())) {
            run.process().after(Duration.ofSeconds(1), () -> run.exit(1));
            return;
        }
        serving.put(run.node(), run.process());
        balance();
        run.process().onDeath(() -> {
            serving.remove(run.node());
            balance();
        });
    }

    private void balance() {
        if (anotherMaster) {
            return;
        }
        network.unlisten(API.getHost(), API.getPort());
        serving.values().stream()
                .findFirst()
                .ifPresent(process -> network.listen(API.getHost(), API.getPort(), "kube-apiserver", process, server));
    }

    private void checkpoint(Programs.Run run) {
        SimProcess process = run.process();
        String pod = run.variable("POD_NAME").orElseThrow();
        String name = run.node().name();
        CheckpointerSettings settings = new CheckpointerSettings(
                name,
                CheckpointerSettings.self(NAMESPACE, pod, name),
                ImmutableList.of(NAMESPACE),
                new Layout(Path.of("/var/lib/kip-checkpointer"), SimKubelet.MANIFESTS),
                Path.of("/var/lib/kip-checkpointer/lock"),
                Policy.withGrace(Duration.ofMinutes(1)),
                CheckpointerSettings.PASS,
                CheckpointerSettings.REFRESH,
                TIMEOUT,
                Duration.ofHours(24),
                Optional.of(version));
        process.onDeath(() -> run.node().disk().release(process.name()));
        new Checkpointer(
                        settings,
                        new Checkpointer.Seams(
                                process,
                                new SimOffload(process, 4, Duration.ofMillis(50)),
                                run.node().disk().as(process.name()),
                                run.node().runtime().cri(),
                                api(process),
                                sanitiser,
                                kubelet -> check))
                .start();
    }

    // --- the cluster

    private void populate() {
        ApiClient client = server.client();
        for (String account : List.of("kube-apiserver", "pod-checkpointer")) {
            client.create(client.resource("", "serviceaccounts"), NAMESPACE, json("""
                    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "%s", "namespace": "kube-system"}}
                    """.formatted(account)));
        }
        for (String secret : List.of("kube-apiserver")) {
            client.create(client.resource("", "secrets"), NAMESPACE, json("""
                    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "%s", "namespace": "kube-system"},
                     "data": {"apiserver.key": "S0VZ"}}
                    """.formatted(secret)));
        }
        boolean bound = version.isAtLeast("1.21");
        boolean known = client.get(client.resource("", "configmaps"), NAMESPACE, "kube-root-ca.crt")
                .isPresent();
        if (bound && !known) {
            client.create(client.resource("", "configmaps"), NAMESPACE, json("""
                    {"apiVersion": "v1", "kind": "ConfigMap", "data": {"ca.crt": "CA"},
                     "metadata": {"name": "kube-root-ca.crt", "namespace": "kube-system"}}
                    """));
        }
        for (int number = 1; number <= nodes.size(); number++) {
            client.create(client.resource("", "nodes"), "", json("""
                    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%1$s", "labels":
                      {"kubernetes.io/hostname": "%1$s", "node-role.kubernetes.io/master": ""}}}
                    """.formatted(master(number))));
            create(client, pod(pod(API_SERVER, number), "kube-apiserver", 6443, master(number)));
            create(client, pod(pod(CHECKPOINTER, number), "pod-checkpointer", 0, master(number)));
        }
    }

    private static void create(ApiClient client, ObjectNode pod) {
        client.create(client.resource("", "pods"), NAMESPACE, pod);
    }

    /** A pod of a DaemonSet as the API server of this version has it. */
    private ObjectNode pod(String name, String program, int port, String master) {
        ObjectNode pod = json("""
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": "%1$s", "namespace": "kube-system", "labels": {"k8s-app": "%2$s"},
                   "annotations": {"checkpointer.alpha.coreos.com/checkpoint": "true"},
                   "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "%2$s", "uid": "ds-%2$s",
                     "controller": true}]},
                 "spec": {"nodeName": "%3$s", "hostNetwork": true, "serviceAccountName": "%2$s",
                   "restartPolicy": "Always", "nodeSelector": {"node-role.kubernetes.io/master": ""},
                   "tolerations": [{"operator": "Exists"}],
                   "containers": [{"name": "%2$s", "image": "%2$s:1", "imagePullPolicy": "IfNotPresent",
                     "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}],
                   "volumes": []}}
                """.formatted(name, program, master));
        ObjectNode spec = pod.withObject("/spec");
        if (port > 0) {
            spec.withArray("volumes").add(json("""
                    {"name": "secrets", "secret": {"secretName": "kube-apiserver"}}
                    """));
        }
        if (version.compareTo(KubeletVersion.parse("1.12.0-rc.1")) >= 0) {
            spec.set("affinity", json("""
                    {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms":
                      [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["%s"]}]}]}}}
                    """.formatted(master)));
        }
        if (version.isAtLeast("1.21")) {
            spec.withArray("volumes").add(json("""
                    {"name": "kube-api-access", "projected": {"sources": [
                      {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
                      {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]}}
                    """));
        }
        return pod;
    }

    private static ObjectNode json(String text) {
        return (ObjectNode) JsonMapper.shared().readTree(text);
    }

    // --- the story

    /** Brings the plane up once, as bootkube did: with a temporary API server, which then goes. */
    void bringUp() {
        network.listen(API.getHost(), API.getPort(), "bootkube", elsewhere, server);
        anotherMaster = true;
        nodes.forEach(SimNode::powerOn);
        pass(Duration.ofMinutes(2));
        anotherMaster = false;
        balance();
        pass(Duration.ofMinutes(5));
        if (!serves()) {
            throw new IllegalStateException("the plane does not come up:\n" + log());
        }
    }

    /** @param another whether an API server runs on another machine */
    void powerCycle(boolean another) {
        nodes.forEach(one -> one.powerOff(Fate.lost()));
        anotherMaster = another;
        if (another) {
            network.listen(API.getHost(), API.getPort(), "another-master", elsewhere, server);
        }
        pass(Duration.ofSeconds(30));
        nodes.forEach(SimNode::powerOn);
    }

    void pass(Duration time) {
        kernel.runFor(time);
    }

    boolean until(BooleanSupplier done, Duration limit) {
        return kernel.runUntil(done, limit);
    }

    /** The API server of each node answers. */
    boolean serves() {
        return serving.size() == nodes.size();
    }

    /** The pods that the API server has, mirror pods too. */
    ImmutableList<String> podNames() {
        ApiClient client = server.client();
        return client.list(client.resource("", "pods"), NAMESPACE).stream()
                .map(pod -> pod.path("metadata").path("name").asString(""))
                .sorted()
                .collect(ImmutableList.toImmutableList());
    }

    /** Its DaemonSet replaces the checkpointer's pod on the first node. */
    void rollCheckpointer(String name) {
        delete(CHECKPOINTER);
        create(server.client(), pod(name, "pod-checkpointer", 0, NODE));
    }

    /** By force, as one does by hand. */
    void delete(String pod) {
        ApiClient client = server.client();
        client.delete(client.resource("", "pods"), NAMESPACE, pod, json("{\"gracePeriodSeconds\": 0}"));
    }

    String log() {
        StringBuilder log = new StringBuilder();
        nodes.forEach(one -> one.log()
                .forEach(line ->
                        log.append(line.at()).append(' ').append(line.line()).append('\n')));
        return log.toString();
    }
}
