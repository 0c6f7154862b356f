package dev.kip.bench.system;

import dev.kip.bench.Patience;
import dev.kip.bench.adopt.AgentsBehindOnePort;
import dev.kip.bench.adopt.ChildController;
import dev.kip.bench.adopt.ServedCloud;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.sim.cell.CellTimes;
import dev.kip.sim.cell.CellTimes.Range;
import dev.kip.sim.ec2.Ec2Settings;
import dev.kip.sim.embedded.OnLoop;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The production controller in a process of its own. Its EC2 and the agents of its cells are simulated in this one: they
 * boot, pull and obey at once, and EC2 has no limits, so that what is measured is Kip and the API server. Every cell is
 * spoken to by mutual TLS all the same.
 */
final class Kip implements Peer {

    private static final String NODE = "kip-bench";
    private static final String HOST = "127.0.0.1";
    private static final CellTimes AT_ONCE = new CellTimes(
            Range.ofMillis(0, 1),
            Range.ofMillis(0, 1),
            Range.ofMillis(0, 1),
            Range.ofMillis(0, 1),
            Range.ofMillis(0, 1));

    private final SystemLoop loop = SystemLoop.start("cloud");
    private final Vertx vertx = VertxHttpServer.vertx();
    private final Cluster cluster;
    private final AgentsBehindOnePort agents;
    private final ServedCloud cloud;
    private final VertxHttpServer aws;
    private final ChildController controller;

    /** @param folder for its configuration */
    Kip(Path kubeconfig, Path folder, Cluster cluster) throws IOException {
        this.cluster = cluster;
        cluster.prepareForKip();
        SecureEntropy entropy = new SecureEntropy();
        agents = new AgentsBehindOnePort(vertx, loop, entropy, AgentsBehindOnePort.At.PRIVATE_ADDRESS);
        Ec2Settings settings = Ec2Settings.quick().withTimes(Duration.ZERO, Duration.ofMillis(1), Duration.ofMillis(1));
        cloud = on(() -> new ServedCloud(loop, entropy, agents, settings, AT_ONCE));
        aws = VertxHttpServer.start(vertx, ServerBinding.plain(HOST, 0), loop, cloud);
        Path providerYaml = folder.resolve("provider.yaml");
        Files.writeString(providerYaml, """
                namespace: kip
                cloud:
                  aws:
                    region: us-east-1
                    endpointURL: http://%s:%d
                    accessKeyID: bench
                    secretAccessKey: bench
                cells:
                  bootImageSpec:
                    owners: amazon
                    filters: name=al2023-ami-*
                  defaultInstanceType: t3.nano
                kubelet:
                  capacity:
                    cpu: "100000"
                    memory: 400Ti
                    pods: "100000"
                node:
                  name: %s
                  taint: false
                """.formatted(HOST, aws.port(), NODE));
        controller = new ChildController(providerYaml, kubeconfig);
        controller.say("start");
        Patience.until("Kip's node is ready", Duration.ofSeconds(60), () -> cluster.isReady(NODE));
    }

    @Override
    public String name() {
        return "kip";
    }

    @Override
    public String node() {
        return NODE;
    }

    @Override
    public long residentBytes() {
        return Resident.peakBytes(controller.pid());
    }

    private <T> T on(Supplier<T> made) {
        return OnLoop.run(loop, made);
    }

    @Override
    public void close() {
        controller.close();
        on(() -> {
            cloud.close();
            return true;
        });
        agents.close();
        aws.close();
        vertx.close();
        loop.close();
        cluster.deleteNode(NODE);
    }
}
