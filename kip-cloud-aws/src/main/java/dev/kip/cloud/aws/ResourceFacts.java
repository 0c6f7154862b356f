package dev.kip.cloud.aws;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Strings;
import dev.kip.cloud.CloudApi.GroupFacts;
import dev.kip.cloud.CloudApi.InterfaceFacts;
import dev.kip.cloud.CloudApi.TemplateVersionFacts;
import dev.kip.cloud.CloudApi.VolumeFacts;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import software.amazon.awssdk.services.ec2.model.GroupIdentifier;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateVersion;
import software.amazon.awssdk.services.ec2.model.NetworkInterface;
import software.amazon.awssdk.services.ec2.model.SecurityGroup;
import software.amazon.awssdk.services.ec2.model.Volume;
import software.amazon.awssdk.services.ec2.model.VolumeAttachment;

/** What comes and goes with instances, from the SDK's objects. Whatever EC2 may leave out has a value here. */
final class ResourceFacts {

    private ResourceFacts() {}

    static VolumeFacts volume(Volume volume) {
        return new VolumeFacts(
                volume.volumeId(),
                Strings.nullToEmpty(volume.stateAsString()),
                Strings.nullToEmpty(volume.availabilityZone()),
                volume.size() == null ? 0 : volume.size(),
                Strings.nullToEmpty(volume.volumeTypeAsString()),
                volume.createTime() == null ? Instant.EPOCH : volume.createTime(),
                volume.attachments().stream()
                        .map(VolumeAttachment::instanceId)
                        .flatMap(Stream::ofNullable)
                        .findFirst(),
                Ec2Facts.tags(volume.tags()));
    }

    static InterfaceFacts networkInterface(NetworkInterface network) {
        return new InterfaceFacts(
                network.networkInterfaceId(),
                Strings.nullToEmpty(network.statusAsString()),
                Strings.nullToEmpty(network.availabilityZone()),
                Ec2Facts.present(network.privateIpAddress()),
                network.attachment() == null
                        ? Optional.empty()
                        : Ec2Facts.present(network.attachment().instanceId()),
                network.groups().stream().map(GroupIdentifier::groupId).collect(toImmutableList()),
                Ec2Facts.tags(network.tagSet()));
    }

    static GroupFacts group(SecurityGroup group) {
        return new GroupFacts(
                group.groupId(),
                Strings.nullToEmpty(group.groupName()),
                Strings.nullToEmpty(group.vpcId()),
                Ec2Facts.tags(group.tags()));
    }

    static TemplateVersionFacts templateVersion(LaunchTemplateVersion version) {
        return new TemplateVersionFacts(
                String.valueOf(version.versionNumber()),
                Strings.nullToEmpty(version.versionDescription()),
                Boolean.TRUE.equals(version.defaultVersion()),
                version.createTime() == null ? Instant.EPOCH : version.createTime());
    }
}
