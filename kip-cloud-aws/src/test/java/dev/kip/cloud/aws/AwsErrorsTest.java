package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.cloud.CloudError;
import java.io.IOException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AwsErrorsTest {

    private final Canned canned = new Canned();

    @ParameterizedTest
    @CsvSource({
        "500, InsufficientInstanceCapacity, InsufficientCapacity",
        "400, InsufficientHostCapacity, InsufficientCapacity",
        "400, SpotMaxPriceTooLow, InsufficientCapacity",
        "400, InstanceLimitExceeded, VcpuQuotaReached",
        "400, VcpuLimitExceeded, VcpuQuotaReached",
        "400, MaxSpotInstanceCountExceeded, VcpuQuotaReached",
        "400, InsufficientFreeAddressesInSubnet, SubnetFull",
        "503, RequestLimitExceeded, Throttled",
        "400, Throttling, Throttled",
        "400, InvalidInstanceID.NotFound, NotFound",
        "400, InvalidLaunchTemplateName.NotFoundException, NotFound",
        "400, InvalidLaunchTemplateName.AlreadyExistsException, AlreadyExists",
        "400, InvalidGroup.Duplicate, AlreadyExists",
        "400, IdempotentParameterMismatch, TokenMismatch",
        "401, AuthFailure, Unauthorized",
        "403, UnauthorizedOperation, Forbidden",
        "400, ExpiredToken, CredentialsExpired",
        "400, RequestExpired, ClockWrong",
        "403, RequestTimeTooSkewed, ClockWrong",
        "403, SignatureDoesNotMatch, Unauthorized",
        "403, AccessDenied, Forbidden",
        "401, PendingVerification, AccountBlocked",
        "401, OptInRequired, AccountBlocked",
        "500, InternalError, Failing",
        "503, Unavailable, Failing",
        "400, InvalidParameterValue, Refused",
        "400, IdempotentInstanceTerminated, Refused",
        "400, Unsupported, Refused",
    })
    void an_error_code_becomes_the_error_of_the_port(int status, String code, String expected) {
        canned.answersError(status, code, "as EC2 words it");

        CloudError error = failed();

        assertThat(error.getClass().getSimpleName()).isEqualTo(expected);
        assertThat(error.message()).isEqualTo("ec2.RunInstances: " + code + ": as EC2 words it (request req-1)");
    }

    @Test
    void a_missing_permission_is_named_and_what_only_the_cloud_can_read_is_kept_apart() {
        canned.answersError(
                403,
                "UnauthorizedOperation",
                "You are not authorized to perform this operation. User: arn:aws:iam::123456789012:user/kip is not authorized to"
                        + " perform: ec2:CreateTags on resource: arn:aws:ec2:us-east-1:123456789012:instance/* because no"
                        + " identity-based policy allows the ec2:CreateTags action. Encoded authorization failure message:"
                        + " Zm9yYmlkZGVu_-x");

        assertThat(failed()).isInstanceOfSatisfying(CloudError.Forbidden.class, error -> {
            assertThat(error.action()).isEqualTo("ec2:CreateTags");
            assertThat(error.encoded()).contains("Zm9yYmlkZGVu_-x");
            assertThat(error.message()).doesNotContain("Zm9y").contains("no identity-based policy allows");
            assertThat(error.remedy()).contains("ec2:CreateTags");
        });
    }

    @Test
    void a_refusal_that_names_no_action_is_of_the_one_that_was_called() {
        canned.answersError(403, "UnauthorizedOperation", "You are not authorized to perform this operation.");

        assertThat(failed())
                .isInstanceOfSatisfying(
                        CloudError.Forbidden.class,
                        error -> assertThat(error.action()).isEqualTo("ec2:RunInstances"));
    }

    @Test
    void a_signature_of_another_time_is_a_wrong_clock() {
        canned.answersError(
                403,
                "SignatureDoesNotMatch",
                "Signature expired: 20301201T000000Z is now earlier than 20301201T010000Z (20301201T010500Z - 5 min.)");

        assertThat(failed()).isInstanceOf(CloudError.ClockWrong.class);
    }

    @Test
    void a_decoded_denial_is_one_line() {
        assertThat(
                        Denials.text(
                                "{\"allowed\":false,\"explicitDeny\":false,\"context\":{\"principal\":{\"arn\":\"arn:aws:iam::1:user/k\"},"
                                        + "\"action\":\"ec2:RunInstances\",\"resource\":\"arn:aws:ec2:us-east-1:1:subnet/subnet-1\"}}"))
                .isEqualTo(
                        "no policy allows arn:aws:iam::1:user/k to call ec2:RunInstances on arn:aws:ec2:us-east-1:1:subnet/subnet-1");
        assertThat(Denials.text("not JSON")).isEqualTo("not JSON");
    }

    @Test
    void a_type_that_its_zone_lacks_is_a_lack_of_capacity() {
        canned.answersError(
                400,
                "Unsupported",
                "Your requested instance type (m7i.large) is not supported in your requested Availability Zone (us-east-1e).");

        assertThat(failed()).isInstanceOf(CloudError.InsufficientCapacity.class);
    }

    @Test
    void a_page_of_html_with_status_500_is_a_failing_service_with_a_readable_text() {
        canned.answers(500, "<!doctype html><html lang=en><title>500 Internal Server Error</title><p>The server broke");

        CloudError error = failed();

        assertThat(error).isInstanceOf(CloudError.Failing.class);
        assertThat(error.message()).isEqualTo("ec2.RunInstances: HTTP 500 without an error code");
        assertThat(error.effectUnknown()).isTrue();
    }

    @Test
    void a_broken_connection_is_no_answer() {
        canned.breaks(new IOException("connection reset"));

        assertThat(failed()).isEqualTo(new CloudError.NoAnswer("ec2.RunInstances: no answer: connection reset"));
    }

    @Test
    void a_timeout_is_no_answer() {
        canned.breaks(new SocketTimeoutException("Read timed out"));

        assertThat(failed()).isInstanceOf(CloudError.NoAnswer.class);
    }

    @Test
    void an_answer_that_is_no_xml_leaves_the_effect_unknown() {
        canned.answers(200, "{\"this is\": \"json\"}");

        assertThat(failed().effectUnknown()).isTrue();
    }

    @Test
    void no_error_is_tried_again() {
        canned.answersError(503, "RequestLimitExceeded", "Request limit exceeded.");
        failed();
        canned.answersError(500, "InternalError", "An internal error has occurred");
        failed();

        assertThat(canned.requests()).hasSize(2);
    }

    private CloudError failed() {
        return canned.cloud()
                .launch(Requests.launch("token", 1))
                .toCompletableFuture()
                .join()
                .error()
                .orElseThrow();
    }
}
