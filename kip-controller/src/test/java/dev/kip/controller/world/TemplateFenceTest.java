package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudError;
import dev.kip.controller.launch.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Each epoch launches from versions of its own, and takes away those of the ones before it. */
class TemplateFenceTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static void run(World world, String pod) {
        world.createPod(pod);
        world.until(pod + " is ready", Duration.ofMinutes(2), () -> world.ready(pod));
    }

    private static World twoEpochs() {
        World world = new World().start();
        run(world, "first");
        world.process().kill();
        world.pass(MINUTE);
        world.start();
        run(world, "second");
        return world;
    }

    @Test
    void a_new_epoch_leaves_one_version_its_own() {
        World world = twoEpochs();

        assertThat(world.cloud.templates().descriptions()).containsExactly("epoch 2");
    }

    @Test
    void launches_name_a_version() {
        World world = twoEpochs();

        assertThat(world.cloud.launches())
                .extracting(LaunchRequest::templateVersion)
                .containsExactly("1", "2");
    }

    @Test
    void a_launch_of_an_older_epoch_that_comes_late_is_refused_by_the_cloud() {
        World world = twoEpochs();
        LaunchRequest stale = world.cloud.launches().get(0);
        FakeProcess process = new FakeProcess(world.time);
        CloudApi cloud = world.cloud.open(process);
        List<CloudError> refused = new ArrayList<>();
        int before = world.cloud.all().size();

        cloud.launch(stale).thenAccept(outcome -> outcome.on(ok -> {}, refused::add));
        world.pass(MINUTE);

        assertThat(refused).hasSize(1);
        assertThat(world.cloud.all()).hasSize(before);
    }

    @Test
    void who_finds_a_version_of_a_later_epoch_does_not_launch() {
        World world = new World().start();
        run(world, "first");
        world.process().kill();
        world.pass(MINUTE);
        String name = world.cloud.templates().names().get(0);
        world.cloud.templates().addVersion(version(world, name, "epoch 9"));
        world.start();
        world.createPod("second");
        world.pass(Duration.ofMinutes(3));

        assertThat(world.cloud.launches()).hasSize(1);
        assertThat(world.cloud.templates().descriptions()).contains("epoch 9");
        ObjectNode pod = world.kube.pod("second").orElseThrow();
        assertThat(pod.path("status").path("reason").asString("")).isEqualTo("LaunchFailedUnauthorized");
    }

    @Test
    void a_template_that_is_needed_no_more_goes_with_the_epoch_that_used_it() {
        World world = new World().start();
        run(world, "first");
        world.process().kill();
        world.pass(MINUTE);
        world.cloud.templates().create(version(world, "kip-old", "epoch 1"));
        world.cloud
                .templates()
                .create(new TemplateContent(
                        "somebody-elses",
                        "ami-1",
                        Optional.empty(),
                        5,
                        "",
                        Optional.empty(),
                        "epoch 1",
                        ImmutableMap.of()));
        world.start();
        run(world, "second");
        assertThat(world.cloud.templates().names()).hasSize(3);

        world.pass(Duration.ofMinutes(12));

        assertThat(world.cloud.templates().names())
                .hasSize(2)
                .contains("somebody-elses")
                .doesNotContain("kip-old");
    }

    @Test
    void pods_do_not_wait_for_a_fence_that_the_cloud_does_not_know() {
        World world = new World().start();
        run(world, "first");
        world.process().kill();
        world.pass(MINUTE);
        world.cloud.templates().refuseDeletions();
        world.start();
        run(world, "second");

        assertThat(world.cloud.launches()).hasSize(2);
    }

    @Test
    void a_fence_costs_a_few_calls_for_each_template_and_epoch_not_for_each_pod() {
        World world = twoEpochs();
        long before = fenceCalls(world);
        IntStream.range(0, 10).forEach(i -> world.createPod("more-" + i));
        world.pass(Duration.ofMinutes(2));

        assertThat(before).isEqualTo(3);
        assertThat(fenceCalls(world)).isEqualTo(before);
    }

    private static long fenceCalls(World world) {
        return world.faults.count("cloud setDefaultTemplateVersion")
                + world.faults.count("cloud templateVersions")
                + world.faults.count("cloud deleteTemplateVersions");
    }

    /** Of the world's installation and node. */
    private static TemplateContent version(World world, String name, String description) {
        ImmutableMap<String, String> tags = world.cloud.all().get(0).tags();
        return new TemplateContent(
                name,
                "ami-1",
                Optional.empty(),
                5,
                "",
                Optional.empty(),
                description,
                ImmutableMap.of(Tags.INSTALLATION, value(tags, Tags.INSTALLATION), Tags.NODE, value(tags, Tags.NODE)));
    }

    private static String value(ImmutableMap<String, String> tags, String key) {
        return tags.getOrDefault(key, "");
    }
}
