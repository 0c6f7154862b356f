package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterables;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.AnchorStore.Anchored;
import dev.kip.cloud.AnchorStore.Written;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of the anchor's requests, and what becomes of the answers. */
class AnchorsTest {

    private static final Instant THEN = Instant.parse("2030-01-01T00:00:07Z");
    private static final String GONE = "<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>";

    private final Canned canned = new Canned();
    private final AnchorStore s3 = canned.anchors("s3://kip-anchors/team");
    private final AnchorStore table = canned.anchors("dynamodb://kip-anchors");

    @Test
    void a_first_write_to_s3_wants_no_object_there_and_encryption() {
        etag();

        Written written = ok(s3.write("installations/i/identity", "{}", Optional.empty()));

        assertThat(written).isEqualTo(new Written("\"e1\"", THEN));
        assertThat(sent())
                .startsWith("PUT http://anchor.test/kip-anchors/team/installations/i/identity\n")
                .containsIgnoringCase("If-None-Match: [*]\n")
                .containsIgnoringCase("x-amz-server-side-encryption: [AES256]\n")
                .doesNotContainIgnoringCase("Expect", "aws-chunked", "If-Match")
                .endsWith("\n\n{}");
    }

    @Test
    void a_later_write_to_s3_names_the_version_it_replaces() {
        etag();

        ok(s3.write("a", "{}", Optional.of("\"e0\"")));

        assertThat(sent()).containsIgnoringCase("If-Match: [\"e0\"]\n").doesNotContainIgnoringCase("If-None-Match");
    }

    @Test
    void a_key_of_the_kms_takes_the_place_of_s3s_own() {
        etag();

        ok(canned.anchors("s3://kip-anchors?kmsKey=alias/kip").write("a", "{}", Optional.empty()));

        assertThat(sent())
                .startsWith("PUT http://anchor.test/kip-anchors/a\n")
                .containsIgnoringCase("x-amz-server-side-encryption: [aws:kms]\n")
                .containsIgnoringCase("x-amz-server-side-encryption-aws-kms-key-id: [alias/kip]\n");
    }

    private void etag() {
        canned.answers(200, "", ImmutableMap.of("ETag", "\"e1\"", "Date", Canned.DATE));
    }

    @ParameterizedTest
    @CsvSource({
        "412, PreconditionFailed, Changed",
        "409, ConditionalRequestConflict, Changed",
        "404, NoSuchKey, Changed",
        "404, NoSuchBucket, NotFound",
        "403, AccessDenied, Forbidden",
        "403, InvalidAccessKeyId, Unauthorized",
        "503, SlowDown, Throttled",
        "500, InternalError, Failing",
        "400, RequestTimeout, Failing",
        "301, PermanentRedirect, Refused",
    })
    void a_refused_write_to_s3_becomes_the_error_of_the_port(int status, String code, String expected) {
        canned.answers(status, "<Error><Code>" + code + "</Code><Message>said</Message></Error>");

        assertThat(failed(s3.write("a", "{}", Optional.of("\"e0\""))).getClass().getSimpleName())
                .isEqualTo(expected);
    }

    @Test
    void what_is_not_in_s3_is_read_as_nothing_and_with_the_time() {
        canned.answers(404, GONE);

        var reading = ok(s3.read("a"));

        assertThat(reading.object()).isEmpty();
        assertThat(reading.serverTime()).isEqualTo(THEN);
    }

    @Test
    void an_object_gone_already_cannot_be_deleted_from_s3() {
        canned.answers(404, GONE);

        assertThat(failed(s3.delete("a", "\"e0\""))).isInstanceOf(CloudError.NotFound.class);
        assertThat(sent()).startsWith("DELETE ").containsIgnoringCase("If-Match: [\"e0\"]\n");
    }

    @Test
    void an_answer_without_the_time_leaves_the_effect_unknown() {
        canned.answers(200, "", ImmutableMap.of("ETag", "\"e1\""));

        assertThat(failed(s3.write("a", "{}", Optional.empty())).effectUnknown())
                .isTrue();
    }

    @Test
    void the_pages_of_s3_are_without_the_prefix() {
        canned.answers(200, """
                <ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>
                <Contents><Key>team/names/a</Key></Contents><Contents><Key>team/names/b</Key></Contents></ListBucketResult>""");

        var page = ok(s3.list("names/", ""));

        assertThat(page.keys()).containsExactly("names/a", "names/b");
        assertThat(page.nextToken()).isEqualTo("t");
        assertThat(sent()).contains("list-type=2", "prefix=team%2Fnames%2F");
    }

    @Test
    void writes_to_a_table_are_conditional() {
        canned.answers(200, "{}");
        String first = ok(table.write("a", "one", Optional.empty())).version();
        String second = ok(table.write("a", "two", Optional.of(first))).version();

        assertThat(first).isNotEqualTo(second);
        assertThat(canned.requests().get(0)).contains("attribute_not_exists(#key)", "\"#key\":\"key\"");
        assertThat(canned.requests().get(1))
                .contains("\"#version = :version\"", "\":version\":{\"S\":\"" + first + "\"}");
    }

    @Test
    void a_table_is_read_consistently() {
        canned.answers(200, "{\"Item\":{\"content\":{\"S\":\"one\"},\"version\":{\"S\":\"v\"}}}");

        assertThat(ok(table.read("a")).object()).contains(new Anchored("one", "v"));
        assertThat(sent()).contains("DynamoDB_20120810.GetItem", "\"ConsistentRead\":true");
    }

    @Test
    void a_refused_delete_tells_whether_the_item_is_gone_or_another() {
        String refusal = "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\"";
        canned.answers(400, refusal + "}");
        assertThat(failed(table.delete("a", "v"))).isInstanceOf(CloudError.NotFound.class);

        canned.answers(400, refusal + ",\"Item\":{\"key\":{\"S\":\"a\"},\"version\":{\"S\":\"w\"}}}");
        assertThat(failed(table.delete("a", "v"))).isInstanceOf(CloudError.Changed.class);
    }

    @ParameterizedTest
    @CsvSource({
        "400, ConditionalCheckFailedException, Changed",
        "400, ResourceNotFoundException, NotFound",
        "400, AccessDeniedException, Forbidden",
        "400, ProvisionedThroughputExceededException, Throttled",
        "400, ThrottlingException, Throttled",
        "500, InternalServerError, Failing",
    })
    void a_refused_write_to_a_table_becomes_the_error_of_the_port(int status, String code, String expected) {
        canned.answers(status, "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" + code + "\",\"message\":\"said\"}");

        assertThat(failed(table.write("a", "{}", Optional.of("v"))).getClass().getSimpleName())
                .isEqualTo(expected);
    }

    @Test
    void what_cannot_be_right_is_refused_without_a_call() {
        assertThat(failed(s3.read("a b"))).isInstanceOf(CloudError.Refused.class);
        assertThat(failed(s3.read(""))).isInstanceOf(CloudError.Refused.class);
        assertThat(failed(table.write("k".repeat(201), "{}", Optional.empty()))).isInstanceOf(CloudError.Refused.class);
        assertThat(failed(table.write("a", "x".repeat(64 * 1024 + 1), Optional.empty())))
                .isInstanceOf(CloudError.Refused.class);
        assertThat(canned.requests()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3:bucket",
                "https://bucket",
                "s3://Bucket",
                "s3://b",
                "s3://bucket//a",
                "s3://bucket/a b",
                "s3://bucket/a?kms=1",
                "s3://bucket/a?kmsKey=",
                "dynamodb://",
                "dynamodb://table/prefix",
                ""
            })
    void a_location_that_is_none_is_refused_by_name(String location) {
        assertThatThrownBy(() -> canned.anchors(location))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("ownership.anchor: \"" + location + "\": ");
    }

    @Test
    void an_endpoint_that_is_none_is_refused_by_the_name_of_its_setting() {
        assertThatThrownBy(() -> new AwsCloudProvider()
                        .openAnchors(
                                Canned.settings("us-east-1", Optional.empty()),
                                "s3://bucket",
                                Optional.of("localhost:5000"),
                                canned))
                .hasMessageStartingWith("ownership.anchorEndpointURL: \"localhost:5000\"");
    }

    private String sent() {
        return Iterables.getLast(canned.requests());
    }

    private static <T> T ok(CompletionStage<Outcome<T, CloudError>> stage) {
        Outcome<T, CloudError> outcome = stage.toCompletableFuture().join();
        assertThat(outcome.error()).isEmpty();
        return outcome.value().orElseThrow();
    }

    private static <T> CloudError failed(CompletionStage<Outcome<T, CloudError>> stage) {
        return stage.toCompletableFuture().join().error().orElseThrow();
    }
}
