package dev.kip.sim.ec2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimProcess;
import dev.kip.sim.kernel.Trace;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the simulated EC2 does where EC2's documentation says what is to be done and emulators do something else. */
class SimEc2Test {

    private static final String IMAGE = "ami-0a1b2c3d4e5f60003";
    private static final Ec2Settings SETTINGS = Ec2Settings.realistic()
            .withThrottling(false)
            .withTimes(Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofSeconds(20));

    private final Kernel kernel = new Kernel(5, Instant.parse("2030-01-01T00:00:00Z"), new Trace(false));
    private final SimProcess process = new SimProcess(kernel, "ec2");
    private SimEc2 ec2 = ec2(SETTINGS);

    private SimEc2 ec2(Ec2Settings settings) {
        return new SimEc2(process, kernel.entropy("ec2"), settings);
    }

    private Ec2Query send(String action, String... parameters) {
        return Ec2Query.send(ec2, action, parameters);
    }

    private Ec2Query run(int count, String... more) {
        List<String> parameters = new ArrayList<>(List.of(
                "ImageId", IMAGE, "InstanceType", "t3.nano", "MinCount", "1", "MaxCount", String.valueOf(count)));
        parameters.addAll(List.of(more));
        return send("RunInstances", parameters.toArray(String[]::new));
    }

    @Test
    void an_unknown_filter_is_an_error_and_never_everything() {
        run(2).ok();
        kernel.runFor(Duration.ofSeconds(5));

        assertThat(send("DescribeInstances", "Filter.1.Name", "no-such-filter", "Filter.1.Value.1", "1")
                        .code())
                .isEqualTo("InvalidParameterValue");
        assertThat(send("DescribeInstances", "Filter.1.Name", "vpc-id", "Filter.1.Value.1", "vpc-none")
                        .ok()
                        .all("instanceId"))
                .isEmpty();
        assertThat(send("DescribeInstances", "Filter.1.Name", "instance-type", "Filter.1.Value.1", "t?.n*")
                        .ok()
                        .all("amiLaunchIndex"))
                .hasSize(2);
    }

    @Test
    void the_last_page_has_no_token_and_pages_neither_repeat_nor_skip() {
        run(12).ok();
        kernel.runFor(Duration.ofSeconds(5));

        List<String> seen = new ArrayList<>();
        Ec2Query page = send("DescribeInstances", "MaxResults", "5").ok();
        while (!page.all("nextToken").isEmpty()) {
            seen.addAll(page.all("clientToken"));
            page = send("DescribeInstances", "MaxResults", "5", "NextToken", page.first("nextToken"))
                    .ok();
        }
        seen.addAll(page.all("clientToken"));

        assertThat(seen).hasSize(12);
        assertThat(page.answer()).doesNotContain("nextToken");
    }

    @Test
    void page_sizes_out_of_range_and_beside_ids_are_refused() {
        String id = run(1).first("instanceId");

        assertThat(send("DescribeInstances", "MaxResults", "4").code()).isEqualTo("InvalidParameterValue");
        assertThat(send("DescribeInstances", "MaxResults", "1001").code()).isEqualTo("InvalidParameterValue");
        assertThat(send("DescribeInstances", "MaxResults", "5", "InstanceId.1", id)
                        .code())
                .isEqualTo("InvalidParameterCombination");
        assertThat(send("DescribeInstances", "NextToken", "!").code()).isEqualTo("InvalidNextToken");
        assertThat(send("DescribeInstances", "InstanceId.1", "web").code()).isEqualTo("InvalidInstanceID.Malformed");
    }

    @Test
    void a_new_instance_shows_late_to_those_who_look_by_tag() {
        String id = run(1).first("instanceId");

        assertThat(send("DescribeInstances").ok().all("amiLaunchIndex")).isEmpty();
        assertThat(send("DescribeInstances", "InstanceId.1", id).ok().all("amiLaunchIndex"))
                .hasSize(1);
        kernel.runFor(Duration.ofSeconds(5));
        assertThat(send("DescribeInstances").ok().all("amiLaunchIndex")).hasSize(1);
    }

    @Test
    void capacity_left_for_three_gives_three_of_ten_and_then_none() {
        ec2.capacity().leave("t3.nano", "*", "on-demand", 3);

        assertThat(run(10).ok().all("amiLaunchIndex")).containsExactly("0", "1", "2");
        Ec2Query refused = run(1);
        assertThat(refused.code()).isEqualTo("InsufficientInstanceCapacity");
        assertThat(refused.status()).isEqualTo(500);
        assertThat(run(1, "InstanceMarketOptions.MarketType", "spot").ok().first("instanceLifecycle"))
                .isEqualTo("spot");
    }

    @Test
    void the_vcpu_quota_counts_what_runs() {
        ec2 = ec2(SETTINGS.withVcpuLimit(5));

        assertThat(run(10).ok().all("amiLaunchIndex")).hasSize(2);
        assertThat(run(1).code()).isEqualTo("VcpuLimitExceeded");
        assertThat(run(1, "InstanceMarketOptions.MarketType", "spot").ok().all("amiLaunchIndex"))
                .hasSize(1);
    }

    @Test
    void launches_are_refused_as_ec2_refuses_them() {
        assertThat(run(1, "ImageId", "ami-0fffffffffffffff0").code()).isEqualTo("InvalidAMIID.NotFound");
        assertThat(run(1, "ImageId", "centos").code()).isEqualTo("InvalidAMIID.Malformed");
        assertThat(run(1, "InstanceType", "t9.nano").code()).isEqualTo("InvalidParameterValue");
        assertThat(run(1, "InstanceType", "t4g.nano").answer()).contains("does not match the architecture");
        assertThat(run(1, "SubnetId", "subnet-0fffffffffffffff0").code()).isEqualTo("InvalidSubnetID.NotFound");
        assertThat(run(1, "SecurityGroupId.1", "sg-0fffffffffffffff0").code()).isEqualTo("InvalidGroup.NotFound");
        assertThat(run(1, "KeyName", "mine").code()).isEqualTo("InvalidKeyPair.NotFound");
        assertThat(run(0).code()).isEqualTo("InvalidParameterValue");
        assertThat(run(1, "ClientToken", "t".repeat(65)).code()).isEqualTo("InvalidParameterValue");
        assertThat(run(1, "UserData", "no base64!").code()).isEqualTo("InvalidUserData.Malformed");
        assertThat(run(1, "SubnetId", "subnet-0d1e2f3a4b5c60001", "NetworkInterface.1.DeviceIndex", "0")
                        .code())
                .isEqualTo("InvalidParameterCombination");
        assertThat(run(1, "DryRun", "true").code()).isEqualTo("DryRunOperation");
        assertThat(send("HibernateEverything").code()).isEqualTo("InvalidAction");
        assertThat(ec2.instances()).isEmpty();
    }

    @Test
    void a_token_whose_instances_have_ended_fails_or_answers_with_them() {
        String id = run(1, "ClientToken", "T").first("instanceId");
        send("TerminateInstances", "InstanceId.1", id).ok();
        assertThat(run(1, "ClientToken", "T").code()).isEqualTo("IdempotentInstanceTerminated");

        ec2 = ec2(SETTINGS.withEndedTokenFails(false));
        String other = run(1, "ClientToken", "T").first("instanceId");
        send("TerminateInstances", "InstanceId.1", other).ok();
        assertThat(run(1, "ClientToken", "T").ok().first("instanceId")).isEqualTo(other);
    }

    @Test
    void a_token_is_good_for_one_zone() {
        run(1, "ClientToken", "T", "SubnetId", "subnet-0d1e2f3a4b5c60001").ok();
        run(1, "ClientToken", "T", "SubnetId", "subnet-0d1e2f3a4b5c60002").ok();
        assertThat(run(2, "ClientToken", "T", "SubnetId", "subnet-0d1e2f3a4b5c60001")
                        .code())
                .isEqualTo("IdempotentParameterMismatch");

        assertThat(ec2.instances()).hasSize(2);
    }

    @Test
    void machines_start_and_end_and_are_forgotten_an_hour_later() {
        List<String> heard = new ArrayList<>();
        ec2.listen(new InstanceListener() {
            @Override
            public void started(String id, String ip, String userData) {
                heard.add("started " + ip + " with " + userData);
            }

            @Override
            public void ended(String id) {
                heard.add("ended");
            }
        });
        String userData = Base64.getEncoder().encodeToString("boot me".getBytes(StandardCharsets.UTF_8));
        String id = run(
                        1,
                        "UserData",
                        userData,
                        "TagSpecification.1.ResourceType",
                        "instance",
                        "TagSpecification.1.Tag.1.Key",
                        "a",
                        "TagSpecification.1.Tag.1.Value",
                        "b")
                .first("instanceId");
        kernel.runFor(Duration.ofSeconds(20));
        assertThat(heard).containsExactly("started 172.31.0.4 with boot me");

        send("TerminateInstances", "InstanceId.1", id).ok();
        Ec2Query again = send("TerminateInstances", "InstanceId.1", id).ok();
        assertThat(again.all("name")).containsExactly("shutting-down", "shutting-down");
        kernel.runFor(Duration.ofSeconds(20));
        assertThat(heard).hasSize(2).endsWith("ended");
        Ec2Query gone = send("DescribeInstances", "InstanceId.1", id).ok();
        assertThat(gone.first("name")).isEqualTo("terminated");
        assertThat(gone.answer()).doesNotContain("privateIpAddress");
        assertThat(gone.all("key")).containsExactly("a");

        kernel.runFor(Duration.ofMinutes(11));
        assertThat(send("DescribeInstances", "InstanceId.1", id).ok().all("key"))
                .isEmpty();
        kernel.runFor(Duration.ofMinutes(50));
        assertThat(send("DescribeInstances", "InstanceId.1", id).code()).isEqualTo("InvalidInstanceID.NotFound");
    }

    @Test
    void a_machine_that_powers_itself_off_stops_or_ends_as_it_was_launched() {
        String stops = run(1).first("instanceId");
        String ends = run(1, "InstanceInitiatedShutdownBehavior", "terminate").first("instanceId");
        kernel.runFor(Duration.ofSeconds(20));

        ec2.guestShutdown(stops);
        ec2.guestShutdown(ends);
        kernel.runFor(Duration.ofSeconds(20));

        assertThat(ec2.instances()).extracting(SimEc2.Sight::state).containsExactly("stopped", "terminated");
    }

    @Test
    void calls_beyond_the_bucket_are_refused_and_the_bucket_fills_again() {
        ec2 = ec2(SETTINGS.withThrottling(true));
        for (int i = 0; i < 5; i++) {
            run(1).ok();
        }

        Ec2Query refused = run(1);
        assertThat(refused.code()).isEqualTo("RequestLimitExceeded");
        assertThat(refused.status()).isEqualTo(503);
        kernel.runFor(Duration.ofMillis(500));
        run(1).ok();
        assertThat(run(1).code()).isEqualTo("RequestLimitExceeded");
    }

    @Test
    void instances_beyond_the_resource_bucket_are_refused_whole() {
        ec2 = ec2(SETTINGS.withThrottling(true));
        run(900).ok();

        assertThat(run(200).code()).isEqualTo("RequestLimitExceeded");
        kernel.runFor(Duration.ofSeconds(50));
        run(200).ok();
    }

    @Test
    void tags_that_ec2_refuses_are_refused_for_every_resource_of_the_call() {
        String id = run(1).first("instanceId");

        assertThat(send("CreateTags", "ResourceId.1", id, "Tag.1.Key", "aws:mine", "Tag.1.Value", "1")
                        .code())
                .isEqualTo("InvalidParameterValue");
        assertThat(send(
                                "CreateTags",
                                "ResourceId.1",
                                id,
                                "ResourceId.2",
                                "i-0fffffffffffffff0",
                                "Tag.1.Key",
                                "k",
                                "Tag.1.Value",
                                "1")
                        .code())
                .isEqualTo("InvalidInstanceID.NotFound");
        List<String> many = new ArrayList<>(List.of("ResourceId.1", id));
        for (int i = 1; i <= 51; i++) {
            many.addAll(List.of("Tag." + i + ".Key", "k" + i, "Tag." + i + ".Value", "v"));
        }
        assertThat(send("CreateTags", many.toArray(String[]::new)).code()).isEqualTo("TagLimitExceeded");
        assertThat(send("DescribeTags").ok().all("key")).isEmpty();

        send("CreateTags", "ResourceId.1", id, "Tag.1.Key", "k", "Tag.1.Value", "1")
                .ok();
        assertThat(send("DescribeTags", "Filter.1.Name", "resource-id", "Filter.1.Value.1", id)
                        .ok()
                        .all("key"))
                .containsExactly("k");
        send("DeleteTags", "ResourceId.1", id, "Tag.1.Key", "k").ok();
        assertThat(send("DescribeTags").ok().all("key")).isEmpty();
    }

    @Test
    void a_template_version_takes_from_its_source_what_it_does_not_say() {
        String id = send(
                        "CreateLaunchTemplate",
                        "LaunchTemplateName",
                        "tpl",
                        "LaunchTemplateData.ImageId",
                        IMAGE,
                        "LaunchTemplateData.InstanceType",
                        "t3.nano")
                .first("launchTemplateId");
        send(
                        "CreateLaunchTemplateVersion",
                        "LaunchTemplateId",
                        id,
                        "SourceVersion",
                        "1",
                        "LaunchTemplateData.InstanceType",
                        "t3.small")
                .ok();
        send("CreateLaunchTemplateVersion", "LaunchTemplateId", id, "LaunchTemplateData.InstanceType", "t3.large")
                .ok();

        String[] launch = {"LaunchTemplate.LaunchTemplateId", id, "MinCount", "1", "MaxCount", "1"};
        assertThat(send("RunInstances", launch).first("instanceType")).isEqualTo("t3.nano");
        List<String> second = new ArrayList<>(List.of(launch));
        second.addAll(List.of("LaunchTemplate.Version", "2"));
        Ec2Query merged = send("RunInstances", second.toArray(String[]::new)).ok();
        assertThat(merged.first("instanceType")).isEqualTo("t3.small");
        assertThat(merged.answer()).contains("<key>aws:ec2launchtemplate:version</key><value>2</value>");
        List<String> latest = new ArrayList<>(List.of(launch));
        latest.addAll(List.of("LaunchTemplate.Version", "$Latest"));
        assertThat(send("RunInstances", latest.toArray(String[]::new)).answer()).contains("ImageId");
        List<String> none = new ArrayList<>(List.of(launch));
        none.addAll(List.of("LaunchTemplate.Version", "9"));
        assertThat(send("RunInstances", none.toArray(String[]::new)).code())
                .isEqualTo("InvalidLaunchTemplateId.VersionNotFound");

        assertThat(send("DescribeLaunchTemplateVersions", "LaunchTemplateId", id)
                        .ok()
                        .all("versionNumber"))
                .containsExactly("3", "2", "1");
        Ec2Query deleted = send(
                        "DeleteLaunchTemplateVersions",
                        "LaunchTemplateId",
                        id,
                        "LaunchTemplateVersion.1",
                        "1",
                        "LaunchTemplateVersion.2",
                        "2")
                .ok();
        assertThat(deleted.all("versionNumber"))
                .as("first what went, then what is the default")
                .containsExactly("2", "1");
        send("ModifyLaunchTemplate", "LaunchTemplateId", id, "SetDefaultVersion", "3")
                .ok();
        send("DeleteLaunchTemplateVersions", "LaunchTemplateId", id, "LaunchTemplateVersion.1", "1")
                .ok();
        assertThat(send("DescribeLaunchTemplateVersions", "LaunchTemplateId", id)
                        .all("versionNumber"))
                .containsExactly("3");
    }

    @Test
    void status_calls_take_ids_first_and_show_what_does_not_run_only_when_asked() {
        String runs = run(1).first("instanceId");
        kernel.runFor(Duration.ofSeconds(20));
        String pending = run(1).first("instanceId");
        String[] both = {"InstanceId.1", runs, "InstanceId.2", pending};

        assertThat(send("DescribeInstanceStatus", both).ok().all("instanceId")).containsExactly(runs);
        assertThat(send(
                                "DescribeInstanceStatus",
                                "InstanceId.1",
                                runs,
                                "InstanceId.2",
                                pending,
                                "IncludeAllInstances",
                                "true")
                        .ok()
                        .all("instanceId"))
                .containsExactly(runs, pending);
        assertThat(send("DescribeInstanceStatus", "InstanceId.1", runs, "InstanceId.2", "i-0fffffffffffffff0")
                        .code())
                .isEqualTo("InvalidInstanceID.NotFound");
    }

    @Test
    void what_belongs_to_an_instance_goes_with_it() {
        String id = run(
                        1,
                        "BlockDeviceMapping.1.DeviceName",
                        "/dev/xvda",
                        "BlockDeviceMapping.1.Ebs.VolumeSize",
                        "20",
                        "BlockDeviceMapping.1.Ebs.Encrypted",
                        "true",
                        "TagSpecification.1.ResourceType",
                        "volume",
                        "TagSpecification.1.Tag.1.Key",
                        "kip",
                        "TagSpecification.1.Tag.1.Value",
                        "x")
                .first("instanceId");
        String[] mine = {"Filter.1.Name", "attachment.instance-id", "Filter.1.Value.1", id};

        Ec2Query volume = send("DescribeVolumes", mine).ok();
        assertThat(volume.first("size")).isEqualTo("20");
        assertThat(volume.first("encrypted")).isEqualTo("true");
        assertThat(volume.first("key")).isEqualTo("kip");
        assertThat(send("DescribeNetworkInterfaces", mine).ok().first("privateIpAddress"))
                .isEqualTo("172.31.0.4");
        send("TerminateInstances", "InstanceId.1", id).ok();
        kernel.runFor(Duration.ofSeconds(20));
        assertThat(send("DescribeVolumes", mine).ok().all("volumeId")).isEmpty();
        assertThat(send("DescribeNetworkInterfaces", mine).ok().all("networkInterfaceId"))
                .isEmpty();
    }

    @Test
    void an_address_is_not_given_to_the_next_instance_at_once() {
        String id = run(1).first("instanceId");
        send("TerminateInstances", "InstanceId.1", id).ok();
        kernel.runFor(Duration.ofSeconds(20));

        assertThat(run(1).first("privateIpAddress")).isEqualTo("172.31.0.5");
    }

    @Test
    void a_failure_that_a_scenario_asks_for_is_answered_and_counted() {
        ec2.intercept(action -> action.equals("RunInstances")
                ? Optional.of(new Ec2Failure(500, "InternalError", "An internal error has occurred"))
                : Optional.empty());

        assertThat(run(1).code()).isEqualTo("InternalError");
        send("DescribeInstances").ok();

        assertThat(ec2.log().count("RunInstances")).isEqualTo(1);
        assertThat(ec2.log().errors()).containsEntry("InternalError", 1L);
        assertThat(ec2.log().total()).isEqualTo(2);
    }

    @Test
    void a_snapshot_restores_everything_that_outlives_a_restart() {
        List<String> heard = new ArrayList<>();
        String group = send("CreateSecurityGroup", "GroupName", "g", "GroupDescription", "d")
                .first("groupId");
        send(
                        "AuthorizeSecurityGroupIngress",
                        "GroupId",
                        group,
                        "IpPermissions.1.IpProtocol",
                        "tcp",
                        "IpPermissions.1.FromPort",
                        "1",
                        "IpPermissions.1.ToPort",
                        "2",
                        "IpPermissions.1.IpRanges.1.CidrIp",
                        "10.0.0.0/8")
                .ok();
        send("CreateLaunchTemplate", "LaunchTemplateName", "tpl", "LaunchTemplateData.ImageId", IMAGE)
                .ok();
        String id = run(1, "ClientToken", "T", "SecurityGroupId.1", group).first("instanceId");
        kernel.runFor(Duration.ofSeconds(20));
        String before = send("DescribeInstances").ok().answer();
        var snapshot = ec2.snapshot();

        ec2 = ec2(SETTINGS);
        ec2.listen(new InstanceListener() {
            @Override
            public void started(String instance, String ip, String userData) {
                heard.add(instance);
            }

            @Override
            public void ended(String instance) {}
        });
        ec2.restore(snapshot);
        kernel.runFor(Duration.ofSeconds(1));

        assertThat(withoutRequestId(send("DescribeInstances").ok().answer())).isEqualTo(withoutRequestId(before));
        assertThat(ec2.snapshot().toString()).isEqualTo(snapshot.toString());
        assertThat(heard).containsExactly(id);
        assertThat(run(1, "ClientToken", "T", "SecurityGroupId.1", group).first("instanceId"))
                .isEqualTo(id);
        assertThat(send("DeleteSecurityGroup", "GroupId", group).code()).isEqualTo("DependencyViolation");
        assertThat(run(1).first("privateIpAddress")).isNotEqualTo("172.31.0.4");
    }

    private static String withoutRequestId(String answer) {
        return answer.replaceAll("<requestId>[^<]*</requestId>", "");
    }

    @Test
    void the_same_seed_gives_the_same_answers() {
        SimEc2 other = ec2(SETTINGS);

        assertThat(Ec2Query.send(
                                other,
                                "RunInstances",
                                "ImageId",
                                IMAGE,
                                "MinCount",
                                "1",
                                "MaxCount",
                                "3",
                                "InstanceType",
                                "t3.nano")
                        .answer())
                .isEqualTo(run(3, "ClientToken", "").answer());
    }

    @Test
    void an_interface_outlives_its_instance_for_a_while_and_holds_its_group() {
        ec2 = ec2(SETTINGS.withInterfaceLingers(Duration.ofSeconds(40)));
        String group = send("CreateSecurityGroup", "GroupName", "cells", "GroupDescription", "of cells")
                .ok()
                .first("groupId");
        String id = run(1, "SecurityGroupId.1", group).ok().first("instanceId");
        kernel.runFor(Duration.ofSeconds(21));
        send("TerminateInstances", "InstanceId.1", id).ok();
        kernel.runUntil(
                () -> send("DescribeInstances", "InstanceId.1", id).answer().contains("terminated"),
                Duration.ofSeconds(21));

        assertThat(send("DescribeVolumes").ok().all("volumeId")).isEmpty();
        assertThat(send("DescribeNetworkInterfaces").ok().first("status")).isEqualTo("detaching");
        assertThat(send("DeleteSecurityGroup", "GroupId", group).code()).isEqualTo("DependencyViolation");
        assertThat(ec2.interfaceCount()).isEqualTo(1);
        kernel.runFor(Duration.ofSeconds(40));
        assertThat(send("DescribeNetworkInterfaces").ok().all("networkInterfaceId"))
                .isEmpty();
        send("DeleteSecurityGroup", "GroupId", group).ok();
        assertThat(ec2.interfaceCount() + ec2.volumeCount() + ec2.groupCount()).isZero();
    }

    @Test
    void the_versions_of_a_template_come_newest_first_in_pages() {
        String template = send(
                        "CreateLaunchTemplate", "LaunchTemplateName", "cells", "LaunchTemplateData.ImageId", IMAGE)
                .ok()
                .first("launchTemplateId");
        for (int i = 2; i <= 11; i++) {
            send("CreateLaunchTemplateVersion", "LaunchTemplateId", template, "LaunchTemplateData.ImageId", IMAGE)
                    .ok();
        }

        Ec2Query first = send("DescribeLaunchTemplateVersions", "LaunchTemplateId", template, "MaxResults", "8");
        Ec2Query second = send(
                "DescribeLaunchTemplateVersions",
                "LaunchTemplateId",
                template,
                "MaxResults",
                "8",
                "NextToken",
                first.ok().first("nextToken"));

        assertThat(first.all("versionNumber")).startsWith("11", "10").hasSize(8);
        assertThat(second.ok().all("versionNumber")).containsExactly("3", "2", "1");
    }

    @Test
    void a_permission_that_is_denied_is_denied_to_a_dry_run_too() {
        ec2.intercept(action -> action.equals("TerminateInstances")
                ? Optional.of(new Ec2Failure(403, "UnauthorizedOperation", "You are not authorized"))
                : Optional.empty());

        assertThat(send("TerminateInstances", "InstanceId.1", "i-0123456789abcdef0", "DryRun", "true")
                        .code())
                .isEqualTo("UnauthorizedOperation");
    }
}
