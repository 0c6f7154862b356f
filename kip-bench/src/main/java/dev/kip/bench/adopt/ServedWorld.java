package dev.kip.bench.adopt;

import com.google.common.collect.ImmutableMap;
import dev.kip.bench.adopt.CallCounts.Counts;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.ServerTls;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.sim.apiserver.ApiClient;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.cell.CellTimes;
import dev.kip.sim.ec2.Ec2Settings;
import dev.kip.sim.embedded.OnLoop;
import dev.kip.sim.workloads.Workloads;
import dev.kip.sim.world.Definitions;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * API server, EC2 with its limits on requests, anchor store and agents on loopback, for a controller in another process.
 * They share one loop on real time. Not for use from that loop.
 */
final class ServedWorld implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String HOST = "127.0.0.1";
    private static final String NODE = "virtual-kubelet";
    private static final String BUCKET = "kip-anchor";
    private static final String TOKEN = "the-controllers-own";

    private final SystemLoop loop = SystemLoop.start("world");
    private final Vertx vertx = VertxHttpServer.vertx();
    private final SecureEntropy entropy = new SecureEntropy();
    private final CallCounts counts = new CallCounts();
    private final AgentsBehindOnePort agents;
    private final ApiServer apiServer;
    private final ApiClient api;
    private final ServedCloud cloud;
    private final VertxHttpServer kubernetes;
    private final VertxHttpServer aws;
    private final Path folder;

    /**
     * Starts one and writes {@code provider.yaml} and {@code kubeconfig} to the folder.
     *
     * @param kept from {@link #save}; empty for a world with nothing in it
     */
    ServedWorld(Path folder, Optional<ObjectNode> kept) throws IOException {
        this.folder = folder;
        agents = new AgentsBehindOnePort(vertx, loop, entropy, AgentsBehindOnePort.At.LOOPBACK);
        SelfSigned key = SelfSigned.create(entropy, loop.now(), "kubernetes");
        apiServer = on(() -> new ApiServer(
                loop,
                entropy.fork("kubernetes"),
                ApiServerSettings.DEFAULT.withTokens(ImmutableMap.of(TOKEN, "system:serviceaccount:kip:kip"))));
        api = on(() -> {
            kept.ifPresent(world -> apiServer.takeUp(world.withObjectProperty("kubernetes")));
            ApiClient client = apiServer.client();
            if (kept.isEmpty()) {
                Definitions.install(client);
                new Workloads(client, loop, entropy.fork("workloads")).start();
            }
            return client;
        });
        cloud = on(() -> new ServedCloud(
                loop,
                entropy,
                agents,
                kept.isEmpty() ? Ec2Settings.quick() : Ec2Settings.quick().withThrottling(true),
                CellTimes.quick()));
        on(() -> {
            kept.ifPresent(cloud::restore);
            cloud.createBucket(BUCKET);
            return true;
        });
        kubernetes = VertxHttpServer.start(
                vertx,
                ServerBinding.secure(HOST, 0, ServerTls.of(key.certificatePem(), key.keyPem())),
                loop,
                counts.kubernetes(apiServer));
        aws = VertxHttpServer.start(vertx, ServerBinding.plain(HOST, 0), loop, counts.cloud(cloud));
        write();
    }

    private void write() throws IOException {
        Files.writeString(kubeconfig(), """
                apiVersion: v1
                kind: Config
                clusters:
                - name: kip
                  cluster: {server: "https://%s:%d", insecure-skip-tls-verify: true}
                users:
                - name: kip
                  user: {token: %s}
                contexts:
                - name: kip
                  context: {cluster: kip, user: kip}
                current-context: kip
                """.formatted(HOST, kubernetes.port(), TOKEN));
        String endpoint = "http://" + HOST + ":" + aws.port();
        Files.writeString(providerYaml(), """
                cloud:
                  aws:
                    region: us-east-1
                    endpointURL: %1$s
                    accessKeyID: bench
                    secretAccessKey: bench
                cells:
                  bootImageSpec:
                    owners: amazon
                    filters: name=al2023-ami-*
                  defaultInstanceType: t3.nano
                  addressMap: %2$s
                kubelet:
                  capacity:
                    cpu: "100000"
                    memory: 400Ti
                    pods: "100000"
                node:
                  taint: false
                ownership:
                  anchor: s3://%3$s/kip
                  anchorEndpointURL: %1$s
                """.formatted(endpoint, addresses(), BUCKET));
        writeAddresses();
    }

    /** Writes where the agents that are there now are dialled. */
    void writeAddresses() {
        on(() -> {
            agents.writeMap(addresses());
            return true;
        });
    }

    private Path addresses() {
        return folder.resolve("addresses.json");
    }

    Path providerYaml() {
        return folder.resolve("provider.yaml");
    }

    Path kubeconfig() {
        return folder.resolve("kubeconfig");
    }

    /** A pod bound to the virtual node. */
    void createPod(String name) {
        ObjectNode pod = (ObjectNode) JSON.readTree("""
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": "%1$s", "namespace": "default", "labels": {"app": "web"}},
                 "spec": {"nodeName": "%2$s", "containers": [{"name": "web", "image": "nginx:1.27",
                   "ports": [{"containerPort": 80}], "env": [{"name": "GREETING", "value": "hello"}],
                   "readinessProbe": {"httpGet": {"path": "/", "port": 80}},
                   "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}]}}
                """.formatted(name, NODE));
        on(() -> api.create(api.resource("", "pods"), "default", pod));
    }

    boolean hasNode() {
        return on(() -> api.get(api.resource("", "nodes"), "", NODE).isPresent());
    }

    /** Whether the pod says that it is ready. */
    boolean isReady(String name) {
        return on(() -> api.get(api.resource("", "pods"), "default", name)
                .map(pod -> pod.at("/status/conditions").toString().contains("\"type\":\"Ready\",\"status\":\"True\""))
                .orElse(false));
    }

    /** How many agents serve. */
    int serving() {
        return on(agents::serving);
    }

    /** How many agents have been asked for their state since {@link #forgetHeard}. */
    int heard() {
        return on(agents::heard);
    }

    void forgetHeard() {
        on(() -> {
            agents.forgetHeard();
            return true;
        });
    }

    Counts counts() {
        return on(counts::now);
    }

    /** Containers that have been started. */
    int starts() {
        return on(() -> cloud.starts());
    }

    int instances() {
        return on(cloud::running);
    }

    /** All of it, for another to take up. */
    ObjectNode save() {
        return on(() -> {
            ObjectNode world = JSON.createObjectNode();
            world.set("kubernetes", apiServer.save());
            cloud.save(world);
            return world.deepCopy();
        });
    }

    private <T> T on(Supplier<T> made) {
        return OnLoop.run(loop, made);
    }

    @Override
    public void close() {
        on(() -> {
            cloud.close();
            return true;
        });
        agents.close();
        kubernetes.close();
        aws.close();
        vertx.close();
        loop.close();
    }
}
