package dev.kip.cloud.aws;

import dev.kip.cloud.CloudError;
import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpResponse;

/** What the calls of both stores have in common. */
final class AnchorCalls {

    /** A few objects of a few kilobytes: an answer takes some hundredths of a second, and a leader waits for it. */
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._/-]{1,200}");
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._/-]{0,200}");
    private static final int MOST_CONTENT = 64 * 1024;

    private AnchorCalls() {}

    /** One request on a slot of {@code offload}, unless {@code fault} says that it cannot be right. */
    static <T> CompletionStage<Outcome<T, CloudError>> send(
            Offload offload, String call, Optional<String> fault, Callable<T> request) {
        if (fault.isPresent()) {
            return CompletableFuture.completedFuture(
                    Outcome.failed(new CloudError.Refused("InvalidParameter", call + ": " + fault.get())));
        }
        return offload.call(call, DEADLINE, request).thenApply(answer -> answer.mapError(AwsErrors::of));
    }

    static Optional<String> faultOfKey(String key) {
        return unless(
                KEY.matcher(key).matches(),
                () -> "\"" + key + "\" is no key; wanted 1 to 200 of letters, digits, - _ . and /");
    }

    static Optional<String> faultOfPrefix(String prefix) {
        return unless(
                PREFIX.matcher(prefix).matches(),
                () -> "\"" + prefix + "\" begins no key; wanted at most 200 of letters, digits, - _ . and /");
    }

    static Optional<String> faultOfContent(String content) {
        int bytes = content.getBytes(StandardCharsets.UTF_8).length;
        return unless(bytes <= MOST_CONTENT, () -> bytes + " bytes of content; at most " + MOST_CONTENT + " fit");
    }

    private static Optional<String> unless(boolean good, Supplier<String> fault) {
        return good ? Optional.empty() : Optional.of(fault.get());
    }

    /** By the store's clock; a store that does not tell the time cannot hold an anchor. */
    static Instant serverTime(SdkHttpResponse response) {
        String date = response.firstMatchingHeader("Date").orElse("");
        try {
            return DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from);
        } catch (DateTimeException e) {
            throw SdkClientException.create("the answer has no readable Date: \"" + date + "\"", e);
        }
    }
}
