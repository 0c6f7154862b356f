package dev.kip.sim.s3;

import com.google.common.collect.ImmutableMap;

/** An error answer of S3, worded as S3 words it. */
public final class S3Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final transient ImmutableMap<String, String> details;

    public S3Failure(int status, String code, String message) {
        this(status, code, message, ImmutableMap.of());
    }

    /** @param details more elements of the answer, such as the key that is not there */
    S3Failure(int status, String code, String message, ImmutableMap<String, String> details) {
        super(message);
        this.status = status;
        this.code = code;
        this.details = details;
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    ImmutableMap<String, String> details() {
        return details;
    }

    static S3Failure noSuchBucket(String bucket) {
        return new S3Failure(
                404, "NoSuchBucket", "The specified bucket does not exist", ImmutableMap.of("BucketName", bucket));
    }

    static S3Failure noSuchKey(String key) {
        return new S3Failure(404, "NoSuchKey", "The specified key does not exist.", ImmutableMap.of("Key", key));
    }

    static S3Failure precondition(String header) {
        return new S3Failure(
                412,
                "PreconditionFailed",
                "At least one of the pre-conditions you specified did not hold",
                ImmutableMap.of("Condition", header));
    }

    /** A concurrent change was under way. Never of itself: calls here come one after the other. */
    public static S3Failure conflict() {
        return new S3Failure(
                409,
                "ConditionalRequestConflict",
                "The conditional request cannot succeed due to a conflicting operation against this resource.");
    }

    static S3Failure accessDenied() {
        return new S3Failure(403, "AccessDenied", "Access Denied");
    }

    static S3Failure invalid(String name, String value) {
        return new S3Failure(
                400,
                "InvalidArgument",
                "The value specified in " + name + " is not valid",
                ImmutableMap.of("ArgumentName", name, "ArgumentValue", value));
    }

    static S3Failure notImplemented(String what) {
        return new S3Failure(
                501, "NotImplemented", what + " implies functionality that is not implemented by this simulated S3");
    }
}
