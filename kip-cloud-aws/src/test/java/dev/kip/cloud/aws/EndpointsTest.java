package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.CloudProvider.Extras;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where requests go, by region and kind of endpoint. */
class EndpointsTest {

    @ParameterizedTest
    @CsvSource({
        "us-east-1,     false, false, ec2.us-east-1.amazonaws.com,       ssm.us-east-1.amazonaws.com",
        "us-east-1,     true,  false, ec2-fips.us-east-1.amazonaws.com,  ssm-fips.us-east-1.amazonaws.com",
        "us-east-1,     false, true,  ec2.us-east-1.api.aws,             ssm.us-east-1.api.aws",
        "us-east-1,     true,  true,  ec2-fips.us-east-1.api.aws,        ssm-fips.us-east-1.api.aws",
        "us-gov-west-1, false, false, ec2.us-gov-west-1.amazonaws.com,   ssm.us-gov-west-1.amazonaws.com",
        "us-gov-west-1, true,  false, ec2.us-gov-west-1.amazonaws.com,   ssm.us-gov-west-1.amazonaws.com",
        "cn-north-1,    false, false, ec2.cn-north-1.amazonaws.com.cn,   ssm.cn-north-1.amazonaws.com.cn",
    })
    void requests_go_to_the_partitions_endpoint_of_the_kind_that_is_asked_for(
            String region, boolean fips, boolean dualStack, String ec2, String ssm) {
        CloudSettings settings = settings(region, fips, dualStack);
        Canned canned = new Canned();
        canned.answers(200, "<DescribeImagesResponse/>");

        var unused = canned.cloud(settings).images(ImmutableMap.of());

        assertThat(canned.requests()).hasSize(1).first().asString().contains("POST https://" + ec2 + "\n");
        assertThat(ImageParameters.endpoint(settings)).isEqualTo(URI.create("https://" + ssm + "/"));
    }

    @Test
    void an_endpoint_of_ones_own_and_a_kind_of_awss_do_not_go_together() {
        CloudSettings settings = Canned.settings("us-east-1", Optional.of("http://ec2.test"))
                .with(extras(Optional.empty(), true, false));

        assertThatThrownBy(() -> AwsSettings.check(settings))
                .hasMessage(
                        "cloud.aws.useFIPSEndpoint: chooses among AWS's addresses, and cloud.aws.endpointURL names one;"
                                + " leave one of them out");
        assertThatThrownBy(() -> new AwsCloudProvider()
                        .openAnchors(
                                settings("us-east-1", false, true),
                                "s3://bucket",
                                Optional.of("http://s3.test"),
                                new Canned()))
                .hasMessageStartingWith("cloud.aws.useDualStackEndpoint: ")
                .hasMessageContaining("ownership.anchorEndpointURL");
    }

    @Test
    void china_has_no_fips_endpoints() {
        assertThatThrownBy(() -> AwsSettings.check(settings("cn-north-1", true, false)))
                .hasMessage("cloud.aws.useFIPSEndpoint: the regions of China have no such endpoints");
    }

    @Test
    void a_profile_and_keys_do_not_go_together() {
        CloudSettings settings = new CloudSettings(
                        "us-east-1",
                        Optional.empty(),
                        Optional.of("AKIA"),
                        Optional.of("secret"),
                        false,
                        ImmutableMap.of())
                .with(extras(Optional.of("cells"), false, false));

        assertThatThrownBy(() -> AwsSettings.check(settings)).hasMessageStartingWith("cloud.aws.profile: ");
    }

    private static CloudSettings settings(String region, boolean fips, boolean dualStack) {
        return Canned.settings(region, Optional.empty()).with(extras(Optional.empty(), fips, dualStack));
    }

    private static Extras extras(Optional<String> profile, boolean fips, boolean dualStack) {
        return new Extras(Optional.empty(), Optional.empty(), profile, fips, dualStack);
    }
}
