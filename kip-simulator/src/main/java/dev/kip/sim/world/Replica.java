package dev.kip.sim.world;

import dev.kip.cell.wire.AddressMap;
import dev.kip.cell.wire.CellClients;
import dev.kip.cell.wire.HttpCellApi;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.aws.AwsAnchors;
import dev.kip.cloud.aws.AwsCloud;
import dev.kip.controller.Controller;
import dev.kip.controller.ControllerListener;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.entropy.Entropy;
import dev.kip.kube.HttpKubeApi;
import dev.kip.kube.KubeApi;
import dev.kip.sim.cell.SimulatedCertificates;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimHttpClient;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimOffload;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.SimSdkHttpClient;
import dev.kip.sim.scenario.Knob;
import dev.kip.sim.scenario.Knobs;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;

/** One process of the production controller on simulated seams. */
final class Replica {

    /** terminationGracePeriodSeconds of our Deployment. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final Kernel kernel;
    private final SimProcess process;
    private final Actor actor;
    private final String node;
    private final Controller controller;
    private boolean leading;
    private boolean stopping;
    private long epoch;

    /** @param entropy differs between the incarnations of a replica */
    Replica(
            Kernel kernel,
            SimNetwork network,
            SimProcess process,
            Actor actor,
            Entropy entropy,
            ResolvedConfig config,
            Knobs knobs,
            Parts parts,
            Consumer<Replica> onChange,
            BiConsumer<Replica, String> onCollected) {
        this.kernel = kernel;
        this.process = process;
        this.actor = actor;
        this.node = config.controller().node().name();
        SimOffload offload = new SimOffload(process, knobs.number(Knob.CLOUD_SLOTS), knobs.time(Knob.CLOUD));
        KubeApi kube = parts.kube(
                new HttpKubeApi(
                        new SimHttpClient(network, process, Optional.empty()),
                        SimCluster.uri(actor.cluster()),
                        process,
                        Runnable::run,
                        config.controller().timing().kubeTimeout()),
                process);
        CloudApi ec2 = parts.cloud(new AwsCloud(
                config.cloud(),
                offload,
                new SimSdkHttpClient(network, offload),
                AnonymousCredentialsProvider.create()));
        Optional<AnchorStore> anchor = config.anchor()
                .map(place -> AwsAnchors.open(
                        config.cloud(),
                        place.location(),
                        place.endpoint(),
                        offload,
                        new SimSdkHttpClient(network, offload),
                        AnonymousCredentialsProvider.create()));
        SimHttpClient cells = new SimHttpClient(network, process, Optional.of("kip-controller"));
        this.controller = new Controller(
                parts.loop(process),
                kube,
                ec2,
                parts.anchor(anchor),
                keys -> parts.cells(new HttpCellApi(
                        new CellClients(cells, cells),
                        process,
                        entropy.fork("cells"),
                        keys,
                        new SimulatedCertificates(network),
                        AddressMap.none())),
                parts.entropy(entropy),
                config.controller(),
                new ControllerListener() {
                    @Override
                    public void leading(boolean leader, long taken) {
                        leading = leader && taken > 0;
                        epoch = leading ? taken : epoch;
                        onChange.accept(Replica.this);
                    }

                    @Override
                    public void anomaly(String what, String detail) {
                        if (what.equals("orphan")) {
                            onCollected.accept(Replica.this, detail);
                        }
                        kernel.trace().line(kernel.elapsed(), process.name(), "anomaly: " + what + ": " + detail);
                    }
                },
                parts.gates());
        process.onDeath(() -> {
            leading = false;
            onChange.accept(this);
        });
        process.post(controller::start);
    }

    Actor actor() {
        return actor;
    }

    /** Its virtual node. */
    String node() {
        return node;
    }

    /** The last one under which it led; 0 if it never did. */
    long epoch() {
        return epoch;
    }

    /** SIGTERM: the lease is released, then the process ends; in the end it is made to. */
    void stop() {
        stopping = true;
        process.post(() -> controller.stop().thenRun(process::kill));
        kernel.schedule(GRACE, process::kill);
    }

    /** It was told to stop, and has not ended yet. */
    boolean stopping() {
        return stopping && process.alive();
    }

    SimProcess process() {
        return process;
    }

    boolean leading() {
        return leading && process.alive();
    }
}
