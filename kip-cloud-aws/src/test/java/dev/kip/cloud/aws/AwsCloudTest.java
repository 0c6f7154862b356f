package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterables;
import dev.kip.cloud.CloudApi.Permission;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.Probe;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AwsCloudTest {

    private final Canned canned = new Canned();

    @Test
    void a_launch_names_its_template_its_token_and_both_kinds_of_tagged_resources() {
        canned.answers(200, "<RunInstancesResponse/>");

        canned.cloud().launch(Requests.launch("token-1", 7));

        assertThat(sent())
                .contains("MinCount=1&", "MaxCount=7&", "ClientToken=token-1", "LaunchTemplate.Version=3")
                .contains("TagSpecification.1.ResourceType=instance", "TagSpecification.2.ResourceType=volume")
                .contains("TagSpecification.3.ResourceType=network-interface")
                .contains(
                        "NetworkInterface.1.AssociatePublicIpAddress=true", "NetworkInterface.1.SecurityGroupId.1=sg-")
                .contains("InstanceMarketOptions.MarketType=spot")
                .doesNotContain("UserData", "&SubnetId");
    }

    @Test
    void a_template_ends_with_its_guest_wants_tokens_for_metadata_and_encrypts_its_disk() {
        canned.answers(200, "<CreateLaunchTemplateResponse/>");

        canned.cloud().createTemplate(Requests.template("#!/bin/sh\n"));

        assertThat(sent())
                .contains("InstanceInitiatedShutdownBehavior=terminate", "HttpTokens=required", "Ebs.Encrypted=true")
                .contains("UserData="
                        + Base64.getEncoder().encodeToString("#!/bin/sh\n".getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 65})
    void a_token_of_the_wrong_length_is_refused_without_a_call(int length) {
        var answer = canned.cloud()
                .launch(Requests.launch("t".repeat(length), 1))
                .toCompletableFuture()
                .join();

        assertThat(answer.error().orElseThrow()).isInstanceOf(CloudError.Refused.class);
        assertThat(canned.requests()).isEmpty();
    }

    @Test
    void the_price_table_names_common_types_and_none_twice() {
        var types = InstanceTypes.table().types();

        assertThat(types).hasSizeGreaterThan(300);
        assertThat(types.get("t3.nano").hourlyUsd()).contains(0.0052);
        assertThat(types.get("m5.large").hourlyUsd()).contains(0.096);
        assertThat(types.get("c6g.4xlarge").hourlyUsd()).contains(0.544);
        assertThat(types.get("p3.2xlarge").gpuName()).isEqualTo("NVIDIA V100");
        assertThat(types.values()).allSatisfy(type -> {
            assertThat(type.vcpus()).isPositive();
            assertThat(type.memoryMib()).isPositive();
            assertThat(type.hourlyUsd().orElseThrow()).isPositive();
            assertThat(type.architecture()).isIn("x86_64", "arm64");
        });
    }

    @Test
    void a_type_that_the_table_lacks_is_offered_without_a_price() {
        canned.answers(200, """
                <DescribeInstanceTypesResponse><instanceTypeSet><item><instanceType>z9.future</instanceType>
                <vCpuInfo><defaultVCpus>4</defaultVCpus></vCpuInfo><memoryInfo><sizeInMiB>8192</sizeInMiB></memoryInfo>
                </item></instanceTypeSet></DescribeInstanceTypesResponse>""");

        var page = canned.cloud()
                .offerings("")
                .toCompletableFuture()
                .join()
                .value()
                .orElseThrow();

        assertThat(page.nextToken()).isEmpty();
        assertThat(page.offerings()).singleElement().satisfies(offering -> {
            assertThat(offering.type()).isEqualTo("z9.future");
            assertThat(offering.vcpus()).isEqualTo(4);
            assertThat(offering.hourlyUsd()).isEmpty();
        });
    }

    @Test
    void a_rule_that_is_there_already_is_no_error() {
        canned.answersError(400, "InvalidPermission.Duplicate", "already exists");

        var answer = canned.cloud()
                .allowIngress("sg-1", ImmutableList.of("10.0.0.0/16"))
                .toCompletableFuture()
                .join();

        assertThat(answer.value()).contains(true);
    }

    @ParameterizedTest
    @CsvSource({"412, DryRunOperation, true", "403, UnauthorizedOperation, false"})
    void a_dry_run_is_answered_by_an_error_that_says_whether_it_is_allowed(int status, String code, boolean granted) {
        canned.answersError(status, code, "as EC2 words it");

        var permission = canned.cloud()
                .permitted(new Probe.Terminate("i-1"))
                .toCompletableFuture()
                .join();

        assertThat(permission.value()).contains(new Permission(granted, "as EC2 words it"));
        assertThat(sent()).contains("Action=TerminateInstances", "DryRun=true", "InstanceId.1=i-1");
    }

    @Test
    void what_else_stands_in_the_way_of_a_dry_run_does_not_tell_whether_it_is_allowed() {
        canned.answersError(400, "InvalidInstanceID.NotFound", "no such instance");

        var permission = canned.cloud()
                .permitted(new Probe.Terminate("i-1"))
                .toCompletableFuture()
                .join();

        assertThat(permission.error().orElseThrow()).isInstanceOf(CloudError.NotFound.class);
    }

    @Test
    void versions_that_were_gone_already_count_as_deleted_and_those_that_stay_do_not() {
        canned.answers(200, """
                <DeleteLaunchTemplateVersionsResponse>
                <successfullyDeletedLaunchTemplateVersionSet><item><versionNumber>1</versionNumber></item>
                </successfullyDeletedLaunchTemplateVersionSet>
                <unsuccessfullyDeletedLaunchTemplateVersionSet>
                <item><versionNumber>2</versionNumber><responseError><code>launchTemplateVersionDoesNotExist</code>
                </responseError></item>
                <item><versionNumber>3</versionNumber><responseError><code>unexpectedError</code></responseError></item>
                </unsuccessfullyDeletedLaunchTemplateVersionSet></DeleteLaunchTemplateVersionsResponse>""");

        var gone = canned.cloud()
                .deleteTemplateVersions("lt-1", ImmutableList.of("1", "2", "3"))
                .toCompletableFuture()
                .join();

        assertThat(gone.value()).contains(ImmutableList.of("1", "2"));
    }

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:5000, true",
        "https://vpce-1.ec2.us-east-1.vpce.amazonaws.com, false",
        "https://ec2.us-east-1.api.aws, false"
    })
    void what_stands_in_for_ec2_stands_in_for_sts_but_an_address_of_aws_does_not(String endpoint, boolean same) {
        assertThat(Sts.endpoint(Canned.settings("us-east-1", Optional.of(endpoint))))
                .isEqualTo(same ? Optional.of(URI.create(endpoint)) : Optional.empty());
    }

    @Test
    void a_tag_that_does_not_fit_is_refused_without_a_call() {
        var answer = canned.cloud()
                .createTags(ImmutableList.of("i-1"), ImmutableMap.of("k".repeat(129), "v"))
                .toCompletableFuture()
                .join();

        assertThat(answer.error().orElseThrow()).isInstanceOf(CloudError.Refused.class);
        assertThat(canned.requests()).isEmpty();
    }

    @Test
    void the_newest_image_of_each_architecture_is_chosen() {
        canned.answers(200, """
                <DescribeImagesResponse><imagesSet>
                <item><imageId>ami-1</imageId><architecture>x86_64</architecture><creationDate>2024-01-01T00:00:00.000Z</creationDate></item>
                <item><imageId>ami-2</imageId><architecture>x86_64</architecture><creationDate>2025-01-01T00:00:00.000Z</creationDate>
                  <rootDeviceName>/dev/xvda</rootDeviceName><blockDeviceMapping><item><deviceName>/dev/xvda</deviceName>
                  <ebs><volumeSize>8</volumeSize></ebs></item></blockDeviceMapping></item>
                <item><imageId>ami-3</imageId><architecture>arm64</architecture></item>
                </imagesSet></DescribeImagesResponse>""");

        var images = canned.cloud()
                .images(ImmutableMap.of())
                .toCompletableFuture()
                .join()
                .value()
                .orElseThrow();

        assertThat(images).extracting(image -> image.id()).containsExactly("ami-3", "ami-2");
        assertThat(images.get(1).rootGib()).isEqualTo(8);
    }

    private String sent() {
        return URLDecoder.decode(Iterables.getOnlyElement(canned.requests()), StandardCharsets.UTF_8);
    }
}
