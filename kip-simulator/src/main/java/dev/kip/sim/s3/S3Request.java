package dev.kip.sim.s3;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import dev.kip.http.HttpCall;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * What a request wants of S3, with the bucket in its path.
 *
 * @param action in S3's words, for example {@code PutObject}
 * @param key empty for a call about the bucket
 */
record S3Request(HttpCall call, String action, String bucket, String key) {

    /** Headers that say nothing of what is asked for, or are dealt with by name. */
    private static final ImmutableSet<String> IN_USE = ImmutableSet.of(
            "x-amz-date",
            "x-amz-content-sha256",
            "x-amz-security-token",
            "x-amz-user-agent",
            "x-amz-server-side-encryption",
            "x-amz-server-side-encryption-aws-kms-key-id");

    private static final ImmutableSet<String> CONDITIONS =
            ImmutableSet.of("if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "range");

    private static final ImmutableSet<String> OF_LISTS = ImmutableSet.of(
            "list-type", "prefix", "max-keys", "continuation-token", "start-after", "encoding-type", "delimiter");

    /** @throws S3Failure for a call that this S3 does not have, before anything is done */
    static S3Request of(HttpCall call) {
        List<String> path = Splitter.on('/').limit(3).splitToList(call.rawPath());
        String bucket = decoded(path.size() > 1 ? path.get(1) : "");
        String key = decoded(path.size() > 2 ? path.get(2) : "");
        S3Request request = new S3Request(call, action(call, bucket, key), bucket, key);
        request.refuseTheUnknown();
        return request;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static String action(HttpCall call, String bucket, String key) {
        if (bucket.isEmpty()) {
            throw S3Failure.notImplemented("A request without a bucket in its path");
        }
        boolean aboutObject = !key.isEmpty() && queryIsPlain(call);
        return switch (call.method()) {
            case "GET" -> aboutObject ? "GetObject" : listing(call, key);
            case "PUT" -> objectOnly(call, aboutObject, "PutObject");
            case "DELETE" -> objectOnly(call, aboutObject, "DeleteObject");
            default -> throw notHere(call);
        };
    }

    private static String listing(HttpCall call, String key) {
        if (!key.isEmpty() || !call.parameter("list-type").equals(Optional.of("2"))) {
            throw notHere(call);
        }
        return "ListObjectsV2";
    }

    private static String objectOnly(HttpCall call, boolean aboutObject, String action) {
        if (!aboutObject) {
            throw notHere(call);
        }
        return action;
    }

    /** {@code x-id} is the SDK's note of the action for people who read logs. */
    private static boolean queryIsPlain(HttpCall call) {
        return call.query().keySet().stream().allMatch(name -> name.equals("x-id"));
    }

    private static S3Failure notHere(HttpCall call) {
        return S3Failure.notImplemented(
                "A " + call.method() + " with the parameters " + call.query().keySet());
    }

    private void refuseTheUnknown() {
        for (String header : call.headers().keySet()) {
            boolean condition = CONDITIONS.contains(header) && !conditions().contains(header);
            if (condition || (header.startsWith("x-amz-") && !IN_USE.contains(header))) {
                throw S3Failure.notImplemented("The header " + header + " of a " + action);
            }
        }
        if (call.header("x-amz-content-sha256").orElse("").startsWith("STREAMING-")) {
            throw S3Failure.notImplemented("A body in signed chunks");
        }
        if (action.equals("ListObjectsV2")) {
            call.query().keySet().stream()
                    .filter(name -> !OF_LISTS.contains(name))
                    .findFirst()
                    .ifPresent(name -> {
                        throw S3Failure.notImplemented("The parameter " + name + " of a ListObjectsV2");
                    });
        }
    }

    private ImmutableSet<String> conditions() {
        return switch (action) {
            case "PutObject" -> ImmutableSet.of("if-match", "if-none-match");
            case "DeleteObject" -> ImmutableSet.of("if-match");
            default -> ImmutableSet.of();
        };
    }
}
