package dev.kip.cloud.aws;

import dev.kip.cloud.CloudProvider.CloudSettings;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;

/** What the clients of all services have in common: one request for each call, and endpoints of the kind that is asked for. */
final class Clients {

    private Clients() {}

    static <B extends AwsClientBuilder<B, C> & AwsSyncClientBuilder<B, C>, C> B of(
            B builder, CloudSettings settings, SdkHttpClient http, AwsCredentialsProvider credentials) {
        return builder.region(Region.of(settings.region()))
                .httpClient(http)
                .credentialsProvider(credentials)
                .fipsEnabled(settings.extras().fips())
                .dualstackEnabled(settings.extras().dualStack())
                .overrideConfiguration(override -> override.retryStrategy(DefaultRetryStrategy.doNotRetry()));
    }
}
