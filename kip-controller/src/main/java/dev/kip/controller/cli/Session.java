package dev.kip.controller.cli;

import com.google.common.base.Throwables;
import dev.kip.cloud.CloudApi;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.kube.KubeApi;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The ways out for one command, which asks one thing after the other and waits for each answer. Not for use on the loop. */
final class Session implements AutoCloseable {

    private static final int SAY_EVERY_SECONDS = 3;
    private static final int PATIENCE_SECONDS = 300;

    private final ResolvedConfig config;
    private final RealWays ways;
    private final PrintWriter progress;

    private Session(ResolvedConfig config, RealWays ways, PrintWriter progress) {
        this.config = config;
        this.ways = ways;
        this.progress = progress;
    }

    /**
     * Sends nothing yet.
     *
     * @param progress told what is waited for, if that takes seconds
     */
    static Session open(Connection connection, PrintWriter progress) {
        ResolvedConfig config = connection.resolve(Optional.empty());
        return new Session(config, RealWays.open(config, connection.kubeconfig(), "command"), progress);
    }

    ResolvedConfig config() {
        return config;
    }

    RealWays ways() {
        return ways;
    }

    KubeApi kube() {
        return ways.kube();
    }

    CloudApi cloud() {
        return ways.cloud();
    }

    URI apiServer() {
        return ways.apiServer();
    }

    Instant now() {
        return ways.loop().now();
    }

    /**
     * Sends {@code call} and waits for its answer.
     *
     * @param what is asked for, for people: "the instances"
     */
    <T> T ask(String what, Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        ways.loop().post(() -> {
            try {
                call.get().whenComplete((value, failure) -> {
                    if (failure == null) {
                        answer.complete(value);
                    } else {
                        answer.completeExceptionally(failure);
                    }
                });
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        for (int waited = 0; waited < PATIENCE_SECONDS; waited += SAY_EVERY_SECONDS) {
            try {
                return answer.get(SAY_EVERY_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                say("waiting for " + what + ", " + (waited + SAY_EVERY_SECONDS) + " s");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CliFailure(CliFailure.FAILED, "interrupted while waiting for " + what);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof CliFailure told) {
                    throw told;
                }
                throw new IllegalStateException("asking for " + what, e.getCause());
            }
        }
        throw new CliFailure(CliFailure.FAILED, "no answer for " + what + " in " + PATIENCE_SECONDS + " s");
    }

    /**
     * As {@link #ask}, for a call that may fail.
     *
     * @param failed told why, for people; the answer is empty then
     */
    <T> Optional<T> attempt(String what, Supplier<CompletionStage<T>> call, Consumer<String> failed) {
        try {
            return Optional.of(ask(what, call));
        } catch (IllegalStateException e) {
            Throwable cause = Throwables.getRootCause(e);
            failed.accept(cause.getMessage() == null ? cause.toString() : cause.getMessage());
            return Optional.empty();
        }
    }

    /** Waits. */
    void pause(Duration pause) {
        CompletableFuture<Boolean> due = new CompletableFuture<>();
        ways.loop().after(pause, () -> due.complete(true));
        due.join();
    }

    /** Tells people what is being done, beside the output. */
    void say(String doing) {
        progress.println("kip: " + doing);
        progress.flush();
    }

    @Override
    public void close() {
        ways.close();
    }
}
