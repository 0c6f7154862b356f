package dev.kip.cloud.aws;

import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.loop.Offload;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;

/** Opens the anchor's store, S3 or DynamoDB, by its location. */
public final class AwsAnchors {

    private AwsAnchors() {}

    /**
     * @param location {@code s3://bucket/prefix}, {@code s3://bucket/prefix?kmsKey=ID} or {@code dynamodb://table}
     * @param endpoint in place of AWS's own of the region; buckets are then named in the path
     * @param http how requests travel; closed by whoever made it
     * @throws IllegalArgumentException naming the setting, what was wanted and what was found
     */
    public static AnchorStore open(
            CloudSettings settings,
            String location,
            Optional<String> endpoint,
            Offload offload,
            SdkHttpClient http,
            AwsCredentialsProvider credentials) {
        AwsSettings.check(settings);
        endpoint.ifPresent(url -> AwsSettings.checkEndpoint("ownership.anchorEndpointURL", url));
        AnchorLocation parsed = AnchorLocation.parse(location);
        if (parsed instanceof AnchorLocation.DynamoDb table) {
            return new DynamoDbAnchors(
                    table, DynamoDbAnchors.client(settings.region(), endpoint, http, credentials), offload);
        }
        AnchorLocation.S3 bucket = (AnchorLocation.S3) parsed;
        return new S3Anchors(bucket, S3Anchors.client(settings.region(), endpoint, http, credentials), offload);
    }
}
