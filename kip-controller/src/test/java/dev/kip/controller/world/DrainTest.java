package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.launch.Tags;
import dev.kip.kube.KubeError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A virtual node is taken down, and nothing of it is left. */
class DrainTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static World running(World world) {
        world.start();
        world.createPod("web");
        world.createPod("db");
        world.until("both are ready", Duration.ofMinutes(2), () -> world.ready("web") && world.ready("db"));
        return world;
    }

    private static void drain(World world) {
        ObjectNode record = world.kube.all("installations").get(0).deepCopy();
        record.withObject("/spec").put("draining", true);
        world.kube.put("installations", record);
    }

    private static boolean drained(World world) {
        return world.kube.all("installations").isEmpty();
    }

    /** What of the installation is still anywhere. */
    private static List<String> left(World world) {
        List<String> left = new ArrayList<>(world.cloud.leftovers());
        for (String kind : new String[] {"installations", "secrets", "cells", "launchbatches", "nodes", "pods"}) {
            world.kube
                    .all(kind)
                    .forEach(object ->
                            left.add(kind + " " + object.path("metadata").path("name")));
        }
        world.kube.find("leases", "kube-node-lease/kip").ifPresent(lease -> left.add("lease of the node"));
        left.addAll(world.anchors.keys());
        return left;
    }

    private static String progress(World world) {
        for (ObjectNode installation : world.kube.all("installations")) {
            for (var condition : installation.path("status").path("conditions")) {
                if (condition.path("type").asString("").equals("Drained/kip")) {
                    return condition.path("reason").asString("") + ": "
                            + condition.path("message").asString("");
                }
            }
        }
        return "";
    }

    @Test
    void nothing_is_left() {
        World world = running(new World().anchored());
        assertThat(world.anchors.keys()).hasSizeGreaterThanOrEqualTo(4);
        drain(world);

        world.until("it is drained", Duration.ofMinutes(5), () -> drained(world));
        world.pass(MINUTE);

        assertThat(left(world)).isEmpty();
        assertThat(world.kube.writes().stream().filter(write -> write.startsWith("post pods")))
                .as("evictions")
                .hasSize(2);
        assertThat(world.faults.count("cell end")).as("ended with grace").isEqualTo(2);
    }

    @Test
    void whoever_deletes_the_installation_means_all_of_it() {
        World world = running(new World());
        ObjectNode record = world.kube.all("installations").get(0).deepCopy();
        record.withObject("/metadata")
                .put("deletionTimestamp", world.time.instant().toString());
        ObjectNode definition = record.deepCopy();
        definition.removeAll();
        definition.withObject("/metadata").put("name", "installations.kip.elotl.co");
        world.kube.put("customresourcedefinitions", definition);
        world.kube.put("installations", record);

        world.until("it is drained", Duration.ofMinutes(5), () -> drained(world));
        world.kube.remove("customresourcedefinitions", "installations.kip.elotl.co");

        assertThat(left(world)).isEmpty();
    }

    @Test
    void nothing_is_launched_meanwhile_and_nobody_begins_anew() {
        World world = running(new World());
        drain(world);
        world.pass(Duration.ofSeconds(2));
        world.createPod("late");
        world.until("it is drained", Duration.ofMinutes(5), () -> drained(world));
        world.startAnother();
        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.all()).hasSize(2);
        assertThat(left(world)).isEmpty();
    }

    /** GC-13. */
    @Test
    void the_security_group_goes_when_the_last_interface_has() {
        World world = running(new World());
        world.cloud.lingerFor(Duration.ofMinutes(3));
        drain(world);
        world.pass(Duration.ofMinutes(2));

        assertThat(world.cloud.groups()).hasSize(1);
        assertThat(progress(world)).startsWith("WaitingForVolumesAndInterfaces: still there: vol-");

        world.until("it is drained", Duration.ofMinutes(4), () -> drained(world));
        assertThat(left(world)).isEmpty();
    }

    @Test
    void what_is_not_provably_ours_is_named_and_waited_for() {
        World world = running(new World());
        InstanceFacts proven = world.cloud.live().get(0);
        world.cloud.plant(Instances.like(proven, "i-suspect", "another-token", proven.tags()));
        drain(world);
        world.pass(Duration.ofMinutes(5));

        assertThat(world.cloud.runs("i-suspect")).isTrue();
        assertThat(progress(world)).startsWith("EndingInstances").contains("i-suspect", "MAC");

        world.cloud.end("i-suspect");
        world.until("it is drained", Duration.ofMinutes(2), () -> drained(world));
    }

    @Test
    void what_is_provably_ours_and_in_no_record_goes_too() {
        World world = running(new World());
        InstanceFacts proven = world.cloud.live().get(0);
        world.cloud.plant(Instances.like(proven, "i-ghost", proven.clientToken(), proven.tags()));
        drain(world);

        world.until("it is drained", Duration.ofMinutes(5), () -> drained(world));
        assertThat(left(world)).isEmpty();
    }

    @Test
    void a_disruption_budget_is_kept_for_a_while() {
        World world = running(new World());
        world.kube.refuse(request -> request.equals("kube post pods")
                ? Optional.of(new KubeError.Busy(429, Optional.empty(), "the budget allows none"))
                : Optional.empty());
        drain(world);
        world.pass(Duration.ofMinutes(4));
        assertThat(world.ready("web")).isTrue();

        world.until("it is drained", Duration.ofMinutes(5), () -> drained(world));
    }

    @Test
    void pods_of_daemon_sets_go_with_the_node() {
        World world = running(new World().runDaemonSets());
        world.createPod("proxy", pod -> {
            pod.withObject("/metadata").putArray("ownerReferences").addObject().put("kind", "DaemonSet");
            return pod;
        });
        world.until("it is ready", MINUTE, () -> world.ready("proxy"));
        drain(world);
        world.pass(Duration.ofSeconds(10));
        world.createPod("proxy-2", pod -> {
            pod.withObject("/metadata").putArray("ownerReferences").addObject().put("kind", "DaemonSet");
            return pod;
        });

        world.until("it is drained", Duration.ofMinutes(5), () -> drained(world));
        assertThat(left(world)).isEmpty();
    }

    @Test
    void one_node_of_several_leaves_the_others_what_they_share() {
        World world = running(new World().anchored());
        ObjectNode record = world.kube.all("installations").get(0).deepCopy();
        ObjectNode second = ((ArrayNode) record.path("spec").path("shards")).addObject();
        second.put("node", "second").put("epoch", 1).put("holder", "x").put("nonce", "n");
        record.withObject("/metadata").withObject("/annotations").put("kip.elotl.co/drain-nodes", "other, kip");
        InstanceFacts proven = world.cloud.live().get(0);
        ImmutableMap.Builder<String, String> tags = ImmutableMap.builder();
        proven.tags().forEach((key, value) -> tags.put(key, key.equals(Tags.NODE) ? "second" : value));
        world.cloud.plant(Instances.like(proven, "i-second", proven.clientToken(), tags.buildOrThrow()));
        world.kube.put("installations", record);

        world.until(
                "the node is out of the record",
                Duration.ofMinutes(5),
                () -> world.kube
                                .all("installations")
                                .get(0)
                                .path("spec")
                                .path("shards")
                                .size()
                        == 1);
        world.pass(MINUTE);

        assertThat(world.cloud.live()).extracting(InstanceFacts::id).containsExactly("i-second");
        assertThat(world.cloud.groups()).hasSize(1);
        assertThat(world.cloud.templates().names()).isEmpty();
        assertThat(world.kube.all("secrets")).hasSize(1);
        assertThat(world.kube.all("nodes")).isEmpty();
        assertThat(world.anchors.keys()).anyMatch(key -> key.endsWith("/identity"));
        assertThat(world.anchors.keys()).noneMatch(key -> key.endsWith("/shards/kip") || key.startsWith("names/"));
    }

    @Test
    void a_drain_that_is_called_off_is_made_good() {
        World world = running(new World());
        world.kube.refuse(request -> request.equals("kube post pods")
                ? Optional.of(new KubeError.Busy(429, Optional.empty(), "the budget allows none"))
                : Optional.empty());
        drain(world);
        world.pass(Duration.ofSeconds(20));
        assertThat(world.kube
                        .all("nodes")
                        .get(0)
                        .path("spec")
                        .path("unschedulable")
                        .asBoolean(false))
                .isTrue();

        ObjectNode record = world.kube.all("installations").get(0).deepCopy();
        record.withObject("/spec").put("draining", false);
        world.kube.put("installations", record);
        world.createPod("new");

        world.until("it is ready", Duration.ofMinutes(3), () -> world.ready("new"));
        assertThat(world.kube
                        .all("nodes")
                        .get(0)
                        .path("spec")
                        .path("unschedulable")
                        .asBoolean(false))
                .isFalse();
        assertThat(world.ready("web")).isTrue();
    }

    /** @return whether the fault was hit */
    private static boolean sweep(int call, Faults.Kind kind, int[] first) {
        World world = running(new World().anchored());
        int begin = world.faults.log().size();
        first[0] = begin;
        world.faults.plan(begin + call, kind);
        drain(world);
        long end = world.time.nanos() + Duration.ofMinutes(12).toNanos();
        while (!drained(world) && world.time.nanos() < end) {
            world.pass(Duration.ofSeconds(5));
            if (world.process().dead()) {
                world.start();
            }
        }
        boolean hit = world.faults.hit();
        String name = hit ? world.faults.log().get(begin + call) : "none";
        assertThat(left(world)).as("%s at call %d (%s)", kind, call, name).isEmpty();
        return hit;
    }

    @ParameterizedTest
    @EnumSource(Faults.Kind.class)
    void whichever_call_goes_wrong_nothing_is_left(Faults.Kind kind) {
        int call = 0;
        int[] first = new int[1];
        while (sweep(call, kind, first)) {
            call++;
        }
        assertThat(call).isGreaterThan(50);
        System.out.println(kind + ": " + call + " boundaries of a drain");
    }
}
