package dev.kip.sim.cell;

import com.google.common.collect.ImmutableList;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.loop.system.ThreadOffload;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import software.amazon.awssdk.services.ec2.Ec2Client;

/** The machines of an EC2 that runs none, played in this process behind real sockets. Not for use from their loop. */
public final class PlayedCells implements AutoCloseable {

    private static final int SLOTS = 4;
    private static final Duration EVERY = Duration.ofMillis(500);

    private final SystemLoop loop = SystemLoop.start("cells");
    private final Vertx vertx = VertxHttpServer.vertx();
    private final GroundTruth truth = new GroundTruth();
    private final ThreadOffload offload;
    private final SimCells cells;

    private PlayedCells(Ec2Client ec2, Addresses addresses) {
        this.offload = new ThreadOffload(loop, "ec2", SLOTS);
        SecureEntropy entropy = new SecureEntropy();
        this.cells = new SimCells(
                new SocketHost(vertx, loop, entropy, addresses.on(loop)), loop, entropy, CellTimes.quick(), truth);
        // A machine that shuts itself down is ended, as its template says.
        cells.onShutdown(id -> offload.call(
                "ec2.TerminateInstances",
                Duration.ofSeconds(30),
                () -> ec2.terminateInstances(request -> request.instanceIds(id))));
        loop.post(new InstancePoll(loop, offload, ec2, EVERY, cells)::start);
    }

    /** Where the cells listen. */
    public interface Addresses {
        CellAddresses on(SystemLoop loop);
    }

    public static PlayedCells start(Ec2Client ec2, Addresses addresses) {
        return new PlayedCells(ec2, addresses);
    }

    /** One pod attempt on two instances, or one pod running on two at a time. */
    public ImmutableList<String> violations() {
        return ask(GroundTruth::violations);
    }

    /** A cluster went back in time: it may have forgotten what it tried. */
    public void historyRewritten() {
        loop.post(truth::historyRewritten);
    }

    private <T> T ask(Function<GroundTruth, T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        loop.post(() -> answer.complete(question.apply(truth)));
        return answer.join();
    }

    /** Every one loses its power. */
    @Override
    public void close() {
        CompletableFuture<Boolean> off = new CompletableFuture<>();
        loop.post(() -> {
            cells.close();
            off.complete(true);
        });
        off.join();
        offload.close();
        loop.close();
        vertx.close();
    }
}
