package dev.kip.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.ImageFacts;
import dev.kip.cloud.CloudApi.Offering;
import dev.kip.cloud.CloudApi.OfferingPage;
import dev.kip.cloud.CloudApi.SubnetFacts;
import dev.kip.cloud.CloudError;
import dev.kip.controller.config.ProviderConfig;
import dev.kip.controller.config.ProviderKeys;
import dev.kip.controller.config.ResolvedConfig;
import dev.kip.controller.config.Surroundings;
import dev.kip.outcome.Outcome;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StartupCheckTest {

    private final Map<String, Outcome<?, CloudError>> answers = new LinkedHashMap<>();
    private ProviderConfig config = ProviderConfig.defaults();

    StartupCheckTest() {
        answers.put(
                "subnets",
                Outcome.ok(ImmutableList.of(
                        new SubnetFacts("subnet-1", "vpc-1", "10.0.0.0/16", "us-east-1a", 250, true))));
        answers.put(
                "images",
                Outcome.ok(ImmutableList.of(
                        new ImageFacts("ami-1", "kip-cell-1", "x86_64", Instant.EPOCH, Optional.empty(), 4))));
        answers.put("offerings ", Outcome.ok(new OfferingPage(ImmutableList.of(type("c5.large")), "2")));
        answers.put("offerings 2", Outcome.ok(new OfferingPage(ImmutableList.of(type("t3.nano")), "")));
    }

    @Test
    void nothing_is_wrong_when_all_that_is_named_is_there() {
        assertThat(problems()).isEmpty();
    }

    /** elotl/kip#141. */
    @Test
    void an_instance_type_that_is_not_offered_is_named_with_the_one_that_was_meant() {
        config = config.with(ProviderKeys.DEFAULT_INSTANCE_TYPE, "t3.nanoo");

        assertThat(problems())
                .containsExactly("cells.defaultInstanceType: \"t3.nanoo\" is no instance type offered in us-east-1."
                        + " Did you mean \"t3.nano\"? See: kip config explain cells.defaultInstanceType");
    }

    /** elotl/kip#141. */
    @Test
    void a_subnet_or_an_image_that_is_not_there_is_named() {
        config = config.with(ProviderKeys.VPC_ID, Optional.of("vpc-0a1b2c3d"));
        answers.put("subnets", Outcome.ok(ImmutableList.of()));
        answers.put("images", Outcome.ok(ImmutableList.of()));

        assertThat(problems())
                .containsExactly(
                        "cloud.aws.vpcID: there is no subnet to launch in: none in vpc-0a1b2c3d. Create one, or name"
                                + " another.",
                        "cells.bootImageSpec: no image in us-east-1 matches {owners=self, filters=name=kip-cell-*}. Build a"
                                + " cell image, or choose another.");
    }

    @Test
    void a_cloud_that_refuses_is_told_with_action_and_remedy() {
        answers.put("subnets", Outcome.failed(new CloudError.Unauthorized("ec2.DescribeSubnets: AuthFailure")));

        assertThat(problems()).singleElement().asString().contains("ec2.DescribeSubnets: AuthFailure", "credentials");
    }

    @Test
    void a_cloud_that_does_not_answer_now_does_not_keep_the_controller_from_starting() {
        answers.put("subnets", Outcome.failed(new CloudError.NoAnswer("ec2.DescribeSubnets: no answer")));
        answers.put("offerings ", Outcome.failed(new CloudError.Failing("ec2.DescribeInstanceTypes: 503")));

        assertThat(problems()).isEmpty();
    }

    private ImmutableList<String> problems() {
        CloudApi cloud = (CloudApi) Proxy.newProxyInstance(
                CloudApi.class.getClassLoader(), new Class<?>[] {CloudApi.class}, (proxy, method, arguments) -> {
                    String call = method.getName() + (method.getName().equals("offerings") ? " " + arguments[0] : "");
                    return CompletableFuture.completedFuture(answers.get(call));
                });
        ResolvedConfig resolved = ResolvedConfig.of(
                        config, new Surroundings(ImmutableMap.of("AWS_REGION", "us-east-1"), "kip-0", "1"), "f")
                .value()
                .orElseThrow();
        return new StartupCheck(cloud, resolved.controller().launch())
                .run()
                .toCompletableFuture()
                .join();
    }

    private static Offering type(String name) {
        return new Offering(name, "x86_64", 2, 512, 0, "", true, false, true, Optional.of(0.01));
    }
}
