package dev.kip.cloud.aws;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudError;
import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/**
 * Anchors as objects of an S3 bucket, by conditional writes and deletes. The version is the ETag.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-requests.html">Conditional requests</a>
 */
final class S3Anchors implements AnchorStore {

    private final AnchorLocation.S3 location;
    private final S3Client s3;
    private final Offload offload;

    S3Anchors(AnchorLocation.S3 location, S3Client s3, Offload offload) {
        this.location = location;
        this.s3 = s3;
        this.offload = offload;
    }

    /** Without whatever would make one call more than one plain request, or its bytes a stream of chunks. */
    static S3Client client(
            String region, Optional<String> endpoint, SdkHttpClient http, AwsCredentialsProvider credentials) {
        S3ClientBuilder builder = S3Client.builder()
                .region(Region.of(region))
                .httpClient(http)
                .credentialsProvider(credentials)
                .disableS3ExpressSessionAuth(true)
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .serviceConfiguration(S3Configuration.builder()
                        .chunkedEncodingEnabled(false)
                        .pathStyleAccessEnabled(endpoint.isPresent())
                        .build())
                .overrideConfiguration(override -> override.retryStrategy(DefaultRetryStrategy.doNotRetry())
                        .addExecutionInterceptor(new AtOnce()));
        endpoint.ifPresent(url -> builder.endpointOverride(URI.create(url)));
        return builder.build();
    }

    @Override
    public String location() {
        return location.text();
    }

    @Override
    public CompletionStage<Outcome<Reading, CloudError>> read(String key) {
        GetObjectRequest request = GetObjectRequest.builder()
                .bucket(location.bucket())
                .key(location.prefix() + key)
                .build();
        return AnchorCalls.send(offload, "s3.GetObject", AnchorCalls.faultOfKey(key), () -> {
            try {
                ResponseBytes<GetObjectResponse> answer = s3.getObjectAsBytes(request);
                return new Reading(
                        Optional.of(new Anchored(
                                answer.asUtf8String(), answer.response().eTag())),
                        AnchorCalls.serverTime(answer.response().sdkHttpResponse()));
            } catch (NoSuchKeyException none) {
                return new Reading(
                        Optional.empty(),
                        AnchorCalls.serverTime(none.awsErrorDetails().sdkHttpResponse()));
            }
        });
    }

    @Override
    public CompletionStage<Outcome<Written, CloudError>> write(String key, String content, Optional<String> expected) {
        PutObjectRequest.Builder request = PutObjectRequest.builder()
                .bucket(location.bucket())
                .key(location.prefix() + key)
                .contentType("application/json");
        expected.ifPresentOrElse(request::ifMatch, () -> request.ifNoneMatch("*"));
        location.kmsKey()
                .ifPresentOrElse(
                        id -> request.serverSideEncryption(ServerSideEncryption.AWS_KMS)
                                .ssekmsKeyId(id),
                        () -> request.serverSideEncryption(ServerSideEncryption.AES256));
        Optional<String> fault = AnchorCalls.faultOfKey(key).or(() -> AnchorCalls.faultOfContent(content));
        return AnchorCalls.send(offload, "s3.PutObject", fault, () -> {
                    var answer = s3.putObject(request.build(), RequestBody.fromString(content));
                    return new Written(answer.eTag(), AnchorCalls.serverTime(answer.sdkHttpResponse()));
                })
                .thenApply(answer -> answer.mapError(S3Anchors::goneIsChanged));
    }

    /** S3 says NoSuchKey, not PreconditionFailed, of an object that should be of some version but is not there at all. */
    private static CloudError goneIsChanged(CloudError error) {
        return error instanceof CloudError.NotFound gone && gone.message().contains("NoSuchKey")
                ? new CloudError.Changed(gone.message())
                : error;
    }

    @Override
    public CompletionStage<Outcome<Boolean, CloudError>> delete(String key, String version) {
        DeleteObjectRequest request = DeleteObjectRequest.builder()
                .bucket(location.bucket())
                .key(location.prefix() + key)
                .ifMatch(version)
                .build();
        return AnchorCalls.send(offload, "s3.DeleteObject", AnchorCalls.faultOfKey(key), () -> {
            s3.deleteObject(request);
            return true;
        });
    }

    @Override
    public CompletionStage<Outcome<KeyPage, CloudError>> list(String prefix, String pageToken) {
        ListObjectsV2Request.Builder request =
                ListObjectsV2Request.builder().bucket(location.bucket()).prefix(location.prefix() + prefix);
        Ec2Requests.page(pageToken).ifPresent(request::continuationToken);
        return AnchorCalls.send(offload, "s3.ListObjectsV2", AnchorCalls.faultOfPrefix(prefix), () -> {
            var answer = s3.listObjectsV2(request.build());
            ImmutableList<String> keys = answer.contents().stream()
                    .map(S3Object::key)
                    .map(key -> key.substring(location.prefix().length()))
                    .collect(toImmutableList());
            return new KeyPage(keys, Strings.nullToEmpty(answer.nextContinuationToken()));
        });
    }

    /** Sends the few kilobytes at once, where the SDK would first ask the server whether it wants them. */
    private static final class AtOnce implements ExecutionInterceptor {
        @Override
        public SdkHttpRequest modifyHttpRequest(Context.ModifyHttpRequest context, ExecutionAttributes attributes) {
            return context.httpRequest().toBuilder().removeHeader("Expect").build();
        }
    }
}
