package dev.kip.sim.ec2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceQuery;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.ResourceQuery;
import dev.kip.cloud.CloudApi.SpotPrice;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudApi.TemplateVersion;
import dev.kip.cloud.CloudApi.TemplateVersionFacts;
import dev.kip.cloud.CloudError;
import dev.kip.cloud.Probe;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What Kip relies on of an EC2, whichever it is: run against the simulated one and against an emulator. */
abstract class CloudSuite {

    /** What EC2 documents and some emulators do not keep. */
    enum Promise {
        TOKENS_ARE_REMEMBERED("a client token gives the same instances again"),
        PARTS_OF_A_LAUNCH("of MinCount 1 and MaxCount N, up to N come"),
        PENDING_FIRST("a new instance is pending, a terminated one shutting down, for a while"),
        VERSIONS_ARE_DELETED("versions of a launch template can be deleted"),
        INTERFACES_ARE_TAGGED("network interfaces get the tags of their launch"),
        GROUPS_IN_USE("a security group in use cannot be deleted"),
        PAGES("results come in pages of MaxResults"),
        TEMPLATES_ARE_CHECKED("a launch from an unknown template is refused by name"),
        IMAGES_ARE_CHECKED("an unknown image is refused"),
        SPOT_PRICES_ARE_NEW("spot prices are of today and below the list price");

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

    /** Of this EC2. */
    abstract Instant now();

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
    void types_are_listed_with_the_zones_that_have_them() {
        Map<String, Set<String>> zones = new LinkedHashMap<>();
        String token = "";
        do {
            var page = ok(cloud().zones(token));
            page.types()
                    .forEach(place -> assertThat(zones.computeIfAbsent(place.type(), any -> new LinkedHashSet<>())
                                    .add(place.zone()))
                            .as("%s once", place)
                            .isTrue());
            token = page.nextToken();
        } while (!token.isEmpty());

        assertThat(zones.get("t3.nano")).contains(subnet().zone()).hasSizeGreaterThan(1);
        assertThat(zones.get("m5.large")).contains(subnet().zone());
    }

    @Test
    void spot_prices_are_told_for_each_pool() {
        Map<String, SpotPrice> prices = new LinkedHashMap<>();
        String token = "";
        do {
            var page = ok(cloud().spotPrices(now(), token));
            page.prices().forEach(price -> prices.put(price.type() + " " + price.zone(), price));
            token = page.nextToken();
        } while (!token.isEmpty());

        assertThat(prices.values())
                .isNotEmpty()
                .allSatisfy(price -> assertThat(price.hourlyUsd()).isPositive());
        needs(Promise.SPOT_PRICES_ARE_NEW);
        SpotPrice nano = prices.get("t3.nano " + subnet().zone());
        assertThat(nano.hourlyUsd()).isLessThan(0.0052).isGreaterThan(0.001);
        assertThat(nano.since()).isBetween(now().minus(Duration.ofDays(90)), now());
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

    @Test
    void the_account_is_twelve_digits() {
        var account = ok(cloud().account());

        assertThat(account.account()).matches("[0-9]{12}");
        assertThat(account.principal()).startsWith("arn:aws:").contains(account.account());
    }

    @Test
    void what_comes_with_an_instance_is_found_by_its_tags_and_goes_with_it() {
        TemplateVersion template = ok(cloud().createTemplate(content("kip-with")));
        String id = ok(cloud().launch(launch(template, 1, "token-with"))).get(0).id();
        settle();

        assertThat(ok(cloud().volumes(ResourceQuery.ofTags(TAGS, ""))).volumes())
                .isNotEmpty()
                .allSatisfy(volume -> {
                    assertThat(volume.instanceId()).contains(id);
                    assertThat(volume.state()).isEqualTo("in-use");
                    assertThat(volume.sizeGib()).isPositive();
                    assertThat(volume.zone()).isEqualTo(subnet().zone());
                    assertThat(volume.tags()).containsAllEntriesOf(TAGS);
                });
        if (!broken().contains(Promise.INTERFACES_ARE_TAGGED)) {
            var network = Iterables.getOnlyElement(
                    ok(cloud().networkInterfaces(ResourceQuery.ofTagKey("kip.elotl.co/batch", "")))
                            .interfaces());
            assertThat(network.instanceId()).contains(id);
            assertThat(network.groupIds()).hasSize(1);
            assertThat(network.privateIp()).isPresent();
            assertThat(network.tags()).containsAllEntriesOf(TAGS);
        }

        ok(cloud().terminate(ImmutableList.of(id)));
        settle();
        settle();
        assertThat(ok(cloud().volumes(ResourceQuery.ofTags(TAGS, ""))).volumes())
                .isEmpty();
        assertThat(ok(cloud().networkInterfaces(ResourceQuery.ofTags(TAGS, ""))).interfaces())
                .isEmpty();
    }

    @Test
    void an_instance_is_found_by_the_key_of_a_tag_that_was_added_until_it_is_taken_off() {
        TemplateVersion template = ok(cloud().createTemplate(content("kip-tag")));
        ImmutableList<InstanceFacts> launched = ok(cloud().launch(launch(template, 1, "token-tag")));
        settle();
        ImmutableList<String> ids = ImmutableList.of(launched.get(0).id());

        assertThat(ok(cloud().createTags(ids, ImmutableMap.of("kip.elotl.co/gc-candidate", "2030"))))
                .isTrue();
        var found = ok(cloud().describe(InstanceQuery.ofTagKey("kip.elotl.co/gc-candidate", "")));
        assertThat(found.instances())
                .singleElement()
                .satisfies(instance -> assertThat(instance.tags())
                        .containsEntry("kip.elotl.co/gc-candidate", "2030")
                        .containsAllEntriesOf(TAGS));

        assertThat(ok(cloud().deleteTags(ids, ImmutableList.of("kip.elotl.co/gc-candidate"))))
                .isTrue();
        assertThat(ok(cloud().describe(InstanceQuery.ofTagKey("kip.elotl.co/gc-candidate", "")))
                        .instances())
                .isEmpty();
    }

    @Test
    void security_groups_are_found_by_tag_and_others_are_not() {
        String vpc = subnet().vpcId();
        String ours = ok(cloud().createSecurityGroup(vpc, "kip-ours", "ours", TAGS));
        ok(cloud().createSecurityGroup(
                        vpc, "kip-theirs", "theirs", ImmutableMap.of("kip.elotl.co/installation", "def")));

        var groups = ok(cloud().securityGroups(ResourceQuery.ofTags(TAGS, ""))).groups();

        assertThat(groups).singleElement().satisfies(group -> {
            assertThat(group.id()).isEqualTo(ours);
            assertThat(group.name()).isEqualTo("kip-ours");
            assertThat(group.vpcId()).isEqualTo(vpc);
            assertThat(group.tags()).containsAllEntriesOf(TAGS);
        });
    }

    @Test
    void a_new_epoch_moves_the_default_version_and_launches_from_the_old_one_are_refused() {
        TemplateVersion first = ok(cloud().createTemplate(content("kip-epoch")));
        TemplateVersion second = ok(cloud().createTemplateVersion(content("kip-epoch")));
        String id = first.templateId();
        assertThat(ok(cloud().templateVersions(id, "")).versions())
                .extracting(TemplateVersionFacts::version)
                .containsExactlyInAnyOrder("2", "1");

        assertThat(ok(cloud().setDefaultTemplateVersion(id, second.version()))).isTrue();

        assertThat(ok(cloud().templateVersions(id, "")).versions())
                .filteredOn(TemplateVersionFacts::isDefault)
                .extracting(TemplateVersionFacts::version)
                .containsExactly("2");
        assertThat(ok(cloud().describeTemplates(ImmutableMap.of("kip.elotl.co/installation", "abc"), ""))
                        .templates())
                .filteredOn(template -> template.templateId().equals(id))
                .singleElement()
                .satisfies(template -> assertThat(template.defaultVersion()).isEqualTo("2"));
        needs(Promise.VERSIONS_ARE_DELETED);
        assertThat(ok(cloud().deleteTemplateVersions(id, ImmutableList.of("1", "2", "7"))))
                .containsExactlyInAnyOrder("1", "7");
        assertThat(failed(cloud().launch(launch(first, 1, "token-old")))).isInstanceOf(CloudError.NotFound.class);
        assertThat(ok(cloud().launch(launch(second, 1, "token-new")))).hasSize(1);
    }

    @Test
    void a_dry_run_tells_what_is_allowed_and_changes_nothing() {
        SubnetFacts subnet = subnet();
        String group = ok(cloud().createSecurityGroup(subnet.vpcId(), "kip-dry", "dry", TAGS));
        TemplateVersion template = ok(cloud().createTemplate(content("kip-dry")));
        String id = ok(cloud().launch(launch(template, 1, "token-dry"))).get(0).id();
        settle();

        ImmutableList<Probe> probes = ImmutableList.of(
                new Probe.Launch(launch(template, 1, "token-dry-2")),
                new Probe.Terminate(id),
                new Probe.CreateTemplate(content("kip-dry-2")),
                new Probe.CreateTemplateVersion(content("kip-dry")),
                new Probe.SetDefaultTemplateVersion(template.templateId(), "1"),
                new Probe.DeleteTemplate(template.templateId()),
                new Probe.CreateGroup(subnet.vpcId(), "kip-dry-2", "dry", TAGS),
                new Probe.AllowIngress(group, ImmutableList.of("10.0.0.0/16")),
                new Probe.DeleteGroup(group),
                new Probe.CreateTags(ImmutableList.of(id), ImmutableMap.of("dry", "run")),
                new Probe.DeleteTags(ImmutableList.of(id), ImmutableList.of("kip.elotl.co/batch")));
        for (Probe probe : probes) {
            assertThat(ok(cloud().permitted(probe)).granted())
                    .as(probe.action())
                    .isTrue();
        }

        assertThat(byTag()).singleElement().satisfies(instance -> {
            assertThat(instance.state()).isEqualTo(InstanceState.RUNNING);
            assertThat(instance.tags()).containsAllEntriesOf(TAGS).doesNotContainKey("dry");
        });
        assertThat(ok(cloud().templateVersions(template.templateId(), "")).versions())
                .hasSize(1);
        assertThat(ok(cloud().securityGroups(subnet.vpcId(), "kip-dry"))).containsExactly(group);
        assertThat(ok(cloud().securityGroups(subnet.vpcId(), "kip-dry-2"))).isEmpty();
    }
}
