package dev.kip.cloud.aws;

import com.google.common.base.Strings;
import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudError;
import dev.kip.loop.Offload.Abandoned;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkClientException;

/**
 * The error codes of EC2, S3, DynamoDB and STS as {@link CloudError}s.
 *
 * @see <a href="https://docs.aws.amazon.com/ec2/latest/devguide/errors-overview.html">Error codes for the EC2 API</a>
 */
final class AwsErrors {

    /** EC2 sends no Retry-After; two request tokens of RunInstances come back each second. */
    private static final Duration THROTTLED_FOR = Duration.ofSeconds(1);

    private static final int SERVER_ERROR = 500;

    private static final ImmutableSet<String> NO_CAPACITY = ImmutableSet.of(
            "InsufficientInstanceCapacity",
            "InsufficientCapacity",
            "InsufficientHostCapacity",
            "InsufficientReservedInstanceCapacity",
            "UnfulfillableCapacity",
            "SpotMaxPriceTooLow");

    private static final ImmutableSet<String> LIMITS =
            ImmutableSet.of("InsufficientAddressCapacity", "PrivateIpAddressLimitExceeded");

    /** Spot's has the old name: it counts vCPUs since 2020. InstanceLimitExceeded is what older accounts say. */
    private static final ImmutableSet<String> VCPU_QUOTAS =
            ImmutableSet.of("VcpuLimitExceeded", "MaxSpotInstanceCountExceeded", "InstanceLimitExceeded");

    private static final ImmutableSet<String> THROTTLES = ImmutableSet.of(
            "RequestLimitExceeded",
            "Throttling",
            "ThrottlingException",
            "ThrottledException",
            "RequestThrottled",
            "RequestThrottledException",
            "EC2ThrottledException",
            "TooManyRequestsException",
            "BandwidthLimitExceeded",
            "SlowDown",
            "OperationAborted",
            "ProvisionedThroughputExceededException");

    /** S3's conditional requests and DynamoDB's. */
    private static final ImmutableSet<String> CHANGED =
            ImmutableSet.of("PreconditionFailed", "ConditionalRequestConflict", "ConditionalCheckFailedException");

    private static final ImmutableSet<String> NOT_FOUND = ImmutableSet.of("NoSuchKey", "NoSuchBucket");

    private static final ImmutableSet<String> UNAUTHORIZED = ImmutableSet.of(
            "AuthFailure",
            "InvalidClientTokenId",
            "SignatureDoesNotMatch",
            "InvalidSignatureException",
            "IncompleteSignature",
            "MissingAuthenticationToken",
            "UnrecognizedClientException",
            "InvalidAccessKeyId",
            "InvalidToken");

    private static final ImmutableSet<String> EXPIRED =
            ImmutableSet.of("ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired");

    private static final ImmutableSet<String> WRONG_TIME =
            ImmutableSet.of("RequestExpired", "RequestTimeTooSkewed", "RequestInTheFuture");

    private static final ImmutableSet<String> FORBIDDEN =
            ImmutableSet.of("UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "UnauthorizedAccess");

    private static final ImmutableSet<String> BLOCKED = ImmutableSet.of(
            "AllAccessDisabled",
            "AccountProblem",
            "OptInRequired",
            "Blocked",
            "PendingVerification",
            "AccountDisabled");

    /** How a signature of another time is told apart from a wrong one. */
    private static final ImmutableSet<String> SIGNATURES =
            ImmutableSet.of("SignatureDoesNotMatch", "InvalidSignatureException");

    private static final Pattern ACTION = Pattern.compile("is not authorized to perform: ([a-z0-9-]+:[A-Za-z0-9]+)");
    private static final Pattern ENCODED = Pattern.compile("\\s*Encoded authorization failure message: (\\S+)");

    private static final ImmutableSet<String> FAILING = ImmutableSet.of(
            "InternalError",
            "InternalFailure",
            "InternalServerError",
            "ServerInternal",
            "Unavailable",
            "ServiceUnavailable",
            "RequestTimeout");

    private AwsErrors() {}

    static CloudError of(Abandoned abandoned) {
        if (abandoned instanceof Abandoned.DeadlinePassed late) {
            return new CloudError.NoAnswer(
                    late.name() + ": no answer within " + late.deadline().toSeconds() + " s");
        }
        Abandoned.Threw threw = (Abandoned.Threw) abandoned;
        return of(threw.name(), threw.exception());
    }

    static CloudError of(String call, Exception exception) {
        if (exception instanceof AwsServiceException answered) {
            return ofAnswer(call, answered);
        }
        if (exception instanceof AbortedException || causedByIo(exception)) {
            return new CloudError.NoAnswer(call + ": no answer: " + rootMessage(exception));
        }
        if (exception instanceof SdkClientException && rootMessage(exception).contains("credentials")) {
            return new CloudError.Unauthorized(call + ": not sent: " + rootMessage(exception));
        }
        return new CloudError.Failing(call + ": the answer made no sense: " + rootMessage(exception));
    }

    private static CloudError ofAnswer(String call, AwsServiceException answered) {
        var details = answered.awsErrorDetails();
        String code = details == null ? "" : Strings.nullToEmpty(details.errorCode());
        String said = details == null ? "" : Strings.nullToEmpty(details.errorMessage());
        Matcher encoded = ENCODED.matcher(said);
        Optional<String> secret = encoded.find() ? Optional.of(encoded.group(1)) : Optional.empty();
        String readable = encoded.replaceAll("");
        String message = call + ": "
                + (code.isEmpty() ? "HTTP " + answered.statusCode() + " without an error code" : code)
                + (readable.isEmpty() ? "" : ": " + readable)
                + (answered.requestId() == null ? "" : " (request " + answered.requestId() + ")");
        return denied(call, code, said, secret, message)
                .orElseGet(() -> ofCode(code, answered.statusCode(), said, message));
    }

    private static Optional<CloudError> denied(
            String call, String code, String said, Optional<String> encoded, String message) {
        boolean ofAnotherTime =
                SIGNATURES.contains(code) && (said.contains("expired") || said.contains("not yet current"));
        if (WRONG_TIME.contains(code) || ofAnotherTime) {
            return Optional.of(new CloudError.ClockWrong(message));
        }
        if (EXPIRED.contains(code)) {
            return Optional.of(new CloudError.CredentialsExpired(message));
        }
        if (FORBIDDEN.contains(code)) {
            Matcher action = ACTION.matcher(said);
            return Optional.of(new CloudError.Forbidden(
                    action.find()
                            ? action.group(1)
                            : call.replaceFirst("\\.", ":").replaceFirst(" .*", ""),
                    encoded,
                    message));
        }
        if (BLOCKED.contains(code)) {
            return Optional.of(new CloudError.AccountBlocked(message));
        }
        return UNAUTHORIZED.contains(code) ? Optional.of(new CloudError.Unauthorized(message)) : Optional.empty();
    }

    private static CloudError ofCode(String code, int status, String said, String message) {
        if (NO_CAPACITY.contains(code) || (code.equals("Unsupported") && said.contains("Availability Zone"))) {
            return new CloudError.InsufficientCapacity(message);
        }
        if (THROTTLES.contains(code)) {
            return new CloudError.Throttled(THROTTLED_FOR, message);
        }
        if (VCPU_QUOTAS.contains(code)) {
            return new CloudError.VcpuQuotaReached(message);
        }
        if (code.equals("InsufficientFreeAddressesInSubnet")) {
            return new CloudError.SubnetFull(message);
        }
        if (LIMITS.contains(code) || code.endsWith("LimitExceeded")) {
            return new CloudError.LimitReached(message);
        }
        if (CHANGED.contains(code)) {
            return new CloudError.Changed(message);
        }
        if (NOT_FOUND.contains(code) || code.endsWith("NotFound") || code.endsWith("NotFoundException")) {
            return new CloudError.NotFound(message);
        }
        if (code.endsWith("AlreadyExists") || code.endsWith("AlreadyExistsException") || code.endsWith(".Duplicate")) {
            return new CloudError.AlreadyExists(message);
        }
        if (code.equals("IdempotentParameterMismatch")) {
            return new CloudError.TokenMismatch(message);
        }
        if (FAILING.contains(code) || status >= SERVER_ERROR) {
            return new CloudError.Failing(message);
        }
        return new CloudError.Refused(code.isEmpty() ? "HTTP" + status : code, message);
    }

    private static boolean causedByIo(Exception exception) {
        return Throwables.getCausalChain(exception).stream().anyMatch(IOException.class::isInstance);
    }

    private static String rootMessage(Exception exception) {
        Throwable root = Throwables.getRootCause(exception);
        String message = root.getMessage();
        return message == null || message.isBlank() ? root.getClass().getSimpleName() : message;
    }
}
