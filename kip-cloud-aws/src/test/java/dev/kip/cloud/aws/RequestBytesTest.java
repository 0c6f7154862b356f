package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import dev.kip.cloud.CloudApi.InstanceQuery;
import dev.kip.cloud.CloudApi.ResourceQuery;
import dev.kip.cloud.Probe;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.util.IdempotentUtils;
import software.amazon.awssdk.services.ec2.model.SpotInstanceType;

/**
 * Whatever the JVM, the same calls give the same bytes (docs/decisions/0001). The hash changes only when what we send
 * changes, or with a release of the SDK that sends it differently: look at the requests, then write the new hash here.
 */
class RequestBytesTest {

    private static final String HASH = "05a0c3e4f1227bba05f6852e3b744ac50a88cd3b06f0faff38060eed2dc06fd4";

    private final java.util.function.Supplier<String> generator = IdempotentUtils.getGenerator();

    @BeforeEach
    void no_token_may_come_from_the_sdk() {
        IdempotentUtils.setGenerator(() -> {
            throw new AssertionError("the SDK made up a client token");
        });
    }

    @AfterEach
    void put_the_generator_back() {
        IdempotentUtils.setGenerator(generator);
    }

    @Test
    void a_spot_launch_asks_once() {
        var options = Ec2Requests.runInstances(Requests.launch("token", 2)).instanceMarketOptions();

        assertThat(options.spotOptions().spotInstanceType()).isEqualTo(SpotInstanceType.ONE_TIME);
        assertThat(options.spotOptions().validUntil()).isNull();
    }

    @Test
    void the_same_calls_give_the_same_bytes_on_every_jvm() {
        Canned canned = new Canned();
        callEverything(canned);

        String all = String.join("\n--\n", canned.requests());
        String hash = Hashing.sha256().hashString(all, StandardCharsets.UTF_8).toString();
        System.out.println("content hash of " + canned.requests().size() + " requests: " + hash);

        assertThat(hash).as(all).isEqualTo(HASH);
    }

    private static void callEverything(Canned canned) {
        AwsCloud cloud = canned.cloud();
        canned.answers(200, "<R/>");
        ImmutableMap<String, String> tags = ImmutableMap.of("kip.elotl.co/installation", "abc", "İi", "ğüş");
        cloud.launch(Requests.launch("token-1", 100));
        cloud.describe(InstanceQuery.ofTags(tags, ""));
        cloud.describe(InstanceQuery.ofTags(tags, "next page"));
        cloud.describe(InstanceQuery.ofIds(ImmutableList.of("i-1", "i-2")));
        cloud.terminate(ImmutableList.of("i-1", "i-2", "i-3"));
        cloud.createTemplate(Requests.template("#!/bin/sh\necho 'ça va'\n"));
        cloud.createTemplateVersion(Requests.template("#cloud-config\n"));
        cloud.describeTemplates(tags, "");
        cloud.deleteTemplate("lt-1");
        cloud.offerings("");
        cloud.images(ImmutableMap.of("owners", "amazon", "filters", "name=al2023-* architecture=x86_64,arm64"));
        cloud.subnets(Optional.empty(), Optional.empty());
        cloud.subnets(Optional.of("vpc-1"), Optional.empty());
        cloud.securityGroups("vpc-1", "kip-abc");
        cloud.createSecurityGroup("vpc-1", "kip-abc", "cells", tags);
        cloud.allowIngress("sg-1", ImmutableList.of("10.0.0.0/16", "10.1.0.0/16"));
        cloud.deleteSecurityGroup("sg-1");
        cloud.account();
        cloud.describe(InstanceQuery.ofTagKey("KipControllerID", ""));
        cloud.templateVersions("lt-1", "");
        cloud.setDefaultTemplateVersion("lt-1", "2");
        cloud.deleteTemplateVersions("lt-1", ImmutableList.of("1", "3"));
        cloud.volumes(ResourceQuery.ofTags(tags, ""));
        cloud.networkInterfaces(ResourceQuery.ofTagKey("KipControllerID", "next page"));
        cloud.securityGroups(ResourceQuery.ofTags(tags, ""));
        cloud.createTags(ImmutableList.of("i-1", "vol-1"), tags);
        cloud.deleteTags(ImmutableList.of("i-1"), ImmutableList.of("kip.elotl.co/gc-candidate"));
        probes(tags).forEach(cloud::permitted);
    }

    private static ImmutableList<Probe> probes(ImmutableMap<String, String> tags) {
        return ImmutableList.of(
                new Probe.Launch(Requests.launch("token-1", 1)),
                new Probe.Terminate("i-1"),
                new Probe.CreateTemplate(Requests.template("#!/bin/sh")),
                new Probe.CreateTemplateVersion(Requests.template("#!/bin/sh")),
                new Probe.SetDefaultTemplateVersion("lt-1", "2"),
                new Probe.DeleteTemplateVersions("lt-1", ImmutableList.of("1")),
                new Probe.DeleteTemplate("lt-1"),
                new Probe.CreateGroup("vpc-1", "kip-abc", "cells", tags),
                new Probe.AllowIngress("sg-1", ImmutableList.of("10.0.0.0/16")),
                new Probe.DeleteGroup("sg-1"),
                new Probe.CreateTags(ImmutableList.of("i-1"), tags),
                new Probe.DeleteTags(ImmutableList.of("i-1"), ImmutableList.of("a")));
    }
}
