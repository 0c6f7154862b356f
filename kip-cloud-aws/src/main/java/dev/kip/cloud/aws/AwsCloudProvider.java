package dev.kip.cloud.aws;

import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudProvider;
import dev.kip.loop.Offload;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpConfigurationOption;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.utils.AttributeMap;

/** Opens EC2, S3 and DynamoDB over HTTP, with the keys of the settings or else by the SDK's default chain. */
public final class AwsCloudProvider implements CloudProvider {

    /** Longer than any deadline of {@link AwsCloud}: the loop gives up first, this only frees the slot. */
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(45);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "aws";
    }

    @Override
    public CloudApi open(CloudSettings settings, Offload offload) {
        AwsSettings.check(settings);
        return new AwsCloud(settings, offload, httpClient(settings), credentials(settings));
    }

    @Override
    public AnchorStore openAnchors(
            CloudSettings settings, String location, Optional<String> endpoint, Offload offload) {
        AwsSettings.check(settings);
        AwsSettings.checkKind(settings, "ownership.anchorEndpointURL", endpoint);
        return AwsAnchors.open(settings, location, endpoint, offload, httpClient(settings), credentials(settings));
    }

    private static AwsCredentialsProvider credentials(CloudSettings settings) {
        Optional<AwsCredentialsProvider> keys = settings.accessKeyId()
                .flatMap(id -> settings.secretAccessKey()
                        .map(secret -> StaticCredentialsProvider.create(AwsBasicCredentials.create(id, secret))));
        return keys.or(() -> settings.extras().profile().map(ProfileCredentialsProvider::create))
                .orElseGet(() -> DefaultCredentialsProvider.builder().build());
    }

    private static SdkHttpClient httpClient(CloudSettings settings) {
        return UrlConnectionHttpClient.builder()
                .connectionTimeout(CONNECT_TIMEOUT)
                .socketTimeout(SOCKET_TIMEOUT)
                .buildWithDefaults(AttributeMap.builder()
                        .put(SdkHttpConfigurationOption.TRUST_ALL_CERTIFICATES, settings.insecureTlsSkipVerify())
                        .build());
    }
}
