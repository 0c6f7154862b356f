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
        "400, InstanceLimitExceeded, LimitReached",
        "400, VcpuLimitExceeded, LimitReached",
        "400, MaxSpotInstanceCountExceeded, LimitReached",
        "400, InsufficientFreeAddressesInSubnet, LimitReached",
        "503, RequestLimitExceeded, Throttled",
        "400, Throttling, Throttled",
        "400, InvalidInstanceID.NotFound, NotFound",
        "400, InvalidLaunchTemplateName.NotFoundException, NotFound",
        "400, InvalidLaunchTemplateName.AlreadyExistsException, AlreadyExists",
        "400, InvalidGroup.Duplicate, AlreadyExists",
        "400, IdempotentParameterMismatch, TokenMismatch",
        "401, AuthFailure, Unauthorized",
        "403, UnauthorizedOperation, Unauthorized",
        "400, ExpiredToken, Unauthorized",
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
