package dev.kip.cloud.aws;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.loop.Offload;
import dev.kip.outcome.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpResponse;

/** A transport that keeps every request and gives one answer, and an offload that calls at once. */
final class Canned implements SdkHttpClient, Offload {

    static final String DATE = "Tue, 01 Jan 2030 00:00:07 GMT";

    private final List<String> requests = new ArrayList<>();
    private int status = 200;
    private String answer = "";
    private ImmutableMap<String, String> headers = ImmutableMap.of("Date", DATE);
    private Optional<IOException> failure = Optional.empty();

    AwsCloud cloud() {
        return cloud(settings("us-east-1", Optional.of("http://ec2.test")));
    }

    AwsCloud cloud(CloudSettings settings) {
        return new AwsCloud(settings, this, this, AnonymousCredentialsProvider.create());
    }

    AnchorStore anchors(String location) {
        return AwsAnchors.open(
                settings("us-east-1", Optional.empty()),
                location,
                Optional.of("http://anchor.test"),
                this,
                this,
                AnonymousCredentialsProvider.create());
    }

    static CloudSettings settings(String region, Optional<String> endpoint) {
        return new CloudSettings(region, endpoint, Optional.empty(), Optional.empty(), false, ImmutableMap.of());
    }

    void answers(int status, String body) {
        this.status = status;
        this.answer = body;
    }

    void answers(int status, String body, ImmutableMap<String, String> headers) {
        answers(status, body);
        this.headers = headers;
    }

    void answersError(int status, String code, String message) {
        answers(
                status,
                "<Response><Errors><Error><Code>" + code + "</Code><Message>" + message
                        + "</Message></Error></Errors><RequestID>req-1</RequestID></Response>");
    }

    void breaks(IOException reason) {
        this.failure = Optional.of(reason);
    }

    /** Method, path, headers that do not vary by run, and body of each. */
    List<String> requests() {
        return requests;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                requests.add(text(request));
                if (failure.isPresent()) {
                    throw failure.get();
                }
                var response = SdkHttpResponse.builder().statusCode(status);
                headers.forEach(response::putHeader);
                return HttpExecuteResponse.builder()
                        .response(response.build())
                        .responseBody(AbortableInputStream.create(
                                new ByteArrayInputStream(answer.getBytes(StandardCharsets.UTF_8))))
                        .build();
            }

            @Override
            public void abort() {}
        };
    }

    private static String text(HttpExecuteRequest execute) {
        StringBuilder text = new StringBuilder();
        var http = execute.httpRequest();
        text.append(http.method()).append(' ').append(http.getUri()).append('\n');
        http.forEachHeader((name, values) -> {
            if (!List.of("user-agent", "amz-sdk-invocation-id", "amz-sdk-request")
                    .contains(name.toLowerCase(java.util.Locale.ROOT))) {
                text.append(name).append(": ").append(values).append('\n');
            }
        });
        text.append('\n').append(body(execute));
        return text.toString();
    }

    private static String body(HttpExecuteRequest execute) {
        if (execute.contentStreamProvider().isEmpty()) {
            return "";
        }
        try (InputStream stream = execute.contentStreamProvider().get().newStream()) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public <T> CompletionStage<Outcome<T, Abandoned>> call(String name, Duration deadline, Callable<T> call) {
        try {
            return CompletableFuture.completedFuture(Outcome.ok(call.call()));
        } catch (Exception e) {
            return CompletableFuture.completedFuture(Outcome.failed(new Abandoned.Threw(name, e)));
        }
    }

    @Override
    public void close() {}
}
