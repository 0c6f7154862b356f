package dev.kip.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceQuery;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudApi.TemplateVersion;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.CloudProvider.CloudSettings;
import dev.kip.cloud.aws.AwsCloudProvider;
import dev.kip.loop.system.ThreadOffload;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The production {@link CloudApi} against moto's EC2, call by call in the order of a pod's life. */
final class CloudOnMotoIT {
    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster();

    private static final ImmutableMap<String, String> OURS = ImmutableMap.of("kip-test", "cloud-on-moto");

    private final LoopCalls calls = new LoopCalls();
    private ThreadOffload offload;
    private CloudApi cloud;

    @BeforeEach
    void open() {
        offload = new ThreadOffload(calls.loop(), "ec2", 2);
        cloud = new AwsCloudProvider()
                .open(
                        new CloudSettings(
                                "us-east-1",
                                Optional.of(CLUSTER.ec2().toString()),
                                Optional.of("testing"),
                                Optional.of("testing"),
                                false,
                                ImmutableMap.of()),
                        offload);
    }

    @AfterEach
    void close() {
        offload.close();
        calls.close();
    }

    @Test
    void an_instance_is_launched_found_by_tag_and_ended() {
        SubnetFacts subnet = calls.ok(() -> cloud.subnets(Optional.empty(), Optional.empty()))
                .get(0);
        assertThat(subnet.vpcCidr()).isEqualTo("172.31.0.0/16");
        String group = calls.ok(() -> cloud.createSecurityGroup(subnet.vpcId(), "kip-cloud-on-moto", "a test", OURS));
        assertThat(calls.ok(() -> cloud.allowIngress(group, ImmutableList.of(subnet.vpcCidr()))))
                .isTrue();
        calls.ok(() -> cloud.allowIngress(group, ImmutableList.of(subnet.vpcCidr())));
        assertThat(calls.ok(() -> cloud.securityGroups(subnet.vpcId(), "kip-cloud-on-moto")))
                .containsExactly(group);

        ImageFacts image = calls.ok(() -> cloud.images(ImmutableMap.of("owners", "amazon")))
                .get(0);
        TemplateContent content = new TemplateContent(
                "kip-cloud-on-moto", image.id(), image.rootDevice(), 20, "#!/bin/true", Optional.empty(), "1", OURS);
        TemplateVersion template = calls.ok(() -> cloud.createTemplate(content));
        assertThat(calls.refused(() -> cloud.createTemplate(content))).isInstanceOf(CloudError.AlreadyExists.class);
        assertThat(calls.ok(() -> cloud.createTemplateVersion(content)).version())
                .isEqualTo("2");

        InstanceFacts launched = calls.ok(() -> cloud.launch(new LaunchRequest(
                        template.templateId(),
                        template.version(),
                        "t3.nano",
                        Optional.of(subnet.id()),
                        ImmutableList.of(group),
                        false,
                        Market.ON_DEMAND,
                        1,
                        "token-of-ours",
                        OURS)))
                .get(0);
        InstanceFacts seen = calls.ok(() -> cloud.describe(InstanceQuery.ofTags(OURS, "")))
                .instances()
                .get(0);
        assertThat(seen.id()).isEqualTo(launched.id());
        assertThat(seen.state()).isEqualTo(InstanceState.RUNNING);
        assertThat(seen.clientToken()).isEqualTo("token-of-ours");
        assertThat(seen.tags()).containsAllEntriesOf(OURS);
        assertThat(seen.privateIp()).isPresent();
        assertThat(seen.type()).isEqualTo("t3.nano");

        assertThat(calls.ok(() -> cloud.terminate(ImmutableList.of(seen.id())))
                        .get(seen.id())
                        .ended())
                .isTrue();
        assertThat(calls.ok(() -> cloud.deleteTemplate(template.templateId()))).isTrue();
        assertThat(calls.ok(() -> cloud.describeTemplates(OURS, "")).templates())
                .isEmpty();
        assertThat(calls.ok(() -> cloud.deleteSecurityGroup(group))).isTrue();
    }

    @Test
    void what_does_not_exist_is_not_found() {
        assertThat(calls.refused(() -> cloud.terminate(ImmutableList.of("i-0123456789abcdef0"))))
                .isInstanceOf(CloudError.NotFound.class);
        assertThat(calls.refused(() -> cloud.describe(InstanceQuery.ofIds(ImmutableList.of("i-0123456789abcdef0")))))
                .isInstanceOf(CloudError.NotFound.class);
        assertThat(calls.refused(() -> cloud.deleteTemplate("lt-0123456789abcdef0")))
                .isInstanceOf(CloudError.NotFound.class);
    }

    @Test
    void offerings_have_a_price_and_a_size() {
        Offering nano = calls.ok(() -> cloud.offerings("")).offerings().stream()
                .filter(offering -> offering.type().equals("t3.nano"))
                .findFirst()
                .orElseThrow();
        assertThat(nano.vcpus()).isEqualTo(2);
        assertThat(nano.memoryMib()).isEqualTo(512);
        assertThat(nano.hourlyUsd())
                .hasValueSatisfying(price -> assertThat(price).isPositive());
    }
}
