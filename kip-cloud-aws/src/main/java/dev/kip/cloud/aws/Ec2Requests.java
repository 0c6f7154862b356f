package dev.kip.cloud.aws;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.TemplateContent;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import software.amazon.awssdk.services.ec2.model.AuthorizeSecurityGroupIngressRequest;
import software.amazon.awssdk.services.ec2.model.CreateLaunchTemplateRequest;
import software.amazon.awssdk.services.ec2.model.CreateLaunchTemplateVersionRequest;
import software.amazon.awssdk.services.ec2.model.CreateSecurityGroupRequest;
import software.amazon.awssdk.services.ec2.model.CreateTagsRequest;
import software.amazon.awssdk.services.ec2.model.DeleteLaunchTemplateRequest;
import software.amazon.awssdk.services.ec2.model.DeleteLaunchTemplateVersionsRequest;
import software.amazon.awssdk.services.ec2.model.DeleteSecurityGroupRequest;
import software.amazon.awssdk.services.ec2.model.DeleteTagsRequest;
import software.amazon.awssdk.services.ec2.model.InstanceInterruptionBehavior;
import software.amazon.awssdk.services.ec2.model.InstanceMarketOptionsRequest;
import software.amazon.awssdk.services.ec2.model.InstanceNetworkInterfaceSpecification;
import software.amazon.awssdk.services.ec2.model.IpPermission;
import software.amazon.awssdk.services.ec2.model.IpRange;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateBlockDeviceMappingRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateEbsBlockDeviceRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateHttpTokensState;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateIamInstanceProfileSpecificationRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateInstanceMetadataEndpointState;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateInstanceMetadataOptionsRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateSpecification;
import software.amazon.awssdk.services.ec2.model.MarketType;
import software.amazon.awssdk.services.ec2.model.ModifyLaunchTemplateRequest;
import software.amazon.awssdk.services.ec2.model.RequestLaunchTemplateData;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.RunInstancesRequest;
import software.amazon.awssdk.services.ec2.model.ShutdownBehavior;
import software.amazon.awssdk.services.ec2.model.SpotInstanceType;
import software.amazon.awssdk.services.ec2.model.SpotMarketOptions;
import software.amazon.awssdk.services.ec2.model.Tag;
import software.amazon.awssdk.services.ec2.model.TagSpecification;
import software.amazon.awssdk.services.ec2.model.TerminateInstancesRequest;
import software.amazon.awssdk.services.ec2.model.VolumeType;

/** The port's requests as the SDK's. Every token is our own: the SDK's generator is never asked. */
final class Ec2Requests {

    private static final int TOKEN_LENGTH = 32;

    private Ec2Requests() {}

    static RunInstancesRequest runInstances(LaunchRequest launch) {
        ImmutableMap<String, String> tags = TagRules.fit(launch.tags()).tags();
        RunInstancesRequest.Builder request = RunInstancesRequest.builder()
                .launchTemplate(LaunchTemplateSpecification.builder()
                        .launchTemplateId(launch.templateId())
                        .version(launch.templateVersion())
                        .build())
                .instanceType(launch.instanceType())
                .minCount(1)
                .maxCount(launch.count())
                .clientToken(launch.clientToken())
                .networkInterfaces(networkInterface(launch));
        if (!tags.isEmpty()) {
            request.tagSpecifications(
                    tagged(ResourceType.INSTANCE, tags),
                    tagged(ResourceType.VOLUME, tags),
                    tagged(ResourceType.NETWORK_INTERFACE, tags));
        }
        if (launch.market() == Market.SPOT) {
            request.instanceMarketOptions(InstanceMarketOptionsRequest.builder()
                    .marketType(MarketType.SPOT)
                    .spotOptions(SpotMarketOptions.builder()
                            .spotInstanceType(SpotInstanceType.ONE_TIME)
                            .instanceInterruptionBehavior(InstanceInterruptionBehavior.TERMINATE)
                            .build())
                    .build());
        }
        return request.build();
    }

    private static InstanceNetworkInterfaceSpecification networkInterface(LaunchRequest launch) {
        InstanceNetworkInterfaceSpecification.Builder network = InstanceNetworkInterfaceSpecification.builder()
                .deviceIndex(0)
                .deleteOnTermination(true)
                .associatePublicIpAddress(launch.publicIp());
        launch.subnetId().ifPresent(network::subnetId);
        if (!launch.securityGroupIds().isEmpty()) {
            network.groups(launch.securityGroupIds());
        }
        return network.build();
    }

    static TerminateInstancesRequest terminate(ImmutableList<String> instanceIds) {
        return TerminateInstancesRequest.builder().instanceIds(instanceIds).build();
    }

    /** @throws IllegalArgumentException if a tag does not fit */
    static CreateTagsRequest createTags(ImmutableList<String> resourceIds, ImmutableMap<String, String> tags) {
        TagRules.Fitted fitted = TagRules.fit(tags);
        if (!fitted.dropped().isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", fitted.dropped()));
        }
        return CreateTagsRequest.builder()
                .resources(resourceIds)
                .tags(Ec2Facts.tags(fitted.tags()))
                .build();
    }

    static DeleteTagsRequest deleteTags(ImmutableList<String> resourceIds, ImmutableList<String> keys) {
        return DeleteTagsRequest.builder()
                .resources(resourceIds)
                .tags(keys.stream().map(key -> Tag.builder().key(key).build()).collect(ImmutableList.toImmutableList()))
                .build();
    }

    static CreateSecurityGroupRequest createSecurityGroup(
            String vpcId, String name, String description, ImmutableMap<String, String> tags) {
        CreateSecurityGroupRequest.Builder request = CreateSecurityGroupRequest.builder()
                .vpcId(vpcId)
                .groupName(name)
                .description(description);
        ImmutableMap<String, String> fitted = TagRules.fit(tags).tags();
        if (!fitted.isEmpty()) {
            request.tagSpecifications(tagged(ResourceType.SECURITY_GROUP, fitted));
        }
        return request.build();
    }

    /** Every TCP and UDP port, and ICMP. */
    static AuthorizeSecurityGroupIngressRequest allowIngress(String groupId, ImmutableList<String> cidrs) {
        return AuthorizeSecurityGroupIngressRequest.builder()
                .groupId(groupId)
                .ipPermissions(openTo(cidrs))
                .build();
    }

    static DeleteSecurityGroupRequest deleteSecurityGroup(String groupId) {
        return DeleteSecurityGroupRequest.builder().groupId(groupId).build();
    }

    /** @param nth tells this call from an equal one before it, which EC2 would take for its repetition and leave out */
    static ModifyLaunchTemplateRequest setDefaultTemplateVersion(String templateId, String version, int nth) {
        return ModifyLaunchTemplateRequest.builder()
                .launchTemplateId(templateId)
                .defaultVersion(version)
                .clientToken(token("default", templateId + " " + version + " " + nth))
                .build();
    }

    static DeleteLaunchTemplateVersionsRequest deleteTemplateVersions(
            String templateId, ImmutableList<String> versions) {
        return DeleteLaunchTemplateVersionsRequest.builder()
                .launchTemplateId(templateId)
                .versions(versions)
                .build();
    }

    static DeleteLaunchTemplateRequest deleteTemplate(String templateId) {
        return DeleteLaunchTemplateRequest.builder()
                .launchTemplateId(templateId)
                .build();
    }

    static CreateLaunchTemplateRequest createTemplate(TemplateContent content) {
        CreateLaunchTemplateRequest.Builder request = CreateLaunchTemplateRequest.builder()
                .launchTemplateName(content.name())
                .versionDescription(content.versionDescription())
                .launchTemplateData(data(content))
                .clientToken(token("template", content.toString()));
        ImmutableMap<String, String> tags = TagRules.fit(content.tags()).tags();
        if (!tags.isEmpty()) {
            request.tagSpecifications(tagged(ResourceType.LAUNCH_TEMPLATE, tags));
        }
        return request.build();
    }

    static CreateLaunchTemplateVersionRequest createTemplateVersion(TemplateContent content) {
        return CreateLaunchTemplateVersionRequest.builder()
                .launchTemplateName(content.name())
                .versionDescription(content.versionDescription())
                .launchTemplateData(data(content))
                .clientToken(token("version", content.toString()))
                .build();
    }

    private static RequestLaunchTemplateData data(TemplateContent content) {
        RequestLaunchTemplateData.Builder data = RequestLaunchTemplateData.builder()
                .imageId(content.imageId())
                .userData(Base64.getEncoder().encodeToString(content.userData().getBytes(StandardCharsets.UTF_8)))
                .instanceInitiatedShutdownBehavior(ShutdownBehavior.TERMINATE)
                .metadataOptions(LaunchTemplateInstanceMetadataOptionsRequest.builder()
                        .httpEndpoint(LaunchTemplateInstanceMetadataEndpointState.ENABLED)
                        .httpTokens(LaunchTemplateHttpTokensState.REQUIRED)
                        .httpPutResponseHopLimit(1)
                        .build());
        content.rootDevice()
                .ifPresent(device -> data.blockDeviceMappings(LaunchTemplateBlockDeviceMappingRequest.builder()
                        .deviceName(device)
                        .ebs(LaunchTemplateEbsBlockDeviceRequest.builder()
                                .volumeSize(content.volumeGib())
                                .volumeType(VolumeType.GP3)
                                .encrypted(true)
                                .deleteOnTermination(true)
                                .build())
                        .build()));
        content.instanceProfile().ifPresent(profile -> data.iamInstanceProfile(profile(profile)));
        return data.build();
    }

    /** By name or by ARN: a colon tells. */
    private static LaunchTemplateIamInstanceProfileSpecificationRequest profile(String nameOrArn) {
        var profile = LaunchTemplateIamInstanceProfileSpecificationRequest.builder();
        return (nameOrArn.contains(":") ? profile.arn(nameOrArn) : profile.name(nameOrArn)).build();
    }

    /** Equal contents, equal token: a repeated call whose answer was lost makes nothing new. */
    private static String token(String kind, String content) {
        return kind + "-"
                + Hashing.sha256()
                        .hashString(content, StandardCharsets.UTF_8)
                        .toString()
                        .substring(0, TOKEN_LENGTH);
    }

    static TagSpecification tagged(ResourceType type, ImmutableMap<String, String> tags) {
        return TagSpecification.builder()
                .resourceType(type)
                .tags(Ec2Facts.tags(tags))
                .build();
    }

    private static ImmutableList<IpPermission> openTo(ImmutableList<String> cidrs) {
        ImmutableList<IpRange> ranges = cidrs.stream()
                .map(cidr -> IpRange.builder().cidrIp(cidr).build())
                .collect(ImmutableList.toImmutableList());
        return ImmutableList.of(
                permission("tcp", 0, 65535, ranges),
                permission("udp", 0, 65535, ranges),
                permission("icmp", -1, -1, ranges));
    }

    private static IpPermission permission(String protocol, int from, int to, ImmutableList<IpRange> ranges) {
        return IpPermission.builder()
                .ipProtocol(protocol)
                .fromPort(from)
                .toPort(to)
                .ipRanges(ranges)
                .build();
    }

    static Optional<String> page(String token) {
        return Optional.of(token).filter(text -> !text.isEmpty());
    }
}
