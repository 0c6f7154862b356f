package dev.kip.sim.ec2;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.aws.AwsCloudProvider;
import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import dev.kip.sim.Programs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** The suite on moto, if {@code moto_server} is there: the same class on an EC2 that none of us wrote. */
@Tag("real")
class MotoCloudTest extends CloudSuite {

    private static Optional<Process> server = Optional.empty();
    private static int port;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> program = Programs.find("moto_server");
        assumeTrue(program.isPresent(), "skipped: moto_server is not on PATH");
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        server = Optional.of(new ProcessBuilder(program.get().toString(), "-H", "127.0.0.1", "-p", String.valueOf(port))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start());
        for (int tries = 0; tries < 300 && !listens(); tries++) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private static boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @AfterAll
    static void stop() {
        server.ifPresent(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }

    @BeforeEach
    void forget() throws Exception {
        var request = java.net.http.HttpRequest.newBuilder(
                        java.net.URI.create("http://127.0.0.1:" + port + "/moto-api/reset"))
                .POST(java.net.http.HttpRequest.BodyPublishers.noBody())
                .build();
        java.net.http.HttpClient.newHttpClient().send(request, java.net.http.HttpResponse.BodyHandlers.discarding());
    }

    @Override
    CloudApi cloud() {
        CloudSettings settings = new CloudSettings(
                "us-east-1",
                Optional.of("http://127.0.0.1:" + port),
                Optional.of("AKIAEXAMPLE"),
                Optional.of("secret"),
                false,
                ImmutableMap.of());
        return new AwsCloudProvider().open(settings, new AtOnce());
    }

    @Override
    <T> Outcome<T, CloudError> await(CompletionStage<Outcome<T, CloudError>> stage) {
        return stage.toCompletableFuture().join();
    }

    @Override
    void settle() {
        // moto's instances run as soon as they are described
    }

    @Override
    ImmutableSet<Promise> broken() {
        return ImmutableSet.of(
                Promise.TOKENS_ARE_REMEMBERED,
                Promise.PARTS_OF_A_LAUNCH,
                Promise.PENDING_FIRST,
                Promise.GROUPS_IN_USE,
                Promise.PAGES,
                Promise.TEMPLATES_ARE_CHECKED,
                Promise.IMAGES_ARE_CHECKED);
    }

    @Override
    String image() {
        return "ami-0fffffffffffffff0";
    }

    /** Calls on the caller's thread. */
    private static final class AtOnce implements Offload {
        @Override
        public <T> CompletionStage<Outcome<T, Abandoned>> call(String name, Duration deadline, Callable<T> call) {
            try {
                return CompletableFuture.completedFuture(Outcome.ok(call.call()));
            } catch (Exception e) {
                return CompletableFuture.completedFuture(Outcome.failed(new Abandoned.Threw(name, e)));
            }
        }
    }
}
