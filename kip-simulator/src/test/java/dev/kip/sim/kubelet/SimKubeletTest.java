package dev.kip.sim.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.checkpointer.cri.Cri;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.disk.Disk;
import dev.kip.disk.Disk.Access;
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
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What kubelet does with files, however good they are: facts of its sources and of kubelet 1.34 itself. */
class SimKubeletTest {

    private static final URI API = URI.create("https://api:6443");
    private static final Duration SOON = Duration.ofSeconds(10);

    private final Kernel kernel = new Kernel(1, Instant.parse("2026-01-01T00:00:00Z"), new Trace(false));
    private final SimNetwork network = new SimNetwork(
            kernel, (from, to, request) -> new CallFaults.Call(from, to, request.method(), request.rawPath(), false));
    private final ApiServer server =
            new ApiServer(new SimProcess(kernel, "store"), kernel.entropy("server"), ApiServerSettings.DEFAULT);
    private final List<Programs.Run> started = new ArrayList<>();

    private SimNode node(String version, boolean standalone) {
        SimNode node = new SimNode(
                kernel,
                NodeFacts.named("n1"),
                KubeletVersion.parse(version),
                this::start,
                process -> standalone ? Optional.empty() : Optional.of(api(process)));
        node.powerOn();
        kernel.runFor(SOON);
        return node;
    }

    private void start(Programs.Run run) {
        started.add(run);
        Programs.idle().start(run);
    }

    private KubeApi api(SimProcess process) {
        return new HttpKubeApi(
                new SimHttpClient(network, process, Optional.empty()), API, process, Runnable::run, SOON);
    }

    private void serve() {
        network.listen(API.getHost(), API.getPort(), "api", new SimProcess(kernel, "api"), server);
    }

    private static String pod(String name, String spec) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "namespace": "default"},
                 "spec": {%s "containers": [{"name": "c", "image": "i:1"}]}}
                """.formatted(name, spec);
    }

    private static void write(SimNode node, String file, String content) {
        Disk disk = node.disk().as("writer");
        try {
            for (Path directory : List.of(Path.of("/etc"), Path.of("/etc/kubernetes"), SimKubelet.MANIFESTS)) {
                if (disk.look(directory).isEmpty()) {
                    disk.createDirectory(directory, Access.root(0755));
                }
            }
            disk.remove(SimKubelet.MANIFESTS.resolve(file));
            disk.create(
                    SimKubelet.MANIFESTS.resolve(file), content.getBytes(StandardCharsets.UTF_8), Access.PRIVATE_FILE);
            for (Path path : List.of(
                    SimKubelet.MANIFESTS.resolve(file),
                    SimKubelet.MANIFESTS,
                    Path.of("/etc/kubernetes"),
                    Path.of("/etc"),
                    Path.of("/"))) {
                disk.sync(path);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void remove(SimNode node, String file) throws IOException {
        node.disk().as("writer").remove(SimKubelet.MANIFESTS.resolve(file));
    }

    private static Optional<String> fate(SimNode node, String name) {
        return node.kubelet().orElseThrow().fateOf(name);
    }

    private static List<Cri.Sandbox> sandboxes(SimNode node) throws IOException {
        return node.runtime().cri().sandboxes();
    }

    private ImmutableMap<String, JsonNode> podsOfTheApi() {
        ApiClient client = server.client();
        return client.list(client.resource("", "pods"), "").stream()
                .collect(ImmutableMap.toImmutableMap(
                        pod -> pod.path("metadata").path("name").asString(""), pod -> pod));
    }

    @Test
    void a_good_file_runs_under_a_name_with_the_nodes_behind_it() throws IOException {
        SimNode node = node("1.34", false);
        write(node, "a.json", pod("a", ""));
        kernel.runFor(SOON);

        assertThat(fate(node, "a")).contains("Running");
        assertThat(sandboxes(node)).extracting(Cri.Sandbox::name).containsExactly("a-n1");
        assertThat(node.kubelet()
                        .orElseThrow()
                        .pods()
                        .at("/items/0/status/phase")
                        .asString(""))
                .isEqualTo("Running");
    }

    @Test
    void a_file_that_turns_bad_keeps_its_pod_until_all_files_are_read_anew() throws IOException {
        SimNode node = node("1.34", true);
        write(node, "a.json", pod("a", ""));
        kernel.runUntil(() -> fate(node, "a").equals(Optional.of("Running")), SOON);
        kernel.runFor(Duration.ofSeconds(21));
        write(node, "a.json", pod("a", "\"serviceAccountName\": \"x\","));
        kernel.runFor(Duration.ofSeconds(2));

        assertThat(node.log()).anyMatch(line -> line.line().contains("static pods may not reference serviceaccounts"));
        assertThat(fate(node, "a")).contains("Running");
        kernel.runFor(Duration.ofSeconds(21));
        assertThat(fate(node, "a")).isEmpty();
        assertThat(sandboxes(node)).noneMatch(Cri.Sandbox::ready);
    }

    @Test
    void files_whose_names_begin_with_a_dot_are_not_read() {
        SimNode node = node("1.34", true);
        write(node, ".a.json", pod("a", ""));
        kernel.runFor(SOON);

        assertThat(fate(node, "a")).isEmpty();
    }

    @Test
    void any_change_is_another_pod_that_waits_for_the_end_of_the_one_before() throws IOException {
        SimNode node = node("1.34", true);
        write(node, "a.json", pod("a", ""));
        kernel.runFor(SOON);
        String before = sandboxes(node).get(0).uid();
        write(node, "a.json", pod("a", "\"hostNetwork\": true,"));
        kernel.runFor(SOON);

        assertThat(sandboxes(node))
                .filteredOn(Cri.Sandbox::ready)
                .extracting(Cri.Sandbox::uid)
                .doesNotContain(before)
                .hasSize(1);
        assertThat(started).hasSize(2);
    }

    @Test
    void before_every_source_has_reported_a_file_that_goes_ends_nothing() throws IOException {
        SimNode node = node("1.34", false);
        write(node, "a.json", pod("a", ""));
        kernel.runFor(SOON);
        remove(node, "a.json");
        kernel.runFor(Duration.ofMinutes(2));

        assertThat(sandboxes(node)).anyMatch(Cri.Sandbox::ready);
        assertThat(node.log())
                .anyMatch(line -> line.line().contains("skipping delete because sources aren't ready yet"));

        serve();
        kernel.runFor(SOON);
        assertThat(sandboxes(node)).noneMatch(Cri.Sandbox::ready);
    }

    @Test
    void a_mirror_pod_is_made_when_the_api_server_is_there_and_goes_with_its_file() throws IOException {
        SimNode node = node("1.34", false);
        write(node, "a.json", pod("a", ""));
        kernel.runFor(SOON);
        assertThat(podsOfTheApi()).isEmpty();
        serve();
        kernel.runFor(Duration.ofSeconds(30));

        assertThat(podsOfTheApi()).containsKey("a-n1");
        assertThat(podsOfTheApi()
                        .get("a-n1")
                        .at("/metadata/ownerReferences/0/kind")
                        .asString(""))
                .isEqualTo("Node");
        assertThat(podsOfTheApi().get("a-n1").at("/status/phase").asString("")).isEqualTo("Running");
        remove(node, "a.json");
        kernel.runFor(SOON);
        assertThat(podsOfTheApi()).isEmpty();
    }

    @Test
    void a_pod_that_the_api_server_may_not_mirror_runs_unseen() {
        serve();
        SimNode node = node("1.33", false);
        write(node, "a.json", pod("a", "\"serviceAccountName\": \"x\","));
        kernel.runFor(Duration.ofSeconds(30));

        assertThat(fate(node, "a")).contains("Running");
        assertThat(podsOfTheApi()).isEmpty();
        assertThat(node.log())
                .anyMatch(line -> line.line().contains("a mirror pod may not reference service accounts"));
    }

    @Test
    void a_restarted_kubelet_adopts_what_runs() throws IOException {
        SimNode node = node("1.34", true);
        write(node, "a.json", pod("a", ""));
        kernel.runFor(SOON);
        List<Cri.Container> before = node.runtime().cri().containers();
        node.restartKubelet();
        kernel.runFor(SOON);

        assertThat(node.runtime().cri().containers()).isEqualTo(before);
        assertThat(fate(node, "a")).contains("Running");
    }

    @Test
    void after_a_power_cut_the_pod_runs_in_a_new_sandbox() throws IOException {
        SimNode node = node("1.34", true);
        write(node, "a.json", pod("a", ""));
        kernel.runFor(SOON);
        node.powerOff(Fate.lost());

        assertThat(sandboxes(node)).noneMatch(Cri.Sandbox::ready);
        node.powerOn();
        kernel.runFor(SOON.multipliedBy(2));
        assertThat(sandboxes(node)).extracting(Cri.Sandbox::ready).containsExactly(false, true);
    }

    @Test
    void a_rejected_pod_is_not_looked_at_again_until_kubelet_starts_anew() {
        SimNode node = node("1.34", false);
        write(node, "a.json", pod("a", "\"nodeSelector\": {\"role\": \"x\"},"));
        kernel.runFor(SOON);
        assertThat(fate(node, "a")).contains("NodeAffinity");

        serve();
        label("role", "x");
        kernel.runFor(Duration.ofMinutes(3));
        assertThat(fate(node, "a")).contains("NodeAffinity");
    }

    @Test
    void since_1_35_the_node_is_asked_for_before_a_pod_is_rejected_for_labels() {
        serve();
        label("role", "x");
        SimNode old = node("1.34", false);
        write(old, "a.json", pod("a", "\"nodeSelector\": {\"role\": \"x\"},"));
        old.powerOff(Fate.lost());
        old.powerOn();
        kernel.runFor(SOON);
        assertThat(fate(old, "a")).contains("NodeAffinity");
        old.powerOff(Fate.lost());

        SimNode young = node("1.36", false);
        write(young, "a.json", pod("a", "\"nodeSelector\": {\"role\": \"x\"},"));
        young.powerOff(Fate.lost());
        young.powerOn();
        kernel.runFor(SOON.multipliedBy(2));
        assertThat(fate(young, "a")).contains("Running");
    }

    /** The node has this label from somebody else than kubelet. */
    private void label(String key, String value) {
        ApiClient client = server.client();
        Optional<ObjectNode> node = client.get(client.resource("", "nodes"), "", "n1");
        ObjectNode object = node.orElseGet(() -> (ObjectNode) JsonMapper.shared()
                .readTree("{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n1\"}}"));
        object.withObject("/metadata/labels").put(key, value);
        if (node.isPresent()) {
            client.update(client.resource("", "nodes"), "", object);
        } else {
            client.create(client.resource("", "nodes"), "", object);
        }
    }

    @Test
    void a_kubelet_without_a_kubeconfig_crashes_on_a_runtime_class_again_and_again() throws IOException {
        SimNode node = node("1.34", true);
        write(node, "b.json", pod("b", ""));
        write(node, "a.json", pod("a", "\"runtimeClassName\": \"x\","));
        kernel.runFor(Duration.ofMinutes(1));

        assertThat(node.log().stream()
                        .filter(line -> line.line().startsWith("panic:"))
                        .count())
                .isGreaterThan(2);
        remove(node, "a.json");
        kernel.runFor(Duration.ofMinutes(1));
        assertThat(fate(node, "b")).contains("Running");
    }

    @Test
    void a_container_that_ends_at_once_is_started_again_after_longer_and_longer() throws IOException {
        SimNode node = node("1.34", true);
        write(node, "a.json", pod("a", ""));
        kernel.runFor(Duration.ofSeconds(2));
        List<Duration> starts = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int known = started.size();
            started.get(known - 1).exit(1);
            Duration ended = kernel.elapsed();
            kernel.runUntil(() -> started.size() > known, Duration.ofMinutes(5));
            starts.add(kernel.elapsed().minus(ended).truncatedTo(ChronoUnit.SECONDS));
        }

        assertThat(starts)
                .containsExactly(
                        Duration.ofSeconds(11), Duration.ofSeconds(21), Duration.ofSeconds(41), Duration.ofSeconds(81));
        assertThat(node.runtime().cri().containers().get(0).attempt()).isEqualTo(4);
    }

    @Test
    void a_directory_that_is_missing_keeps_the_pod_from_starting() throws IOException {
        SimNode node = node("1.34", true);
        write(
                node,
                "a.json",
                pod(
                        "a",
                        "\"volumes\": [{\"name\": \"v\", \"hostPath\": {\"path\": \"/data\", \"type\":"
                                + " \"Directory\"}}],"));
        kernel.runFor(SOON);
        assertThat(fate(node, "a")).contains("Pending");

        node.disk().as("writer").createDirectory(Path.of("/data"), Access.root(0755));
        kernel.runFor(Duration.ofMinutes(2));
        assertThat(fate(node, "a")).contains("Running");
    }

    @Test
    void two_pods_of_one_port_are_one_too_many() {
        SimNode node = node("1.34", true);
        for (String name : List.of("a", "b")) {
            write(
                    node,
                    name + ".json",
                    pod(name, "\"hostNetwork\": true,")
                            .replace("\"i:1\"", "\"i:1\", \"ports\": [{\"containerPort\": 80}]"));
        }
        kernel.runFor(SOON);

        assertThat(fate(node, "a")).contains("Running");
        assertThat(fate(node, "b")).contains("NodePorts");
    }
}
