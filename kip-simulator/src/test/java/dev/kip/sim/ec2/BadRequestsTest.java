package dev.kip.sim.ec2;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SeededEntropy;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever is asked, the simulated EC2 answers, and blames the request and not itself. */
class BadRequestsTest {

    private static final int REQUESTS = 20_000;

    private static final ImmutableList<String> ACTIONS = ImmutableList.of(
            "RunInstances",
            "DescribeInstances",
            "DescribeInstanceStatus",
            "DescribeInstanceAttribute",
            "TerminateInstances",
            "DescribeVolumes",
            "DescribeNetworkInterfaces",
            "CreateTags",
            "DeleteTags",
            "DescribeTags",
            "DescribeInstanceTypes",
            "DescribeInstanceTypeOfferings",
            "DescribeImages",
            "DescribeSubnets",
            "DescribeVpcs",
            "DescribeRouteTables",
            "DescribeAvailabilityZones",
            "CreateSecurityGroup",
            "DescribeSecurityGroups",
            "AuthorizeSecurityGroupIngress",
            "RevokeSecurityGroupIngress",
            "DeleteSecurityGroup",
            "CreateLaunchTemplate",
            "CreateLaunchTemplateVersion",
            "DescribeLaunchTemplates",
            "DescribeLaunchTemplateVersions",
            "ModifyLaunchTemplate",
            "DeleteLaunchTemplate",
            "DeleteLaunchTemplateVersions",
            "Nonsense");

    private static final ImmutableList<String> NAMES = ImmutableList.of(
            "InstanceId.1",
            "InstanceId.2",
            "InstanceId",
            "Filter.1.Name",
            "Filter.1.Value.1",
            "Filter.2.Value.1",
            "Filter.1",
            "MaxResults",
            "NextToken",
            "MinCount",
            "MaxCount",
            "ImageId",
            "InstanceType",
            "SubnetId",
            "SecurityGroupId.1",
            "NetworkInterface.1.SubnetId",
            "NetworkInterface.1.SecurityGroupId.1",
            "BlockDeviceMapping.1.DeviceName",
            "BlockDeviceMapping.1.Ebs.VolumeSize",
            "UserData",
            "ClientToken",
            "LaunchTemplate.LaunchTemplateId",
            "LaunchTemplate.LaunchTemplateName",
            "LaunchTemplate.Version",
            "LaunchTemplateId",
            "LaunchTemplateName",
            "LaunchTemplateVersion.1",
            "LaunchTemplateData.ImageId",
            "LaunchTemplateData.UserData",
            "SourceVersion",
            "SetDefaultVersion",
            "ResourceId.1",
            "Tag.1.Key",
            "Tag.1.Value",
            "TagSpecification.1.ResourceType",
            "TagSpecification.1.Tag.1.Key",
            "GroupId",
            "GroupName",
            "GroupDescription",
            "VpcId",
            "IpPermissions.1.IpProtocol",
            "IpPermissions.1.FromPort",
            "IpPermissions.1.IpRanges.1.CidrIp",
            "Attribute",
            "LocationType",
            "Owner.1",
            "DryRun",
            "..",
            "InstanceId.",
            "InstanceId.99999999999");

    private static final ImmutableList<String> VALUES = ImmutableList.of(
            "",
            "1",
            "5",
            "-1",
            "99999999999",
            "true",
            "*",
            "**?\\",
            "i-0fffffffffffffff0",
            "ami-0a1b2c3d4e5f60003",
            "t3.nano",
            "t4g.nano",
            "subnet-0d1e2f3a4b5c60001",
            "sg-0d1e2f3a4b5c60001",
            "vpc-0d1e2f3a4b5c60001",
            "kip",
            "instance",
            "instance-id",
            "tag:kip",
            "tag-key",
            "aws:kip",
            "$Latest",
            "$Default",
            "userData",
            "10.0.0.0/8",
            "AAAA",
            "no base64!",
            "<&>\u0000\u00fc",
            "amazon",
            "spot");

    @Test
    void any_request_is_answered_and_none_is_the_servers_fault() {
        SeededEntropy entropy = new SeededEntropy(seed());
        Kernel kernel = new Kernel(1, Instant.parse("2030-01-01T00:00:00Z"), new Trace(false));
        SimEc2 ec2 = new SimEc2(
                new SimProcess(kernel, "ec2"),
                kernel.entropy("ec2"),
                Ec2Settings.quick().withVcpuLimit(2000));
        int refused = 0;
        for (int i = 0; i < REQUESTS; i++) {
            String action = pick(ACTIONS, entropy);
            List<String> parameters = new ArrayList<>();
            for (long n = entropy.below(8); n > 0; n--) {
                parameters.add(pick(NAMES, entropy));
                parameters.add(pick(VALUES, entropy));
            }
            Ec2Query query = Ec2Query.send(ec2, action, parameters.toArray(String[]::new));
            assertThat(query.answer())
                    .as("seed %d: %s %s", seed(), action, parameters)
                    .startsWith("<?xml")
                    .doesNotContain("InternalError");
            refused += query.status() == 200 ? 0 : 1;
        }

        assertThat(refused).isBetween(REQUESTS / 4, REQUESTS - REQUESTS / 20);
    }

    private static String pick(ImmutableList<String> from, SeededEntropy entropy) {
        return from.get((int) entropy.below(from.size()));
    }

    private static long seed() {
        String given = Strings.nullToEmpty(System.getProperty("kip.seed"));
        return given.isBlank() ? 20261130L : Long.parseLong(given);
    }
}
