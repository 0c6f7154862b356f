package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudProvider;
import dev.kip.cloud.CloudProvider.CloudSettings;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AwsSettingsTest {

    @ParameterizedTest
    @ValueSource(strings = {"us-east-1", "us-gov-west-1", "cn-north-1", "ap-southeast-2", "us-isob-east-1"})
    void regions_of_every_partition_are_accepted(String region) {
        AwsSettings.check(Canned.settings(region, Optional.empty()));
    }

    @Test
    void a_zone_in_place_of_a_region_gets_a_suggestion() {
        assertThatThrownBy(() -> AwsSettings.check(Canned.settings("us-east-1a", Optional.empty())))
                .hasMessage("cloud.aws.region: \"us-east-1a\" is an availability zone, a region is wanted."
                        + " Did you mean \"us-east-1\"?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "useast1", "US-EAST-1", "arn:aws:ec2:us-east-1"})
    void what_is_no_region_is_refused(String region) {
        assertThatThrownBy(() -> AwsSettings.check(Canned.settings(region, Optional.empty())))
                .hasMessageContaining("cloud.aws.region: \"" + region + "\" is no region name");
    }

    @Test
    void a_placeholder_is_refused_by_name() {
        assertThatThrownBy(() -> AwsSettings.check(keys(Optional.of("AKIA"), Optional.of("FILL_IN"))))
                .hasMessageContaining("cloud.aws.secretAccessKey: still says FILL_IN");
    }

    @Test
    void half_a_pair_of_keys_is_refused() {
        assertThatThrownBy(() -> AwsSettings.check(keys(Optional.of("AKIA"), Optional.empty())))
                .hasMessageContaining("cloud.aws.secretAccessKey");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:5000", "ftp://x", "http://"})
    void what_is_no_endpoint_is_refused(String endpoint) {
        assertThatThrownBy(() -> AwsSettings.check(Canned.settings("us-east-1", Optional.of(endpoint))))
                .hasMessageContaining("cloud.aws.endpointURL: \"" + endpoint + "\"");
    }

    @Test
    void the_provider_is_found_by_name_and_opens() {
        CloudProvider provider = ServiceLoader.load(CloudProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(one -> one.name().equals("aws"))
                .findFirst()
                .orElseThrow();

        assertThat(provider.open(keys(Optional.of("AKIA"), Optional.of("secret")), new Canned()))
                .isInstanceOf(AwsCloud.class);
    }

    private static CloudSettings keys(Optional<String> id, Optional<String> secret) {
        return new CloudSettings("us-east-1", Optional.empty(), id, secret, false, ImmutableMap.of());
    }
}
