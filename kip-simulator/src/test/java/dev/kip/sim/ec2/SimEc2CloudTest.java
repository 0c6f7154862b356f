package dev.kip.sim.ec2;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.aws.AwsCloud;
import dev.kip.outcome.Outcome;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import dev.kip.sim.kernel.SimOffload;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.SimSdkHttpClient;
import dev.kip.sim.kernel.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;

/** The suite on the simulated EC2, by the SDK over the simulated network. */
class SimEc2CloudTest extends CloudSuite {

    private final Kernel kernel = new Kernel(11, Instant.parse("2030-01-01T00:00:00Z"), new Trace(false));
    private final SimProcess server = new SimProcess(kernel, "ec2");
    private final SimProcess client = new SimProcess(kernel, "kip");
    private final SimEc2 ec2 = new SimEc2(
            server,
            kernel.entropy("ec2"),
            Ec2Settings.realistic().withTimes(Duration.ofSeconds(2), Duration.ofSeconds(20), Duration.ofSeconds(20)));
    private final CloudApi cloud = connect();

    private CloudApi connect() {
        SimNetwork network = new SimNetwork(
                kernel, (from, to, request) -> new Call(from, to, request.method(), request.rawPath(), true));
        network.listen("ec2.sim", 80, "ec2", server, ec2);
        network.listen("ec2.sim", -1, "ec2", server, ec2);
        SimOffload offload = new SimOffload(client, 8, Duration.ofMillis(200));
        return new AwsCloud(
                new CloudSettings(
                        "us-east-1",
                        Optional.of("http://ec2.sim"),
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        ImmutableMap.of()),
                offload,
                new SimSdkHttpClient(network, offload),
                AnonymousCredentialsProvider.create());
    }

    @Override
    CloudApi cloud() {
        return cloud;
    }

    @Override
    <T> Outcome<T, CloudError> await(CompletionStage<Outcome<T, CloudError>> stage) {
        var future = stage.toCompletableFuture();
        assertThat(kernel.runUntil(future::isDone, Duration.ofMinutes(2))).isTrue();
        return future.join();
    }

    @Override
    void settle() {
        kernel.runFor(Duration.ofSeconds(21));
    }

    @Override
    Instant now() {
        return kernel.now();
    }

    @Override
    ImmutableSet<Promise> broken() {
        return ImmutableSet.of();
    }

    @Override
    String image() {
        return "ami-0a1b2c3d4e5f60003";
    }
}
