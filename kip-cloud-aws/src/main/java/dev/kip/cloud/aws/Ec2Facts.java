package dev.kip.cloud.aws;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.CloudApi.TemplateFacts;
import dev.kip.cloud.CloudApi.TemplateVersion;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.ec2.model.ArchitectureType;
import software.amazon.awssdk.services.ec2.model.BlockDeviceMapping;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.Image;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.InstanceLifecycleType;
import software.amazon.awssdk.services.ec2.model.InstanceTypeInfo;
import software.amazon.awssdk.services.ec2.model.LaunchTemplate;
import software.amazon.awssdk.services.ec2.model.Reservation;
import software.amazon.awssdk.services.ec2.model.Subnet;
import software.amazon.awssdk.services.ec2.model.Tag;

/** The SDK's objects as the port's facts. Whatever EC2 may leave out has a value here. */
final class Ec2Facts {

    /** EC2 writes the template's id here; the prefix cannot be used by anyone else. */
    private static final String TEMPLATE_TAG = "aws:ec2launchtemplate:id";

    private Ec2Facts() {}

    static ImmutableList<InstanceFacts> instances(List<Reservation> reservations) {
        return reservations.stream()
                .flatMap(reservation -> reservation.instances().stream())
                .map(Ec2Facts::instance)
                .collect(toImmutableList());
    }

    static InstanceFacts instance(Instance instance) {
        ImmutableMap<String, String> tags = tags(instance.tags());
        return new InstanceFacts(
                instance.instanceId(),
                instance.state() == null
                        ? InstanceState.PENDING
                        : state(instance.state().nameAsString()),
                Strings.nullToEmpty(instance.instanceTypeAsString()),
                instance.placement() == null
                        ? ""
                        : Strings.nullToEmpty(instance.placement().availabilityZone()),
                instance.instanceLifecycle() == InstanceLifecycleType.SPOT ? Market.SPOT : Market.ON_DEMAND,
                present(instance.privateIpAddress()),
                present(instance.publicIpAddress()),
                Strings.nullToEmpty(instance.clientToken()),
                instance.amiLaunchIndex() == null ? 0 : instance.amiLaunchIndex(),
                instance.launchTime() == null ? Instant.EPOCH : instance.launchTime(),
                Optional.ofNullable(tags.get(TEMPLATE_TAG)),
                instance.stateReason() == null
                        ? ""
                        : Strings.nullToEmpty(instance.stateReason().message()),
                tags);
    }

    static InstanceState state(String name) {
        return switch (name) {
            case "running" -> InstanceState.RUNNING;
            case "stopping" -> InstanceState.STOPPING;
            case "stopped" -> InstanceState.STOPPED;
            case "shutting-down" -> InstanceState.SHUTTING_DOWN;
            case "terminated" -> InstanceState.TERMINATED;
            default -> InstanceState.PENDING;
        };
    }

    static TemplateVersion templateVersion(LaunchTemplate template) {
        return new TemplateVersion(
                template.launchTemplateId(),
                template.launchTemplateName(),
                String.valueOf(template.latestVersionNumber()));
    }

    static TemplateFacts template(LaunchTemplate template) {
        return new TemplateFacts(
                template.launchTemplateId(),
                template.launchTemplateName(),
                String.valueOf(template.latestVersionNumber()),
                String.valueOf(template.defaultVersionNumber()),
                tags(template.tags()));
    }

    /** What EC2 says of a type, with the price of the table. */
    static Offering offering(InstanceTypeInfo info, Prices prices) {
        var gpus = info.gpuInfo() == null
                ? List.<software.amazon.awssdk.services.ec2.model.GpuDeviceInfo>of()
                : info.gpuInfo().gpus();
        String type = info.instanceTypeAsString();
        return new Offering(
                type,
                architecture(info),
                info.vCpuInfo() == null ? 0 : info.vCpuInfo().defaultVCpus(),
                info.memoryInfo() == null ? 0 : info.memoryInfo().sizeInMiB(),
                gpus.stream()
                        .mapToInt(gpu -> gpu.count() == null ? 0 : gpu.count())
                        .sum(),
                gpus.isEmpty()
                        ? ""
                        : gpus.get(0).manufacturer() + " " + gpus.get(0).name(),
                Boolean.TRUE.equals(info.burstablePerformanceSupported()),
                Boolean.TRUE.equals(info.bareMetal()),
                Boolean.TRUE.equals(info.currentGeneration()),
                prices.hourlyUsd(type));
    }

    private static String architecture(InstanceTypeInfo info) {
        if (info.processorInfo() == null) {
            return "";
        }
        var supported = info.processorInfo().supportedArchitectures();
        return supported.contains(ArchitectureType.ARM64)
                ? "arm64"
                : supported.contains(ArchitectureType.X86_64)
                        ? "x86_64"
                        : String.join(",", info.processorInfo().supportedArchitecturesAsStrings());
    }

    /** The newest of each architecture; ids break ties, so that the choice does not hang on the order of the answer. */
    static ImmutableList<ImageFacts> newest(List<Image> images) {
        Map<String, ImageFacts> newest = new LinkedHashMap<>();
        images.stream()
                .map(Ec2Facts::image)
                .sorted(Comparator.comparing(ImageFacts::architecture)
                        .thenComparing(ImageFacts::created, Comparator.reverseOrder())
                        .thenComparing(ImageFacts::id))
                .forEach(image -> newest.putIfAbsent(image.architecture(), image));
        return ImmutableList.copyOf(newest.values());
    }

    private static ImageFacts image(Image image) {
        Optional<String> root = present(image.rootDeviceName());
        int gib = image.blockDeviceMappings().stream()
                .filter(mapping -> mapping.ebs() != null
                        && mapping.ebs().volumeSize() != null
                        && root.equals(present(mapping.deviceName())))
                .mapToInt(mapping -> sizeOf(mapping))
                .findFirst()
                .orElse(0);
        return new ImageFacts(
                image.imageId(),
                Strings.nullToEmpty(image.name()),
                Strings.nullToEmpty(image.architectureAsString()),
                created(image),
                root,
                gib);
    }

    private static int sizeOf(BlockDeviceMapping mapping) {
        return mapping.ebs().volumeSize();
    }

    /** Images without a readable date come last. */
    private static Instant created(Image image) {
        try {
            return Instant.parse(Strings.nullToEmpty(image.creationDate()));
        } catch (DateTimeParseException e) {
            return Instant.EPOCH;
        }
    }

    static SubnetFacts subnet(Subnet subnet, String vpcCidr) {
        return new SubnetFacts(
                subnet.subnetId(),
                Strings.nullToEmpty(subnet.vpcId()),
                vpcCidr,
                Strings.nullToEmpty(subnet.availabilityZone()),
                subnet.availableIpAddressCount() == null ? 0 : subnet.availableIpAddressCount(),
                Boolean.TRUE.equals(subnet.mapPublicIpOnLaunch()));
    }

    static ImmutableMap<String, String> tags(List<Tag> tags) {
        ImmutableMap.Builder<String, String> map = ImmutableMap.builder();
        tags.forEach(tag -> map.put(tag.key(), Strings.nullToEmpty(tag.value())));
        return map.buildKeepingLast();
    }

    static ImmutableList<Tag> tags(ImmutableMap<String, String> tags) {
        return tags.entrySet().stream()
                .map(tag ->
                        Tag.builder().key(tag.getKey()).value(tag.getValue()).build())
                .collect(toImmutableList());
    }

    static Filter filter(String name, String value) {
        return Filter.builder().name(name).values(value).build();
    }

    static ImmutableList<Filter> tagFilters(ImmutableMap<String, String> tags) {
        return tags.entrySet().stream()
                .map(tag -> filter("tag:" + tag.getKey(), tag.getValue()))
                .collect(toImmutableList());
    }

    static Optional<String> present(String value) {
        return Optional.ofNullable(value).filter(text -> !text.isEmpty());
    }
}
