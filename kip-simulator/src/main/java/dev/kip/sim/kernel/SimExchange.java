package dev.kip.sim.kernel;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** One request's connection, seen from both ends: pieces arrive in order, late, or never. */
final class SimExchange {

    private final Kernel kernel;
    private final SimProcess client;
    private final Supplier<Duration> latency;
    private final SimNetwork.Answer answer;
    private final Predicate<Boolean> cutTowardsServer;
    private final LongSupplier heldUntil;
    private final List<Runnable> onServerClose = new ArrayList<>();
    private final Runnable forgetClient;
    private final long id;
    private long lastArrival;
    private boolean closed;
    private boolean hungUp;
    private boolean answerLost;
    private boolean gap;

    SimExchange(
            Kernel kernel,
            SimProcess client,
            Supplier<Duration> latency,
            SimNetwork.Answer answer,
            Predicate<Boolean> cutTowardsServer,
            LongSupplier heldUntil,
            long id) {
        this.kernel = kernel;
        this.client = client;
        this.latency = latency;
        this.answer = answer;
        this.cutTowardsServer = cutTowardsServer;
        this.heldUntil = heldUntil;
        this.id = id;
        this.forgetClient = client.onDeath(this::hangUp);
    }

    /** The client's end goes away; the server hears of it later. */
    void hangUp() {
        if (!hungUp) {
            hungUp = true;
            kernel.schedule(latency.get(), this::serverCloses);
        }
    }

    /** Nothing that the server answers reaches the client; its connection breaks instead. */
    void loseAnswer(IOException reason) {
        broken(reason);
        answerLost = true;
    }

    /** The connection breaks: the client hears of it after what is under way already. */
    void breakOff(IOException reason) {
        if (!closed) {
            broken(reason);
            serverCloses();
        }
    }

    private void broken(IOException reason) {
        toClient(() -> {
            kernel.trace().witness().answered(kernel.elapsed(), id, 0);
            answer.broken(reason);
        });
    }

    void head(int status, ImmutableMap<String, String> headers) {
        kernel.trace().mix(status);
        toClient(() -> {
            kernel.trace().witness().answered(kernel.elapsed(), id, status);
            answer.head(status, headers);
        });
    }

    void piece(byte[] piece) {
        kernel.trace().mix(piece);
        toClient(() -> answer.piece(piece));
    }

    void end() {
        toClient(answer::end);
        serverCloses();
    }

    void onServerClose(Runnable task) {
        if (closed) {
            task.run();
        } else {
            onServerClose.add(task);
        }
    }

    private void serverCloses() {
        if (!closed) {
            closed = true;
            forgetClient.run();
            onServerClose.forEach(Runnable::run);
            onServerClose.clear();
        }
    }

    /** Nothing is ever left out of the middle of an answer: once a piece is lost, the next one finds the connection dead. */
    private void toClient(Runnable delivery) {
        if (closed || hungUp || answerLost) {
            return;
        }
        if (cutTowardsServer.test(false)) {
            gap = true;
            return;
        }
        if (gap) {
            gap = false;
            breakOff(new IOException("connection reset: the other end had given it up"));
            return;
        }
        long soonest = Math.max(kernel.nanos() + latency.get().toNanos(), heldUntil.getAsLong());
        lastArrival = Math.max(lastArrival, soonest);
        client.after(Duration.ofNanos(lastArrival - kernel.nanos()), () -> {
            if (!hungUp) {
                delivery.run();
            }
        });
    }
}
