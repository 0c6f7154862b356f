package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.aws.Xml;
import dev.kip.sim.ec2.SimInstance.Launch;
import java.util.Locale;

/**
 * The calls about the volume and the network interface of each instance. The volume is gone when its instance is
 * terminated, the interface a while later: as long, it is a member of its security groups and holds its address.
 */
final class Attachments {

    private final Instances instances;
    private final InstanceXml xml;
    private final Tags tags;

    Attachments(Instances instances, InstanceXml xml, Tags tags) {
        this.instances = instances;
        this.xml = xml;
        this.tags = tags;
    }

    void describeVolumes(Params params, Xml out) {
        ImmutableList<SimInstance> holding = withVolume();
        Filters<SimInstance> volumes = new Filters<>(
                ImmutableMap.of(
                        "volume-id",
                                instance -> ImmutableList.of(instance.launch().volumeId()),
                        "attachment.instance-id", instance -> ImmutableList.of(instance.id()),
                        "status", instance -> ImmutableList.of("in-use"),
                        "availability-zone",
                                instance -> ImmutableList.of(instance.launch().zone())),
                instance -> tags.of(instance.launch().volumeId()));
        ImmutableList<String> wanted = params.list("VolumeId");
        for (String id : wanted) {
            if (holding.stream()
                    .noneMatch(instance -> instance.launch().volumeId().equals(id))) {
                throw new Ec2Failure("InvalidVolume.NotFound", "The volume '" + id + "' does not exist.");
            }
        }
        ImmutableList<SimInstance> chosen = volumes.select(params, holding).stream()
                .filter(instance ->
                        wanted.isEmpty() || wanted.contains(instance.launch().volumeId()))
                .collect(ImmutableList.toImmutableList());
        Pages.Page<SimInstance> page = Pages.of(params, chosen, Attachments::key, 5, 1000, 1000);
        out.items("volumeSet", page.items(), (item, instance) -> {
            Launch launch = instance.launch();
            item.put("volumeId", launch.volumeId())
                    .put("size", launch.volumeGib())
                    .put("availabilityZone", launch.zone())
                    .put("status", "in-use")
                    .put("createTime", launch.launchTime().toString())
                    .items(
                            "attachmentSet",
                            ImmutableList.of(launch),
                            (attached, one) -> attached.put("volumeId", one.volumeId())
                                    .put("instanceId", one.id())
                                    .put("device", one.rootDevice())
                                    .put("status", "attached")
                                    .put("deleteOnTermination", true))
                    .put("volumeType", launch.volumeType())
                    .put("encrypted", launch.encrypted());
            tags.write(item, launch.volumeId());
        });
        out.put("nextToken", page.nextToken());
    }

    void describeInterfaces(Params params, Xml out) {
        Filters<SimInstance> interfaces = new Filters<>(
                ImmutableMap.of(
                        "network-interface-id",
                                instance -> ImmutableList.of(instance.launch().interfaceId()),
                        "attachment.instance-id", instance -> ImmutableList.of(instance.id()),
                        "group-id", instance -> instance.launch().groups(),
                        "vpc-id", instance -> ImmutableList.of(Network.VPC),
                        "subnet-id",
                                instance -> ImmutableList.of(instance.launch().subnetId())),
                instance -> tags.of(instance.launch().interfaceId()));
        ImmutableList<String> wanted = params.list("NetworkInterfaceId");
        for (String id : wanted) {
            if (withInterface().stream()
                    .noneMatch(instance -> instance.launch().interfaceId().equals(id))) {
                throw new Ec2Failure(
                        "InvalidNetworkInterfaceID.NotFound", "The networkInterface ID '" + id + "' does not exist");
            }
        }
        ImmutableList<SimInstance> chosen = interfaces.select(params, withInterface()).stream()
                .filter(instance ->
                        wanted.isEmpty() || wanted.contains(instance.launch().interfaceId()))
                .collect(ImmutableList.toImmutableList());
        Pages.Page<SimInstance> page = Pages.of(params, chosen, Attachments::key, 5, 1000, 1000);
        out.items("networkInterfaceSet", page.items(), (item, instance) -> {
            xml.networkInterface(item, instance);
            tags.write(item, instance.launch().interfaceId());
        });
        out.put("nextToken", page.nextToken());
    }

    ImmutableList<SimInstance> withVolume() {
        return instances.all().stream().filter(SimInstance::hasVolume).collect(ImmutableList.toImmutableList());
    }

    ImmutableList<SimInstance> withInterface() {
        return instances.all().stream().filter(SimInstance::hasInterface).collect(ImmutableList.toImmutableList());
    }

    private static String key(SimInstance instance) {
        return String.format(Locale.ROOT, "%012d", instance.launch().sequence());
    }
}
