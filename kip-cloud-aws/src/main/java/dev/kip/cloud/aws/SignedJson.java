package dev.kip.cloud.aws;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A service of AWS of which one operation is used: its requests are plain JSON, signed as every other.
 *
 * @param service as signatures name it
 * @param region as signatures name it
 */
record SignedJson(String service, String region, URI endpoint, SdkHttpClient http, AwsCredentialsProvider credentials) {

    /** @throws AwsServiceException if the service refuses */
    JsonNode send(String target, byte[] body) throws IOException {
        SdkHttpRequest request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.POST)
                .uri(endpoint)
                .putHeader("Content-Type", "application/x-amz-json-1.1")
                .putHeader("Content-Length", String.valueOf(body.length))
                .putHeader("X-Amz-Target", target)
                .build();
        ContentStreamProvider payload = ContentStreamProvider.fromByteArray(body);
        var signed = AwsV4HttpSigner.create()
                .sign(sign -> sign.identity(credentials.resolveCredentials())
                        .request(request)
                        .payload(payload)
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, service)
                        .putProperty(AwsV4HttpSigner.REGION_NAME, region));
        var answer = http.prepareRequest(HttpExecuteRequest.builder()
                        .request(signed.request())
                        .contentStreamProvider(signed.payload().orElse(payload))
                        .build())
                .call();
        JsonNode json = JsonMapper.shared().readTree(read(answer.responseBody()));
        if (!answer.httpResponse().isSuccessful()) {
            String kind = json.path("__type").asString("");
            throw AwsServiceException.builder()
                    .statusCode(answer.httpResponse().statusCode())
                    .awsErrorDetails(AwsErrorDetails.builder()
                            .errorCode(kind.substring(kind.indexOf('#') + 1))
                            .errorMessage(json.path("message")
                                    .asString(json.path("Message").asString("")))
                            .serviceName(service)
                            .build())
                    .build();
        }
        return json;
    }

    private static String read(Optional<AbortableInputStream> body) throws IOException {
        if (body.isEmpty()) {
            return "{}";
        }
        try (InputStream stream = body.get()) {
            String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            return text.isBlank() ? "{}" : text;
        }
    }
}
