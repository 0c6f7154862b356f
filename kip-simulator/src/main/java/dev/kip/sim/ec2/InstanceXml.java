package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.aws.Xml;
import dev.kip.sim.ec2.SimInstance.Launch;
import dev.kip.sim.ec2.SimInstance.State;
import java.util.List;

/** Writes instances as RunInstances and DescribeInstances show them. */
final class InstanceXml {

    private final Tags tags;
    private final SecurityGroups groups;
    private final String account;

    InstanceXml(Tags tags, SecurityGroups groups, String account) {
        this.tags = tags;
        this.groups = groups;
        this.account = account;
    }

    void reservation(Xml xml, String reservationId, List<SimInstance> instances) {
        xml.put("reservationId", reservationId).put("ownerId", account).in("groupSet", none -> {});
        xml.items("instancesSet", instances, this::instance);
    }

    private void instance(Xml xml, SimInstance instance) {
        Launch launch = instance.launch();
        boolean gone = instance.state() == State.TERMINATED;
        xml.put("instanceId", launch.id())
                .put("imageId", launch.imageId())
                .in("instanceState", state -> state(state, instance.state()))
                .put("privateDnsName", gone ? "" : privateName(launch))
                .put("dnsName", "")
                .put("reason", instance.transitionReason())
                .put("amiLaunchIndex", launch.launchIndex())
                .in("productCodes", none -> {})
                .put("instanceType", launch.type())
                .put("launchTime", launch.launchTime().toString())
                .in(
                        "placement",
                        placement -> placement
                                .put("availabilityZone", launch.zone())
                                .put("groupName", "")
                                .put("tenancy", "default"))
                .in("monitoring", monitoring -> monitoring.put("state", "disabled"));
        if (!gone) {
            xml.put("subnetId", launch.subnetId())
                    .put("vpcId", Network.VPC)
                    .put("privateIpAddress", launch.privateIp());
            if (instance.state() == State.RUNNING) {
                xml.put("ipAddress", launch.publicIp());
            }
            xml.put("sourceDestCheck", true).items("groupSet", launch.groups(), this::group);
        }
        instance.reason()
                .ifPresent(reason -> xml.in(
                        "stateReason", state -> state.put("code", reason.code()).put("message", reason.message())));
        xml.put("architecture", launch.architecture())
                .put("rootDeviceType", "ebs")
                .put("rootDeviceName", launch.rootDevice())
                .items(
                        "blockDeviceMapping",
                        gone ? ImmutableList.of() : ImmutableList.of(launch),
                        InstanceXml::rootDevice)
                .put("virtualizationType", "hvm");
        if (launch.spot()) {
            xml.put("instanceLifecycle", "spot").put("spotInstanceRequestId", spotRequest(launch));
        }
        xml.put("clientToken", launch.clientToken());
        tags.write(xml, launch.id());
        xml.put("hypervisor", "xen")
                .items(
                        "networkInterfaceSet",
                        gone ? ImmutableList.of() : ImmutableList.of(instance),
                        this::networkInterface);
        launch.profile()
                .ifPresent(arn -> xml.in(
                        "iamInstanceProfile", profile -> profile.put("arn", arn).put("id", "AIPA0000000000EXAMPLE")));
        xml.put("ebsOptimized", false)
                .put("enaSupport", true)
                .in(
                        "metadataOptions",
                        metadata -> metadata.put("state", "applied")
                                .put("httpTokens", launch.httpTokens())
                                .put("httpPutResponseHopLimit", launch.hopLimit())
                                .put("httpEndpoint", "enabled")
                                .put("instanceMetadataTags", "disabled"));
    }

    static void state(Xml xml, State state) {
        xml.put("code", state.code()).put("name", state.label());
    }

    private static void rootDevice(Xml xml, Launch launch) {
        xml.put("deviceName", launch.rootDevice())
                .in(
                        "ebs",
                        ebs -> ebs.put("volumeId", launch.volumeId())
                                .put("status", "attached")
                                .put("attachTime", launch.launchTime().toString())
                                .put("deleteOnTermination", true));
    }

    private void group(Xml xml, String id) {
        xml.put("groupId", id).put("groupName", groups.require(id).name());
    }

    void networkInterface(Xml xml, SimInstance instance) {
        Launch launch = instance.launch();
        boolean leaves = instance.state() == State.TERMINATED;
        xml.put("networkInterfaceId", launch.interfaceId())
                .put("subnetId", launch.subnetId())
                .put("vpcId", Network.VPC)
                .put("description", "")
                .put("ownerId", account)
                .put("availabilityZone", launch.zone())
                .put("status", leaves ? "detaching" : "in-use")
                .put("privateIpAddress", launch.privateIp())
                .put("privateDnsName", privateName(launch))
                .put("sourceDestCheck", true)
                .items("groupSet", launch.groups(), this::group)
                .in(
                        "attachment",
                        attachment -> attachment
                                .put("attachmentId", launch.interfaceId().replace("eni", "eni-attach"))
                                .put("instanceId", launch.id())
                                .put("deviceIndex", 0)
                                .put("status", leaves ? "detaching" : "attached")
                                .put("attachTime", launch.launchTime().toString())
                                .put("deleteOnTermination", true))
                .items(
                        "privateIpAddressesSet",
                        ImmutableList.of(launch),
                        (item, one) ->
                                item.put("privateIpAddress", one.privateIp()).put("primary", true));
    }

    private static String privateName(Launch launch) {
        return "ip-" + launch.privateIp().replace('.', '-') + ".ec2.internal";
    }

    static String spotRequest(Launch launch) {
        return "sir-" + launch.id().substring(launch.id().length() - 8);
    }
}
