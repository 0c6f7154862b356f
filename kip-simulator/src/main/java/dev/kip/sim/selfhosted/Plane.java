package dev.kip.sim.selfhosted;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.Checkpointer;
import dev.kip.checkpointer.CheckpointerSettings;
import dev.kip.checkpointer.NodeStatus;
import dev.kip.checkpointer.generation.CheckpointReader.Scope;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.standing.Policy;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.KubeApi;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.disk.Fate;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimHttpClient;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimOffload;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import dev.kip.sim.kubelet.Programs;
import dev.kip.sim.kubelet.SimKubelet;
import dev.kip.sim.kubelet.SimNode;
import dev.kip.sim.world.Parts;
import dev.kip.sim.world.Requests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import tools.jackson.databind.node.ObjectNode;

/**
 * A self-hosted control plane on one node or several, as bootkube made them: the API server is a pod of a DaemonSet, and so
 * is the checkpointer, which is the production program on simulated seams. The store of the API server is elsewhere.
 * Confined to the kernel's thread.
 */
final class Plane {

    static final String PROGRAM = "kube-apiserver";
    static final String CHECKPOINTER_PROGRAM = "pod-checkpointer";
    static final String NODE = "master-1";
    static final String API_SERVER = "kube-apiserver-x7k2p";
    static final String CHECKPOINTER = "pod-checkpointer-b9dzq";

    /** Whose certificate the API servers show. */
    static final String SERVING = "kube-apiserver";

    private static final URI API = URI.create("https://api.cluster:6443");
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    static final Path STATE = Path.of("/var/lib/kip-checkpointer");
    private static final Layout LAYOUT = new Layout(STATE, SimKubelet.MANIFESTS);

    private final Kernel kernel;
    private final SimNetwork network;
    private final ApiServer server;
    private final SimProcess elsewhere;
    private final KubeletVersion version;
    private final Maker maker;
    private final Parts parts;
    private final PlanePods pods;
    private final Credentials credentials = new Credentials();
    private final Map<SimNode, SimProcess> serving = new LinkedHashMap<>();
    private final Map<SimNode, Duration> emptied = new LinkedHashMap<>();
    private boolean anotherMaster;

    /** The first of them, and the only one unless more were asked for. */
    final SimNode node;

    final ImmutableList<SimNode> nodes;

    /** With one node. */
    Plane(KubeletVersion version, Maker maker) {
        this(new Kernel(7, Instant.parse("2018-10-01T00:00:00Z"), new Trace(true)), version, maker, 1, Parts.RIGHT);
    }

    Plane(Kernel kernel, KubeletVersion version, Maker maker, int masters) {
        this(kernel, version, maker, masters, Parts.RIGHT);
    }

    Plane(Kernel kernel, KubeletVersion version, Maker maker, int masters, Parts parts) {
        this.kernel = kernel;
        this.version = version;
        this.maker = maker;
        this.parts = parts;
        this.network = new SimNetwork(kernel, Requests::kubernetes);
        this.elsewhere = new SimProcess(kernel, "another-master");
        this.server =
                new ApiServer(new SimProcess(kernel, "store"), kernel.entropy("server"), ApiServerSettings.DEFAULT);
        this.pods = new PlanePods(version, server.client());
        this.nodes = IntStream.rangeClosed(1, masters)
                .mapToObj(number -> new SimNode(
                        kernel,
                        facts(version, number),
                        version,
                        this::program,
                        process -> Optional.of(api(process, kubelet(master(number))))))
                .collect(ImmutableList.toImmutableList());
        this.node = nodes.get(0);
        network.handshakes((client, to) -> credentials.objection(SERVING, client.now()));
        credentials.issue(SERVING, kernel.now());
        for (SimNode one : nodes) {
            credentials.issue(kubelet(one.name()), kernel.now());
            credentials.issue(checkpointer(one.name()), kernel.now());
        }
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

    /** Whose credential that is. */
    static String kubelet(String node) {
        return "system:node:" + node;
    }

    /** Whose credential that is. */
    static String checkpointer(String node) {
        return "checkpointer:" + node;
    }

    private KubeApi api(SimProcess process, String who) {
        return new HttpKubeApi(
                new SimHttpClient(network, process, Optional.of(who)), API, process, Runnable::run, TIMEOUT);
    }

    // --- programs

    private void program(Programs.Run run) {
        switch (run.image()) {
            case PROGRAM + ":1" -> serve(run);
            case CHECKPOINTER_PROGRAM + ":1" -> checkpoint(run);
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
        serving.values().stream().findFirst().ifPresent(this::listen);
    }

    /** As kube-apiserver does: a certificate that it does not take is answered with 401, not by TLS. */
    private void listen(SimProcess process) {
        network.listen(API.getHost(), API.getPort(), PROGRAM, process, call -> {
            boolean known =
                    call.peer().map(who -> credentials.good(who, process.now())).orElse(true);
            if (known) {
                server.handle(call);
            } else {
                server.refuse(call);
            }
        });
    }

    private void checkpoint(Programs.Run run) {
        SimProcess process = run.process();
        String pod = run.variable("POD_NAME").orElseThrow();
        String name = run.node().name();
        CheckpointerSettings settings = new CheckpointerSettings(
                name,
                CheckpointerSettings.self(PlanePods.NAMESPACE, pod, name),
                ImmutableList.of(PlanePods.NAMESPACE),
                LAYOUT,
                STATE.resolve("lock"),
                parts.policy(Policy.withGrace(Duration.ofMinutes(1))),
                CheckpointerSettings.PASS,
                CheckpointerSettings.REFRESH,
                TIMEOUT,
                Duration.ofHours(24),
                Optional.of(version));
        process.onDeath(() -> run.node().disk().release(process.name()));
        Checkpointer checkpointer = new Checkpointer(
                settings,
                new Checkpointer.Seams(
                        process,
                        new SimOffload(process, 4, Duration.ofMillis(50)),
                        parts.disk(run.node().disk().as(process.name())),
                        parts.runtime(run.node().runtime().cri()),
                        parts.kube(api(process, checkpointer(name)), process),
                        parts.sanitiser(maker.sanitiser()),
                        kubelet -> parts.check(maker.check(version))));
        checkpointer.whenRefused(() -> run.exit(1));
        checkpointer.start();
    }

    private void populate() {
        pods.common();
        for (int number = 1; number <= nodes.size(); number++) {
            pods.node(master(number));
            pods.pod(pod(API_SERVER, number), PROGRAM, master(number));
            pods.pod(pod(CHECKPOINTER, number), CHECKPOINTER_PROGRAM, master(number));
        }
    }

    // --- the story

    /** Brings the plane up once, as bootkube did: with a temporary API server, which then goes. */
    void bringUp() {
        another(true);
        nodes.forEach(SimNode::powerOn);
        pass(Duration.ofMinutes(2));
        another(false);
        pass(Duration.ofMinutes(5));
        if (!serves()) {
            throw new IllegalStateException("the plane does not come up:\n" + log());
        }
    }

    /** Whether an API server runs on another machine, to which everybody is then led. */
    void another(boolean runs) {
        anotherMaster = runs;
        if (runs) {
            listen(elsewhere);
        } else {
            balance();
        }
    }

    /** @param another whether an API server runs on another machine */
    void powerCycle(boolean another) {
        nodes.forEach(one -> one.powerOff(Fate.lost()));
        another(another);
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

    /** Somebody empties the store of this machine by hand, now. */
    void empties(SimNode one) {
        emptied.put(one, kernel.elapsed());
    }

    /** Somebody did, a moment ago. */
    boolean emptied(SimNode one) {
        Duration at = emptied.get(one);
        return at != null && kernel.elapsed().minus(at).compareTo(Duration.ofSeconds(5)) < 0;
    }

    /** The API server believes the checkpointer there. */
    boolean trusts(SimNode one) {
        return credentials.good(checkpointer(one.name()), kernel.now());
    }

    /** An API server answers somewhere. */
    boolean anyServes() {
        return anotherMaster || !serving.isEmpty();
    }

    boolean serves(SimNode one) {
        return serving.containsKey(one);
    }

    /** The pods that the API server has, mirror pods too. */
    ImmutableList<String> podNames() {
        ApiClient client = server.client();
        return client.list(client.resource("", "pods"), PlanePods.NAMESPACE).stream()
                .map(pod -> pod.path("metadata").path("name").asString(""))
                .sorted()
                .collect(ImmutableList.toImmutableList());
    }

    /** Its DaemonSet replaces the checkpointer's pod on the node. */
    void rollCheckpointer(SimNode on, String name) {
        ApiClient client = server.client();
        for (String pod : podNames()) {
            boolean replaced = pod.startsWith(CHECKPOINTER_PROGRAM)
                    && client.get(client.resource("", "pods"), PlanePods.NAMESPACE, pod)
                            .filter(found ->
                                    found.at("/spec/nodeName").asString("").equals(on.name()))
                            .filter(found -> found.at("/metadata/annotations")
                                    .path("kubernetes.io/config.mirror")
                                    .isMissingNode())
                            .isPresent();
            if (replaced) {
                delete(pod);
            }
        }
        pods.pod(name, CHECKPOINTER_PROGRAM, on.name());
    }

    /** A pod as the store has it. */
    Optional<ObjectNode> find(String pod) {
        ApiClient client = server.client();
        return client.get(client.resource("", "pods"), PlanePods.NAMESPACE, pod);
    }

    /** By force, as one does by hand. */
    void delete(String pod) {
        ApiClient client = server.client();
        client.delete(
                client.resource("", "pods"), PlanePods.NAMESPACE, pod, PlanePods.json("{\"gracePeriodSeconds\": 0}"));
    }

    /** What {@code kip-checkpointer status} would say there. */
    NodeStatus status(SimNode of) {
        try {
            return NodeStatus.read(
                    of.disk().as("somebody"),
                    LAYOUT,
                    new Scope(of.name(), PlanePods.NAMESPACE),
                    Optional.of(version),
                    kubelet -> maker.check(version));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String log() {
        StringBuilder log = new StringBuilder();
        nodes.forEach(one -> one.log()
                .forEach(line ->
                        log.append(line.at()).append(' ').append(line.line()).append('\n')));
        return log.toString();
    }

    Kernel kernel() {
        return kernel;
    }

    SimNetwork network() {
        return network;
    }

    ApiServer server() {
        return server;
    }

    Credentials credentials() {
        return credentials;
    }
}
