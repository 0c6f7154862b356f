package dev.kip.sim.s3;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.PlainCall;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What this S3 does not have is refused by name, and nothing is done. */
class SimS3RefusalsTest {

    private final Kernel kernel = new Kernel(5, Instant.parse("2030-01-01T00:00:00Z"), new Trace(false));
    private final SimS3 s3 = new SimS3(new SimProcess(kernel, "s3"), kernel.entropy("s3"));

    SimS3RefusalsTest() {
        s3.createBucket("b");
        send("PUT", "/b/there", ImmutableMap.of(), ImmutableMap.of());
    }

    private PlainCall send(
            String method, String path, ImmutableMap<String, String> query, ImmutableMap<String, String> headers) {
        return PlainCall.send(s3, method, path, query, headers, "content");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /, ''",
        "PUT, /new-bucket, ''",
        "DELETE, /b, ''",
        "GET, /b, ''",
        "GET, /b, versions",
        "GET, /b/there, versionId",
        "POST, /b, delete",
        "POST, /b/there, uploads",
        "PUT, /b/there, tagging",
        "HEAD, /b/there, ''",
    })
    void an_operation(String method, String path, String parameter) {
        PlainCall answer = send(
                method,
                path,
                parameter.isEmpty() ? ImmutableMap.of() : ImmutableMap.of(parameter, ""),
                ImmutableMap.of());

        assertThat(answer.status()).isEqualTo(501);
        assertThat(answer.answer()).contains("<Code>NotImplemented</Code>");
        assertThat(s3.contents("b")).containsOnlyKeys("there");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, range, bytes=0-1",
        "GET, if-match, x",
        "PUT, x-amz-copy-source, /b/there",
        "PUT, x-amz-tagging, a=b",
        "PUT, if-unmodified-since, x",
        "PUT, if-none-match, '\"etag\"'",
        "PUT, x-amz-content-sha256, STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
        "DELETE, if-none-match, *",
    })
    void a_header(String method, String header, String value) {
        PlainCall answer = send(method, "/b/there", ImmutableMap.of(), ImmutableMap.of(header, value));

        assertThat(answer.status()).isEqualTo(501);
        assertThat(answer.answer()).contains("<Code>NotImplemented</Code>");
        assertThat(s3.contents("b")).containsOnlyKeys("there");
    }

    @Test
    void values_that_s3_does_not_know() {
        assertThat(send("PUT", "/b/a", ImmutableMap.of(), ImmutableMap.of("x-amz-server-side-encryption", "rot13"))
                        .answer())
                .contains("<Code>InvalidArgument</Code>");
        assertThat(send("GET", "/b", ImmutableMap.of("list-type", "2", "max-keys", "-1"), ImmutableMap.of())
                        .answer())
                .contains("<Code>InvalidArgument</Code>", "<ArgumentName>max-keys</ArgumentName>");
        assertThat(send("GET", "/b", ImmutableMap.of("list-type", "2", "continuation-token", "!"), ImmutableMap.of())
                        .answer())
                .contains("<Code>InvalidArgument</Code>");
        assertThat(send("PUT", "/b/" + "k".repeat(1025), ImmutableMap.of(), ImmutableMap.of())
                        .answer())
                .contains("<Code>KeyTooLongError</Code>");
        assertThat(send("GET", "/none/a", ImmutableMap.of(), ImmutableMap.of()).answer())
                .contains("<Code>NoSuchBucket</Code>", "<BucketName>none</BucketName>");
    }

    @Test
    void a_delete_without_a_condition_succeeds_whether_there_is_an_object_or_not() {
        assertThat(send("DELETE", "/b/there", ImmutableMap.of(), ImmutableMap.of())
                        .status())
                .isEqualTo(204);
        assertThat(send("DELETE", "/b/there", ImmutableMap.of(), ImmutableMap.of())
                        .status())
                .isEqualTo(204);
        assertThat(send("DELETE", "/b/there", ImmutableMap.of(), ImmutableMap.of("if-match", "*"))
                        .status())
                .isEqualTo(404);
    }
}
