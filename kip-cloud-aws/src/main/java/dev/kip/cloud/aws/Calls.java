package dev.kip.cloud.aws;

import dev.kip.cloud.CloudError;
import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Sends requests on slots of an {@link Offload}, with the deadline of their kind. Called on the loop. */
final class Calls {

    /** EC2 answers reads in well under a second, and launches and ends of a hundred in a few. */
    private static final Duration READ = Duration.ofSeconds(15);

    /** Below what is left of a lease: what is sent must have arrived, or never will, before another may lead. */
    private static final Duration WRITE = Duration.ofSeconds(10);

    private final Offload offload;

    Calls(Offload offload) {
        this.offload = offload;
    }

    <T> CompletionStage<Outcome<T, CloudError>> read(String call, Callable<T> request) {
        return send(call, READ, request);
    }

    <T> CompletionStage<Outcome<T, CloudError>> write(String call, Callable<T> request) {
        return send(call, WRITE, request);
    }

    /** A read that the service answers late on purpose. */
    <T> CompletionStage<Outcome<T, CloudError>> waiting(String call, Duration wait, Callable<T> request) {
        return send(call, READ.plus(wait), request);
    }

    private <T> CompletionStage<Outcome<T, CloudError>> send(String call, Duration deadline, Callable<T> request) {
        return offload.call(call, deadline, request).thenApply(answer -> answer.mapError(AwsErrors::of));
    }

    /** Runs {@code request} unless its parameters are wrong on sight; then it is answered without a call. */
    static <T> CompletionStage<Outcome<T, CloudError>> fitting(
            String call, Supplier<CompletionStage<Outcome<T, CloudError>>> request) {
        try {
            return request.get();
        } catch (IllegalArgumentException e) {
            return refused(call + ": " + e.getMessage());
        }
    }

    static <T> CompletionStage<Outcome<T, CloudError>> refused(String message) {
        return done(Outcome.failed(new CloudError.Refused("InvalidParameter", message)));
    }

    static <T> CompletionStage<T> done(T value) {
        return CompletableFuture.completedFuture(value);
    }
}
