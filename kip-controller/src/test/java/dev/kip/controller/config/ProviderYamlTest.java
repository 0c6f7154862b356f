package dev.kip.controller.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.controller.ControllerSettings.DaemonSets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProviderYamlTest {

    private static final Surroundings QUIET =
            new Surroundings(ImmutableMap.of("AWS_REGION", "us-east-1"), "kip-0", "1.2.3");

    /** For every key a file that sets it to something else than its default. */
    private static final ImmutableMap<String, String> SAMPLES = ImmutableMap.<String, String>builder()
            .put("cloud.aws.region", "cloud: {aws: {region: us-gov-west-1}}")
            .put("cloud.aws.accessKeyID", "cloud: {aws: {accessKeyID: AKIA1, secretAccessKey: s3cret}}")
            .put("cloud.aws.secretAccessKey", "cloud: {aws: {accessKeyID: AKIA1, secretAccessKey: s3cret}}")
            .put("cloud.aws.vpcID", "cloud: {aws: {vpcID: vpc-0a1b2c3d}}")
            .put("cloud.aws.subnetID", "cloud: {aws: {subnetID: subnet-0a1b2c3d4e5f60718}}")
            .put("cloud.aws.endpointURL", "cloud: {aws: {endpointURL: \"http://127.0.0.1:5000\"}}")
            .put("cloud.aws.insecureTLSSkipVerify", "cloud: {aws: {insecureTLSSkipVerify: true}}")
            .put(
                    "cloud.aws.eventQueueURL",
                    "cloud: {aws: {eventQueueURL: \"https://sqs.us-east-1.amazonaws.com/123456789012/kip-events\"}}")
            .put(
                    "cloud.aws.eventQueueEndpointURL",
                    "cloud: {aws: {eventQueueURL: \"https://sqs.us-east-1.amazonaws.com/123456789012/kip-events\","
                            + " eventQueueEndpointURL: \"http://127.0.0.1:5000\"}}")
            .put("cloud.aws.profile", "cloud: {aws: {profile: cells}}")
            .put("cloud.aws.useFIPSEndpoint", "cloud: {aws: {useFIPSEndpoint: true}}")
            .put("cloud.aws.useDualStackEndpoint", "cloud: {aws: {useDualStackEndpoint: true}}")
            .put("cloud.aws.consistencyWindow", "cloud: {aws: {consistencyWindow: 1m30s}}")
            .put("cells.bootImageSpec.owners", "cells: {bootImageSpec: {owners: amazon self}}")
            .put("cells.bootImageSpec.executableUsers", "cells: {bootImageSpec: {executableUsers: all}}")
            .put("cells.bootImageSpec.imageIDs", "cells: {bootImageSpec: {imageIDs: ami-0a1b2c3d}}")
            .put("cells.bootImageSpec.filters", "cells: {bootImageSpec: {filters: \"name=a-*,b-* tag:x=y\"}}")
            .put(
                    "cells.bootImageSpec.ssmParameters",
                    "cells: {bootImageSpec: {ssmParameters: /kip/amd64 /kip/arm64:3}}")
            .put("cells.burstable", "cells: {burstable: true}")
            .put("cells.defaultInstanceType", "cells: {defaultInstanceType: c5.large}")
            .put("cells.defaultVolumeSize", "cells: {defaultVolumeSize: 20G}")
            .put("cells.extraCIDRs", "cells: {extraCIDRs: [10.0.0.0/8]}")
            .put("cells.extraSecurityGroups", "cells: {extraSecurityGroups: [sg-0a1b2c3d]}")
            .put("cells.nametag", "cells: {nametag: kip}")
            .put("cells.privateIPOnly", "cells: {privateIPOnly: true}")
            .put("cells.defaultIAMPermissions", "cells: {defaultIAMPermissions: cells}")
            .put("cells.agentPort", "cells: {agentPort: 7000}")
            .put("cells.addressMap", "cells: {addressMap: /tmp/cells.json}")
            .put("cells.apiServer", "cells: {apiServer: \"10.0.0.10:6443\"}")
            .put("cells.bootDeadline", "cells: {bootDeadline: 3m}")
            .put("cells.deadMan", "cells: {deadMan: 6h}")
            .put("cells.inertDeadMan", "cells: {inertDeadMan: 30m}")
            .put(
                    "cells.warmPool",
                    "cells: {warmPool: \"c5.large 2; c5.large spot 10 Mon-Fri 07:00-19:00 Europe/Berlin\"}")
            .put("gc.enabled", "gc: {enabled: false}")
            .put("gc.dryRun", "gc: {dryRun: true}")
            .put("gc.maxCount", "gc: {maxCount: 10}")
            .put("gc.maxPercent", "gc: {maxPercent: 50}")
            .put("gc.window", "gc: {window: 1h}")
            .put("gc.quarantine", "gc: {quarantine: 5m}")
            .put("budget.hourlyUSD", "budget: {hourlyUSD: 2.50}")
            .put("budget.namespaces", "budget: {namespaces: {team-a: 1, team-b: 0.25}}")
            .put("kubelet.capacity", "kubelet: {capacity: {nvidia.com/gpu: 4}}")
            .put("kubelet.labels", "kubelet: {labels: {team: blue}}")
            .put("kubelet.port", "kubelet: {port: 10350}")
            .put("kubelet.clientCAFile", "kubelet: {clientCAFile: /etc/kip/client-ca.crt}")
            .put("kubelet.tlsCertFile", "kubelet: {tlsCertFile: /etc/kip/tls.crt, tlsPrivateKeyFile: /etc/kip/tls.key}")
            .put(
                    "kubelet.tlsPrivateKeyFile",
                    "kubelet: {tlsCertFile: /etc/kip/tls.crt, tlsPrivateKeyFile: /etc/kip/tls.key}")
            .put("kubelet.serverTLSBootstrap", "kubelet: {serverTLSBootstrap: true}")
            .put("kubelet.streamIdleTimeout", "kubelet: {streamIdleTimeout: 1h}")
            .put("kubelet.maxStreams", "kubelet: {maxStreams: 50}")
            .put("daemonSets", "daemonSets: run")
            .put("node.name", "node: {name: kip-1}")
            .put("node.taint", "node: {taint: false}")
            .put("node.internalIP", "node: {internalIP: 10.1.2.3}")
            .put("leaderElection.leaseDuration", "leaderElection: {leaseDuration: 15s}")
            .put("namespace", "namespace: kip")
            .put("installation", "installation: second")
            .put("ownership.anchor", "ownership: {anchor: \"s3://bucket/kip\"}")
            .put(
                    "ownership.anchorEndpointURL",
                    "ownership: {anchor: \"s3://b-1/kip\", anchorEndpointURL: \"http://127.0.0.1:5000\"}")
            .put("ownership.adoptInstallation", "ownership: {adoptInstallation: abcdefghijklmnopqrstuvwxyz}")
            .put("ownership.onClusterRecreated", "ownership: {onClusterRecreated: rejoin}")
            .put("ownership.onLostKeys", "ownership: {onLostKeys: rekey}")
            .buildOrThrow();

    static List<String> keys() {
        return ProviderKeys.all().stream().map(Key::path).toList();
    }

    /** elotl/kip#212. */
    @ParameterizedTest
    @MethodSource("keys")
    void every_documented_key_changes_the_settings(String key) {
        assertThat(SAMPLES).as("a sample for each key").containsKey(key);
        Surroundings bare =
                key.equals("cloud.aws.region") ? new Surroundings(ImmutableMap.of(), "kip-0", "1.2.3") : QUIET;

        assertThat(resolved(SAMPLES.get(key), bare)).isNotEqualTo(resolved("", QUIET));
    }

    /** virtual-kubelet/virtual-kubelet#252. */
    @Test
    void without_a_file_the_defaults_count() {
        ResolvedConfig defaults = ResolvedConfig.of(ProviderConfig.defaults(), QUIET, "defaults")
                .value()
                .orElseThrow();

        assertThat(defaults.controller().node().capacity())
                .containsExactlyInAnyOrderEntriesOf(ImmutableMap.of("cpu", "20", "memory", "100Gi", "pods", "20"));
        assertThat(defaults.controller().launch().defaultVolumeGib()).isEqualTo(5);
        assertThat(defaults.controller().launch().vpcId()).isEmpty();
        assertThat(defaults.controller().launch().nametag()).isEmpty();
        assertThat(defaults.controller().cells().daemonSets()).isEqualTo(DaemonSets.SKIP);
        assertThat(defaults.controller().node().taint()).isTrue();
        assertThat(defaults.controller().node().name()).isEqualTo("virtual-kubelet");
        assertThat(resolved("", QUIET)).isEqualTo(defaults);
        assertThat(resolved("# nothing\ncells:\n  # nothing either\n", QUIET)).isEqualTo(defaults);
    }

    @ParameterizedTest
    @CsvSource({"cpu, 4, 100Gi, 20", "memory, 20, 4, 20", "pods, 20, 100Gi, 4"})
    void each_capacity_has_a_default_of_its_own(String set, String cpu, String memory, String pods) {
        assertThat(resolved("kubelet: {capacity: {" + set + ": 4}}", QUIET)
                        .controller()
                        .node()
                        .capacity())
                .isEqualTo(ImmutableMap.of("cpu", cpu, "memory", memory, "pods", pods));
    }

    @Test
    void the_printed_defaults_are_a_file_that_changes_nothing() {
        assertThat(resolved(ConfigText.defaults(), QUIET)).isEqualTo(resolved("", QUIET));
        assertThat(ConfigText.defaults()).contains("  defaultInstanceType: t3.nano\n", "  # nametag:\n");
    }

    @Test
    void a_file_may_be_json() {
        assertThat(resolved("{\"apiVersion\": \"v1\", \"cells\": {\"agentPort\": 7000}}", QUIET)
                        .controller()
                        .cells()
                        .agentPort())
                .isEqualTo(7000);
    }

    @Test
    void a_file_of_the_original_needs_only_its_retired_keys_removed() {
        assertThat(problems("""
                apiVersion: v1
                cloud:
                  aws:
                    region: us-east-1
                    vpcID: ""
                etcd:
                  internal:
                    dataDir: /opt/kip/data
                cells:
                  nametag: kip
                  bootImageSpec:
                    owners: "689494258501"
                    filters: name=elotl-kip-*
                  defaultInstanceType: t3.nano
                  defaultVolumeSize: 20G
                  itzo:
                    version: latest
                kubelet:
                  cpu: "100"
                  capacity:
                    memory: 512Gi
                    pods: 200
                """))
                .containsExactly(
                        "provider.yaml:5: cloud.aws.vpcID: is empty, wanted the id of a VPC such as vpc-0a1b2c3d, or"
                                + " default. To have the default, leave the line out. See: kip config explain"
                                + " cloud.aws.vpcID",
                        "provider.yaml:6: etcd: is no longer a key. Kip keeps no state of its own: everything is in the"
                                + " Kubernetes API. Remove the section.",
                        "provider.yaml:16: cells.itzo: is no longer a key. Cells run a stock kubelet and the agent of this"
                                + " version. Remove the section.",
                        "provider.yaml:19: kubelet.cpu: is no longer a key. Write kubelet.capacity.cpu.");
    }

    /** elotl/kip#212. */
    @Test
    void every_problem_is_told_at_once_with_line_and_remedy() {
        assertThat(problems("""
                cloud:
                  aws:
                    region: us-east-1a
                    subnetId: subnet-0a1b2c3d
                cells:
                  defaultInstancetype: t3.nano
                  defaultInstanceType: t3nano
                  privateIPOnly: yes
                  agentPort: 70000
                  extraCIDRs: 10.0.0.0/8
                  agentPort: 1
                nametag: kip
                zebra: 1
                """))
                .containsExactly(
                        "provider.yaml:3: cloud.aws.region: \"us-east-1a\" is an availability zone; its region is"
                                + " \"us-east-1\". Write that. See: kip config explain cloud.aws.region",
                        "provider.yaml:4: cloud.aws.subnetId: there is no such key. Did you mean \"cloud.aws.subnetID\"?",
                        "provider.yaml:6: cells.defaultInstancetype: there is no such key. Did you mean"
                                + " \"cells.defaultInstanceType\"?",
                        "provider.yaml:7: cells.defaultInstanceType: \"t3nano\" is not an instance type such as t3.nano."
                                + " See: kip config explain cells.defaultInstanceType",
                        "provider.yaml:8: cells.privateIPOnly: \"yes\" is neither true nor false; write one of them."
                                + " See: kip config explain cells.privateIPOnly",
                        "provider.yaml:9: cells.agentPort: \"70000\" is not a whole number from 1 to 65535. See: kip"
                                + " config explain cells.agentPort",
                        "provider.yaml:10: cells.extraCIDRs: found \"10.0.0.0/8\", wanted a list. Write each item on a line"
                                + " of its own, after \"- \". See: kip config explain cells.extraCIDRs",
                        "provider.yaml:11: \"agentPort\" is given twice, first in line 9: keep one",
                        "provider.yaml:12: nametag: there is no such key. Did you mean \"cells.nametag\"?",
                        "provider.yaml:13: zebra: there is no such key. There are: cloud, cells, gc, budget, kubelet, daemonSets,"
                                + " node, leaderElection, namespace, installation, ownership.");
    }

    /** elotl/kip#141, aws/karpenter-provider-aws#6024. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "cloud: {aws: {vpcID: my-vpc-name}}",
                "cloud: {aws: {subnetID: my-subnet}}",
                "cloud: {aws: {endpointURL: 127.0.0.1:5000}}",
                "cloud: {aws: {region: FILL_IN}}",
                "cloud: {aws: {accessKeyID: AKIA1}}",
                "cloud: {aws: {vpcID: default, subnetID: subnet-0a1b2c3d}}",
                "cloud: {aws: {consistencyWindow: 5}}",
                "cloud: {aws: {consistencyWindow: 0s}}",
                "cloud: [aws]",
                "cells: {bootImageSpec: {imageIDs: elotl-kip-833}}",
                "cells: {bootImageSpec: {filters: name}}",
                "cells: {bootImageSpec: {filter: name=x}}",
                "cells: {defaultVolumeSize: 500M}",
                "cells: {defaultVolumeSize: 20g}",
                "cells: {defaultVolumeSize: [5Gi]}",
                "cells: {extraSecurityGroups: [default]}",
                "cells: {extraCIDRs: [10.0.0.1]}",
                "cells: {extraCIDRs: [10.0.0.0/33]}",
                "cells: {extraCIDRs: [\"::/0\"]}",
                "cells: {nametag: Kip}",
                "cells: {nametag: 12}",
                "cells: {nametag: a234567890123456789012345}",
                "cells: {nametag: }",
                "cells: {defaultIAMPermissions: \"arn:aws:iam::123456789012:role/cells\"}",
                "cells: {agentPort: \"7000\"}",
                "kubelet: {capacity: {cpu: \"\"}}",
                "kubelet: {capacity: {cpu: -1}}",
                "kubelet: {capacity: {cpu: 1K}}",
                "kubelet: {capacity: {gpu: 1}}",
                "kubelet: {capacity: {pods: 1.5}}",
                "kubelet: {labels: {a: 1}}",
                "kubelet: {labels: {\"a b\": c}}",
                "kubelet: {labels: [a]}",
                "daemonSets: maybe",
                "node: {name: Virtual_Kubelet}",
                "node: {internalIP: localhost}",
                "leaderElection: {leaseDuration: 99999999999999999999h}",
                "apiVersion: v2",
                "[]",
                "just a text",
                "a: [1,",
                "a: &a [*a]",
                "cells: {<<: {agentPort: 1}}",
                "---\ncells: {}\n---\ncells: {}\n"
            })
    void what_makes_no_sense_is_one_problem_with_a_line(String text) {
        assertThat(problems(text)).singleElement().asString().matches("(?s)provider\\.yaml:\\d+: .{10,}");
    }

    @Test
    void a_secret_is_never_shown() {
        String shown = problems("cloud: {aws: {accessKeyID: [hunter2], secretAccessKey: \"hunter2 hunter2\"}}")
                .toString();

        assertThat(shown)
                .contains("cloud.aws.accessKeyID", "cloud.aws.secretAccessKey")
                .doesNotContain("hunter2");
        assertThat(ProviderYaml.read("f", SAMPLES.get("cloud.aws.accessKeyID"))
                        .value()
                        .orElseThrow()
                        .toString())
                .doesNotContain("s3cret");
    }

    @Test
    void a_missing_region_names_both_places_where_it_can_be_set() {
        assertThat(ResolvedConfig.of(
                                ProviderConfig.defaults(),
                                new Surroundings(ImmutableMap.of(), "a", "1"),
                                "provider.yaml")
                        .error()
                        .orElseThrow())
                .singleElement()
                .extracting(Problem::text)
                .asString()
                .contains("cloud.aws.region", "AWS_REGION");
    }

    @Test
    void the_environment_wins_over_the_file_for_region_and_keys() {
        Surroundings loud = new Surroundings(
                ImmutableMap.of("AWS_DEFAULT_REGION", "eu-west-1", "AWS_REGION", "eu-west-2", "AWS_ACCESS_KEY_ID", "A"),
                "a",
                "1");

        ResolvedConfig config = resolved("cloud: {aws: {region: us-east-1, accessKeyID: B, secretAccessKey: C}}", loud);

        assertThat(config.cloud().region()).isEqualTo("eu-west-1");
        assertThat(config.cloud().accessKeyId()).isEmpty();
    }

    @Test
    void a_volume_size_is_rounded_up_to_whole_gib() {
        assertThat(resolved("cells: {defaultVolumeSize: 20G}", QUIET)
                        .controller()
                        .launch()
                        .defaultVolumeGib())
                .isEqualTo(19);
        assertThat(resolved("cells: {defaultVolumeSize: 2G}", QUIET)
                        .controller()
                        .launch()
                        .defaultVolumeGib())
                .isEqualTo(2);
    }

    private static ResolvedConfig resolved(String text, Surroundings surroundings) {
        ProviderConfig config = ProviderYaml.read("provider.yaml", text).fold(ok -> ok, problems -> {
            throw new AssertionError(problems);
        });
        return ResolvedConfig.of(config, surroundings, "provider.yaml").value().orElseThrow();
    }

    private static ImmutableList<String> problems(String text) {
        return ProviderYaml.read("provider.yaml", text).error().orElseThrow(AssertionError::new).stream()
                .map(Problem::text)
                .collect(ImmutableList.toImmutableList());
    }
}
