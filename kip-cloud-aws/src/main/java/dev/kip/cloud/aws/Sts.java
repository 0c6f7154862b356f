package dev.kip.cloud.aws;

import dev.kip.cloud.CloudProvider.CloudSettings;
import java.net.URI;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.StsClientBuilder;

/** The service that knows whose credentials these are. */
final class Sts {

    private Sts() {}

    static StsClient client(CloudSettings settings, SdkHttpClient http, AwsCredentialsProvider credentials) {
        StsClientBuilder builder = Clients.of(StsClient.builder(), settings, http, credentials);
        endpoint(settings).ifPresent(builder::endpointOverride);
        return builder.build();
    }

    /** What stands in for EC2 stands in for STS too. An address of AWS is EC2's alone, inside a VPC for example. */
    static Optional<URI> endpoint(CloudSettings settings) {
        return settings.endpoint().map(URI::create).filter(uri -> !isAws(uri.getHost()));
    }

    private static boolean isAws(String host) {
        return host.endsWith(".amazonaws.com") || host.endsWith(".amazonaws.com.cn") || host.endsWith(".api.aws");
    }
}
