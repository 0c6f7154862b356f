package dev.kip.cloud.aws;

import com.google.common.base.Strings;
import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudError;
import dev.kip.loop.Offload.Abandoned;
import java.io.IOException;
import java.time.Duration;
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

    private static final ImmutableSet<String> LIMITS = ImmutableSet.of(
            "MaxSpotInstanceCountExceeded", "InsufficientFreeAddressesInSubnet", "InsufficientAddressCapacity");

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
            "UnauthorizedOperation",
            "ExpiredToken",
            "ExpiredTokenException",
            "RequestExpired",
            "InvalidClientTokenId",
            "SignatureDoesNotMatch",
            "IncompleteSignature",
            "MissingAuthenticationToken",
            "UnrecognizedClientException",
            "AccessDenied",
            "AccessDeniedException",
            "InvalidAccessKeyId",
            "InvalidToken",
            "RequestTimeTooSkewed",
            "AllAccessDisabled",
            "AccountProblem",
            "OptInRequired",
            "Blocked",
            "PendingVerification");

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
        String message = call + ": "
                + (code.isEmpty() ? "HTTP " + answered.statusCode() + " without an error code" : code)
                + (said.isEmpty() ? "" : ": " + said)
                + (answered.requestId() == null ? "" : " (request " + answered.requestId() + ")");
        return ofCode(code, answered.statusCode(), said, message);
    }

    private static CloudError ofCode(String code, int status, String said, String message) {
        if (NO_CAPACITY.contains(code) || (code.equals("Unsupported") && said.contains("Availability Zone"))) {
            return new CloudError.InsufficientCapacity(message);
        }
        if (THROTTLES.contains(code)) {
            return new CloudError.Throttled(THROTTLED_FOR, message);
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
        if (UNAUTHORIZED.contains(code)) {
            return new CloudError.Unauthorized(message);
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
