package dev.kip.sim.ec2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.cloud.CloudApi;
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
import dev.kip.outcome.Outcome;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What Kip relies on of an EC2, whichever it is: run against the simulated one and against an emulator. */
abstract class CloudSuite {

    /** What EC2 documents and some emulators do not keep. */
    enum Promise {
        TOKENS_ARE_REMEMBERED("a client token gives the same instances again"),
        PARTS_OF_A_LAUNCH("of MinCount 1 and MaxCount N, up to N come"),
        PENDING_FIRST("a new instance is pending, a terminated one shutting down, for a while"),
        GROUPS_IN_USE("a security group in use cannot be deleted"),
        PAGES("results come in pages of MaxResults"),
        TEMPLATES_ARE_CHECKED("a launch from an unknown template is refused by name"),
        IMAGES_ARE_CHECKED("an unknown image is refused");

        private final String text;

        Promise(String text) {
            this.text = text;
        }
    }

    abstract CloudApi cloud();

    /** Waits for the answer: lets virtual time pass, or does nothing where the call has been made already. */
    abstract <T> Outcome<T, CloudError> await(CompletionStage<Outcome<T, CloudError>> stage);

    /** Lets instances start or end. */
    abstract void settle();

    abstract ImmutableSet<Promise> broken();

    /** An image to launch. */
    abstract String image();

    private void needs(Promise promise) {
        if (broken().contains(promise)) {
            abort(getClass().getSimpleName() + " differs from EC2: " + promise.text);
        }
    }

    private <T> T ok(CompletionStage<Outcome<T, CloudError>> stage) {
        Outcome<T, CloudError> outcome = await(stage);
        assertThat(outcome.error()).isEmpty();
        return outcome.value().orElseThrow();
    }

    private <T> CloudError failed(CompletionStage<Outcome<T, CloudError>> stage) {
        Outcome<T, CloudError> outcome = await(stage);
        assertThat(outcome.value()).isEmpty();
        return outcome.error().orElseThrow();
    }

    private static final ImmutableMap<String, String> TAGS =
            ImmutableMap.of("kip.elotl.co/installation", "abc", "kip.elotl.co/batch", "b-1");

    private TemplateContent content(String name) {
        return new TemplateContent(
                name,
                image(),
                Optional.of("/dev/xvda"),
                10,
                "#!/bin/sh\necho cell\n",
                Optional.empty(),
                "epoch 1",
                ImmutableMap.of("kip.elotl.co/installation", "abc"));
    }

    private SubnetFacts subnet() {
        return ok(cloud().subnets(Optional.empty(), Optional.empty())).get(0);
    }

    private LaunchRequest launch(TemplateVersion template, int count, String token) {
        return new LaunchRequest(
                template.templateId(),
                template.version(),
                "t3.nano",
                Optional.of(subnet().id()),
                ImmutableList.of(),
                false,
                Market.ON_DEMAND,
                count,
                token,
                TAGS);
    }

    private ImmutableList<InstanceFacts> byTag() {
        ImmutableList.Builder<InstanceFacts> all = ImmutableList.builder();
        String token = "";
        do {
            var page = ok(cloud().describe(InstanceQuery.ofTags(TAGS, token)));
            all.addAll(page.instances());
            token = page.nextToken();
        } while (!token.isEmpty());
        return all.build();
    }

    @Test
    void an_instance_is_launched_described_by_tag_and_ended() {
        TemplateVersion template = ok(cloud().createTemplate(content("kip-one")));
        InstanceFacts launched =
                ok(cloud().launch(launch(template, 1, "token-one"))).get(0);
        settle();

        InstanceFacts running = byTag().get(0);
        assertThat(running.id()).isEqualTo(launched.id());
        assertThat(running.state()).isEqualTo(InstanceState.RUNNING);
        assertThat(running.type()).isEqualTo("t3.nano");
        assertThat(running.clientToken()).isEqualTo("token-one");
        assertThat(running.zone()).isEqualTo(subnet().zone());
        assertThat(running.market()).isEqualTo(Market.ON_DEMAND);
        assertThat(running.privateIp()).isPresent();
        assertThat(running.tags()).containsAllEntriesOf(TAGS);

        assertThat(ok(cloud().terminate(ImmutableList.of(launched.id()))).get(launched.id()))
                .satisfies(state -> assertThat(state.ended()).isTrue());
        settle();
        settle();
        InstanceFacts gone = ok(cloud().describe(InstanceQuery.ofIds(ImmutableList.of(launched.id()))))
                .instances()
                .get(0);
        assertThat(gone.state()).isEqualTo(InstanceState.TERMINATED);
    }

    @Test
    void a_launch_of_many_gives_them_indices_and_one_token() {
        needs(Promise.PARTS_OF_A_LAUNCH);
        TemplateVersion template = ok(cloud().createTemplate(content("kip-many")));

        ImmutableList<InstanceFacts> launched = ok(cloud().launch(launch(template, 100, "token-many")));

        assertThat(launched)
                .extracting(InstanceFacts::launchIndex)
                .hasSize(100)
                .doesNotHaveDuplicates()
                .contains(0, 99);
        assertThat(launched).extracting(InstanceFacts::clientToken).containsOnly("token-many");
        assertThat(launched)
                .extracting(facts -> facts.privateIp().orElseThrow())
                .doesNotHaveDuplicates();
    }

    @Test
    void a_new_instance_is_pending_and_a_terminated_one_shutting_down() {
        needs(Promise.PENDING_FIRST);
        TemplateVersion template = ok(cloud().createTemplate(content("kip-pending")));

        InstanceFacts launched =
                ok(cloud().launch(launch(template, 1, "token-pending"))).get(0);

        assertThat(launched.state()).isEqualTo(InstanceState.PENDING);
        assertThat(ok(cloud().terminate(ImmutableList.of(launched.id()))))
                .containsExactly(Map.entry(launched.id(), InstanceState.SHUTTING_DOWN));
    }

    @Test
    void the_same_token_gives_the_same_instances_and_other_parameters_a_mismatch() {
        needs(Promise.TOKENS_ARE_REMEMBERED);
        TemplateVersion template = ok(cloud().createTemplate(content("kip-token")));

        ImmutableList<InstanceFacts> first = ok(cloud().launch(launch(template, 3, "token-again")));
        settle();
        ImmutableList<InstanceFacts> second = ok(cloud().launch(launch(template, 3, "token-again")));

        assertThat(second)
                .extracting(InstanceFacts::id)
                .isEqualTo(first.stream().map(InstanceFacts::id).toList());
        assertThat(failed(cloud().launch(launch(template, 4, "token-again"))))
                .isInstanceOf(CloudError.TokenMismatch.class);
    }

    @Test
    void one_unknown_id_fails_the_whole_call() {
        TemplateVersion template = ok(cloud().createTemplate(content("kip-unknown")));
        String id =
                ok(cloud().launch(launch(template, 1, "token-unknown"))).get(0).id();
        ImmutableList<String> ids = ImmutableList.of(id, "i-0123456789abcdef0");

        assertThat(failed(cloud().terminate(ids))).isInstanceOf(CloudError.NotFound.class);
        assertThat(failed(cloud().describe(InstanceQuery.ofIds(ids)))).isInstanceOf(CloudError.NotFound.class);
        settle();
        assertThat(ok(cloud().describe(InstanceQuery.ofIds(ImmutableList.of(id))))
                        .instances()
                        .get(0)
                        .state())
                .isEqualTo(InstanceState.RUNNING);
    }

    @Test
    void a_template_has_one_name_and_grows_by_versions() {
        TemplateVersion first = ok(cloud().createTemplate(content("kip-template")));
        TemplateContent other = new TemplateContent(
                "kip-template", image(), Optional.empty(), 10, "other", Optional.empty(), "epoch 2", ImmutableMap.of());

        assertThat(first.version()).isEqualTo("1");
        assertThat(failed(cloud().createTemplate(other))).isInstanceOf(CloudError.AlreadyExists.class);
        assertThat(ok(cloud().createTemplateVersion(other)).version()).isEqualTo("2");
        var found = ok(cloud().describeTemplates(ImmutableMap.of("kip.elotl.co/installation", "abc"), ""));
        assertThat(found.templates()).anySatisfy(template -> {
            assertThat(template.templateId()).isEqualTo(first.templateId());
            assertThat(template.latestVersion()).isEqualTo("2");
        });
        assertThat(ok(cloud().deleteTemplate(first.templateId()))).isTrue();
        assertThat(failed(cloud().deleteTemplate(first.templateId()))).isInstanceOf(CloudError.NotFound.class);
    }

    @Test
    void an_unknown_template_launches_nothing() {
        needs(Promise.TEMPLATES_ARE_CHECKED);
        assertThat(failed(cloud().launch(launch(
                        new TemplateVersion("lt-0123456789abcdef0", "none", "1"), 1, "token-no-template"))))
                .isInstanceOf(CloudError.NotFound.class);
    }

    @Test
    void an_unknown_image_launches_nothing() {
        needs(Promise.IMAGES_ARE_CHECKED);
        TemplateContent content = new TemplateContent(
                "kip-image",
                "ami-0fffffffffffffff0",
                Optional.empty(),
                10,
                "",
                Optional.empty(),
                "",
                ImmutableMap.of());
        TemplateVersion template = ok(cloud().createTemplate(content));

        assertThat(failed(cloud().launch(launch(template, 1, "token-image")))).isInstanceOf(CloudError.NotFound.class);
    }

    @Test
    void every_offered_type_is_listed_once_over_the_pages_and_common_ones_have_a_price() {
        Map<String, Offering> offerings = new LinkedHashMap<>();
        String token = "";
        int pages = 0;
        do {
            var page = ok(cloud().offerings(token));
            page.offerings()
                    .forEach(offering ->
                            assertThat(offerings.put(offering.type(), offering)).isNull());
            token = page.nextToken();
            pages++;
        } while (!token.isEmpty());

        Offering nano = offerings.get("t3.nano");
        assertThat(nano.vcpus()).isEqualTo(2);
        assertThat(nano.memoryMib()).isEqualTo(512);
        assertThat(nano.architecture()).isEqualTo("x86_64");
        assertThat(nano.hourlyUsd()).contains(0.0052);
        assertThat(offerings.get("t4g.nano").architecture()).isEqualTo("arm64");
        assertThat(offerings.get("g4dn.xlarge").gpus()).isEqualTo(1);
        needs(Promise.PAGES);
        assertThat(pages).isGreaterThan(1);
    }

    @Test
    void the_default_vpc_has_subnets_in_several_zones() {
        ImmutableList<SubnetFacts> subnets = ok(cloud().subnets(Optional.of("default"), Optional.empty()));

        assertThat(subnets).extracting(SubnetFacts::zone).hasSizeGreaterThan(1).doesNotHaveDuplicates();
        assertThat(subnets).extracting(SubnetFacts::vpcCidr).containsOnly("172.31.0.0/16");
        SubnetFacts one = subnets.get(1);
        assertThat(ok(cloud().subnets(Optional.empty(), Optional.of(one.id())))).containsExactly(one);
        assertThat(failed(cloud().subnets(Optional.empty(), Optional.of("subnet-0123456789abcdef0"))))
                .isInstanceOf(CloudError.NotFound.class);
    }

    @Test
    void a_security_group_is_made_opened_twice_and_deleted() {
        String vpc = subnet().vpcId();
        String id = ok(cloud().createSecurityGroup(vpc, "kip-abc", "cells of abc", TAGS));

        assertThat(ok(cloud().securityGroups(vpc, "kip-abc"))).containsExactly(id);
        assertThat(failed(cloud().createSecurityGroup(vpc, "kip-abc", "again", TAGS)))
                .isInstanceOf(CloudError.AlreadyExists.class);
        assertThat(ok(cloud().allowIngress(id, ImmutableList.of("10.0.0.0/16"))))
                .isTrue();
        assertThat(ok(cloud().allowIngress(id, ImmutableList.of("10.0.0.0/16"))))
                .isTrue();
        assertThat(ok(cloud().deleteSecurityGroup(id))).isTrue();
        assertThat(ok(cloud().securityGroups(vpc, "kip-abc"))).isEmpty();
        assertThat(failed(cloud().deleteSecurityGroup(id))).isInstanceOf(CloudError.NotFound.class);
    }

    @Test
    void a_security_group_stays_while_an_instance_uses_it() {
        needs(Promise.GROUPS_IN_USE);
        SubnetFacts subnet = subnet();
        String group = ok(cloud().createSecurityGroup(subnet.vpcId(), "kip-used", "used", ImmutableMap.of()));
        TemplateVersion template = ok(cloud().createTemplate(content("kip-group")));
        String id = ok(cloud().launch(new LaunchRequest(
                        template.templateId(),
                        template.version(),
                        "t3.nano",
                        Optional.of(subnet.id()),
                        ImmutableList.of(group),
                        true,
                        Market.SPOT,
                        1,
                        "token-group",
                        TAGS)))
                .get(0)
                .id();

        assertThat(failed(cloud().deleteSecurityGroup(group)))
                .isInstanceOfSatisfying(
                        CloudError.Refused.class,
                        refused -> assertThat(refused.code()).isEqualTo("DependencyViolation"));
        ok(cloud().terminate(ImmutableList.of(id)));
        settle();
        settle();
        assertThat(ok(cloud().deleteSecurityGroup(group))).isTrue();
    }
}
