package dev.kip.sim.kernel;

import com.google.common.collect.ImmutableListMultimap;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;

/** The AWS SDK's blocking transport over the simulated network; only inside {@link SimOffload}, one request a call. */
public final class SimSdkHttpClient implements SdkHttpClient {

    private final SimNetwork network;
    private final SimOffload offload;

    public SimSdkHttpClient(SimNetwork network, SimOffload offload) {
        this.network = network;
        this.offload = offload;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                SimProcess process = offload.countRequest();
                return answer(network.exchangeNow(process, request.httpRequest().getUri(), toRequest(request)));
            }

            @Override
            public void abort() {
                throw new UnsupportedOperationException("a simulated request is over when it returns");
            }
        };
    }

    private static SimNetwork.Request toRequest(HttpExecuteRequest execute) {
        SdkHttpRequest http = execute.httpRequest();
        ImmutableListMultimap.Builder<String, String> headers = ImmutableListMultimap.builder();
        http.forEachHeader((name, values) -> headers.putAll(name.toLowerCase(Locale.ROOT), values));
        byte[] body = execute.contentStreamProvider()
                .map(provider -> {
                    try (InputStream stream = provider.newStream()) {
                        return stream.readAllBytes();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .orElse(new byte[0]);
        String path = http.encodedPath().isEmpty() ? "/" : http.encodedPath();
        return new SimNetwork.Request(
                http.method().name(),
                path,
                http.encodedQueryParameters().orElse(""),
                headers.build(),
                body,
                Optional.empty());
    }

    private static HttpExecuteResponse answer(SimCall.Whole whole) {
        SdkHttpResponse.Builder response = SdkHttpResponse.builder().statusCode(whole.status());
        for (Map.Entry<String, String> header : whole.headers().entrySet()) {
            response.putHeader(header.getKey(), header.getValue());
        }
        return HttpExecuteResponse.builder()
                .response(response.build())
                .responseBody(AbortableInputStream.create(new ByteArrayInputStream(whole.body())))
                .build();
    }

    @Override
    public String clientName() {
        return "simulated";
    }

    @Override
    public void close() {
        // holds nothing
    }
}
