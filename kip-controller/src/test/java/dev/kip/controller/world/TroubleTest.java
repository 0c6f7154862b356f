package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.cloud.CloudError;
import dev.kip.controller.launch.Tags;
import dev.kip.kube.KubeError;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class TroubleTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static ObjectNode asking(ObjectNode pod, String resource, String quantity) {
        ((ObjectNode) pod.path("spec").path("containers").get(0))
                .putObject("resources")
                .putObject("requests")
                .put(resource, quantity);
        return pod;
    }

    private static ObjectNode annotated(ObjectNode pod, String key, String value) {
        pod.withObject("/metadata").withObject("/annotations").put(key, value);
        return pod;
    }

    private static String reason(World world, String pod) {
        return world.kube.pod(pod).orElseThrow().path("status").path("reason").asString("");
    }

    @Test
    void a_second_replica_waits_and_takes_over_and_no_pod_restarts() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        world.startAnother();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));
        world.process().kill();

        world.pass(Duration.ofSeconds(45));
        world.kube.deletePod("web", 30);
        world.until("web is gone", MINUTE, () -> world.phase("web").equals("gone"));
        world.pass(Duration.ofSeconds(5));

        assertThat(world.cloud.launches()).hasSize(1);
        assertThat(world.cloud.live()).isEmpty();
        assertThat(world.kube
                        .all("installations")
                        .get(0)
                        .path("spec")
                        .path("epoch")
                        .asInt(0))
                .isEqualTo(2);
    }

    @Test
    void who_cannot_renew_its_lease_changes_nothing_any_more() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        world.kube.refuse(request -> request.contains("leases")
                ? Optional.of(new KubeError.Busy(503, Optional.empty(), "etcd has no leader"))
                : Optional.empty());
        world.pass(Duration.ofSeconds(20));
        int writes = world.kube.writes().size();
        world.createPod("web");

        world.pass(Duration.ofMinutes(5));

        assertThat(world.cloud.launches()).isEmpty();
        assertThat(world.kube.writes()).hasSize(writes);

        world.kube.refuse(request -> Optional.empty());
        world.until("web is ready", Duration.ofMinutes(2), () -> world.ready("web"));
    }

    /** What was handed over, and not yet told to the API server, is known to nobody after a crash. */
    @Test
    void a_cell_lost_across_a_restart_whose_pod_may_have_run_is_not_tried_again() {
        World world = new World().start();
        world.createPod("web");
        world.until("web is handed over", MINUTE, () -> world.faults.count("cell grant") > 0);
        world.process().kill();
        world.pass(Duration.ofSeconds(2));
        String uid = world.uid("web");
        assertThat(world.cells.starts(uid)).isOne();
        assertThat(world.phase("web")).isEqualTo("Pending");
        world.cloud.end(world.cloud.live().get(0).id());
        world.start();
        world.until(
                "web has failed",
                Duration.ofMinutes(5),
                () -> world.phase("web").equals("Failed"));
        world.pass(MINUTE);

        assertThat(world.cells.starts(uid)).isOne();
        assertThat(world.cloud.launches()).hasSize(1);
    }

    @Test
    void a_partial_launch_serves_some_and_asks_again_for_the_rest() {
        World world = new World().start();
        world.cloud.giveAtMost(3);
        for (int i = 0; i < 10; i++) {
            world.createPod("web-" + i);
        }

        world.until(
                "all are ready",
                Duration.ofMinutes(2),
                () -> world.kube.all("pods").stream()
                        .allMatch(pod ->
                                world.ready(pod.path("metadata").path("name").asString(""))));

        assertThat(world.cloud.live()).hasSize(10);
        assertThat(world.cloud.launches().stream().map(request -> request.clientToken()))
                .as("no token is sent twice")
                .doesNotHaveDuplicates();
        assertThat(world.kube.all("launchbatches")).isEmpty();
    }

    @Test
    void without_capacity_the_next_offering_is_tried_at_once() {
        World world = new World().start();
        world.cloud.refuseLaunches(request -> request.instanceType().equals("t3.small")
                ? Optional.of(new CloudError.InsufficientCapacity("no t3.small"))
                : Optional.empty());
        world.createPod("web", pod -> asking(pod, "memory", "1Gi"));

        world.until("web is ready", MINUTE, () -> world.ready("web"));

        assertThat(world.cloud.live()).extracting(InstanceFacts::type).containsExactly("m5.large");
        assertThat(world.cloud.launches()).hasSize(2);
    }

    @Test
    void without_any_capacity_the_pod_waits_with_a_reason_and_runs_once_there_is_some() {
        World world = new World().start();
        world.cloud.refuseLaunches(request -> Optional.of(new CloudError.InsufficientCapacity("none")));
        world.createPod("web");
        world.pass(Duration.ofMinutes(10));

        assertThat(reason(world, "web")).isEqualTo("InsufficientCapacity");
        assertThat(world.cloud.launches()).as("no busy loop").hasSizeLessThanOrEqualTo(5);

        world.cloud.refuseLaunches(request -> Optional.empty());
        world.until("web is ready", Duration.ofMinutes(5), () -> world.ready("web"));
        assertThat(reason(world, "web")).isEmpty();
        assertThat(world.kube.pod("web").orElseThrow().path("status").toString())
                .doesNotContain("CellLaunched");
    }

    @Test
    void a_cloud_that_refuses_is_asked_less_and_less_often() {
        World world = new World().start();
        world.cloud.refuseLaunches(
                request -> Optional.of(new CloudError.Refused("InvalidParameter", "the subnet is gone")));
        world.createPod("web");

        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.launches().size()).isBetween(3, 12);
        assertThat(reason(world, "web")).isEqualTo("LaunchFailedRefused");
        assertThat(world.kube.all("launchbatches")).isEmpty();
    }

    @Test
    void a_pod_that_fits_nowhere_stays_pending_with_one_event() {
        World world = new World().start();
        world.createPod("big", pod -> asking(pod, "cpu", "1000"));

        world.pass(Duration.ofMinutes(20));

        assertThat(world.phase("big")).isEqualTo("Pending");
        assertThat(reason(world, "big")).isEqualTo("NoFittingInstanceType");
        assertThat(world.events()).containsExactly("NoFittingInstanceType");
        assertThat(world.cloud.launches()).isEmpty();
        assertThat(world.faults.count("kube patch pods")).isOne();
    }

    @Test
    void a_bad_annotation_is_told_and_mending_it_launches_the_pod() {
        World world = new World().start();
        world.createPod("web", pod -> annotated(pod, "pod.elotl.co/launch-type", "cheap"));
        world.pass(Duration.ofSeconds(30));
        assertThat(reason(world, "web")).isEqualTo("InvalidAnnotation");

        world.kube.put(
                "pods",
                annotated(world.kube.pod("web").orElseThrow().deepCopy(), "pod.elotl.co/launch-type", " Spot "));

        world.until("web is ready", MINUTE, () -> world.ready("web"));
        assertThat(world.cloud.live()).extracting(InstanceFacts::market).containsExactly(Market.SPOT);
        assertThat(world.kube
                        .all("cells")
                        .get(0)
                        .path("status")
                        .path("launchType")
                        .asString(""))
                .isEqualTo("Spot");
    }

    @Test
    void a_pod_that_no_cell_can_run_costs_no_instance() {
        World world = new World().start();
        world.createPod("db", pod -> {
            pod.withObject("/spec")
                    .putArray("volumes")
                    .addObject()
                    .put("name", "data")
                    .putObject("persistentVolumeClaim")
                    .put("claimName", "data");
            return pod;
        });
        world.pass(MINUTE);

        assertThat(world.cloud.launches()).isEmpty();
        assertThat(reason(world, "db")).isEqualTo("NotSupported");
        assertThat(world.events()).containsExactly("NotSupported");
    }

    @Test
    void a_config_map_that_changes_is_handed_over_anew_within_a_minute_to_pods_that_mount_it() {
        World world = new World().start();
        ObjectNode settings = World.JSON.createObjectNode();
        settings.withObject("/metadata").put("namespace", "default").put("name", "settings");
        settings.putObject("data").put("KEY", "value");
        world.kube.put("configmaps", settings);
        for (String name : new String[] {"web", "other"}) {
            world.createPod(name, pod -> {
                ObjectNode volume =
                        pod.withObject("/spec").putArray("volumes").addObject().put("name", "settings");
                volume.putObject("configMap").put("name", "settings");
                return pod;
            });
        }
        world.createPod("none");
        world.until(
                "all are ready",
                Duration.ofMinutes(2),
                () -> world.ready("web") && world.ready("other") && world.ready("none"));
        world.pass(Duration.ofMinutes(5));
        assertThat(world.cells.generationOf(world.uid("web"))).isEqualTo(1);

        ObjectNode changed = settings.deepCopy();
        changed.putObject("data").put("KEY", "another");
        world.kube.put("configmaps", changed);
        world.pass(MINUTE);

        assertThat(world.cells.generationOf(world.uid("web"))).isEqualTo(2);
        assertThat(world.cells.generationOf(world.uid("other"))).isEqualTo(2);
        assertThat(world.cells.generationOf(world.uid("none"))).isEqualTo(1);
        world.pass(Duration.ofMinutes(5));
        assertThat(world.cells.generationOf(world.uid("web"))).isEqualTo(2);
    }

    @Test
    void a_pod_whose_config_map_comes_late_runs_once_it_is_there() {
        World world = new World().start();
        world.createPod("web", pod -> {
            ((ObjectNode) pod.path("spec").path("containers").get(0))
                    .putArray("envFrom")
                    .addObject()
                    .putObject("configMapRef")
                    .put("name", "settings");
            return pod;
        });
        world.pass(MINUTE);
        assertThat(world.phase("web")).isEqualTo("Pending");
        assertThat(world.events()).containsOnlyOnce("MandatoryConfigMapNotFound");
        assertThat(reason(world, "web")).isEqualTo("MandatoryConfigMapNotFound");
        assertThat(world.cloud.launches()).as("it costs nothing").isEmpty();

        ObjectNode settings = world.kube.pod("web").orElseThrow().deepCopy();
        settings.removeAll();
        settings.withObject("/metadata").put("namespace", "default").put("name", "settings");
        settings.putObject("data").put("KEY", "value");
        world.kube.put("configmaps", settings);

        world.until("web is ready", Duration.ofMinutes(2), () -> world.ready("web"));
    }

    @Test
    void a_restarted_controller_still_ends_a_running_pod_with_grace() {
        World world = new World().start();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));
        world.process().kill();
        world.kube.deletePod("web", 30);

        world.start()
                .until(
                        "web is gone",
                        Duration.ofMinutes(2),
                        () -> world.phase("web").equals("gone"));

        assertThat(world.faults.count("cell end")).isOne();
    }

    @Test
    void a_pod_of_a_daemon_set_gets_no_cell_but_one_event_and_a_condition() {
        World world = new World().start();
        world.createPod("kube-proxy", TroubleTest::ofDaemonSet);
        world.pass(Duration.ofMinutes(20));

        assertThat(world.cloud.launches()).isEmpty();
        assertThat(world.events()).containsExactly("DaemonSetSkipped");
        assertThat(reason(world, "kube-proxy")).isEqualTo("DaemonSetSkipped");

        world.kube.deletePod("kube-proxy", 30);
        world.until("gone", MINUTE, () -> world.phase("kube-proxy").equals("gone"));
    }

    @Test
    void a_pod_of_a_daemon_set_runs_if_that_is_configured() {
        World world = new World().runDaemonSets().start();
        world.createPod("kube-proxy", TroubleTest::ofDaemonSet);

        world.until("ready", MINUTE, () -> world.ready("kube-proxy"));
    }

    private static ObjectNode ofDaemonSet(ObjectNode pod) {
        pod.withObject("/metadata").putArray("ownerReferences").addObject().put("kind", "DaemonSet");
        return pod;
    }

    @Test
    void an_instance_that_never_answers_is_given_up_and_replaced() {
        World world = new World().start();
        world.cells.bootIn(Duration.ofHours(10));
        world.createPod("web");
        world.pass(Duration.ofMinutes(11));
        world.cells.bootIn(Duration.ofSeconds(20));

        world.until("web is ready", Duration.ofMinutes(2), () -> world.ready("web"));

        assertThat(world.cloud.live()).hasSize(1);
        assertThat(world.events()).contains("CellLost");
    }

    @Test
    void a_cell_that_speaks_garbage_harms_nobody() {
        World world = new World().start();
        world.cells.speakGarbage();
        world.createPod("web");
        world.pass(Duration.ofMinutes(3));

        assertThat(world.phase("web")).isEqualTo("Pending");
        world.kube.deletePod("web", 1);
        world.until(
                "web is gone", Duration.ofMinutes(2), () -> world.phase("web").equals("gone"));
        world.pass(Duration.ofSeconds(10));
        assertThat(world.cloud.live()).isEmpty();
        assertThat(world.anomalies).isEmpty();
    }

    @Test
    void a_pod_that_will_not_end_is_ended_after_its_grace() {
        World world = new World().start();
        world.cells.ignoreEnd();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));

        world.kube.deletePod("web", 10);
        world.pass(Duration.ofSeconds(15));
        assertThat(world.phase("web")).isEqualTo("Running");
        world.until("web is gone", MINUTE, () -> world.phase("web").equals("gone"));
        world.pass(Duration.ofSeconds(5));

        assertThat(world.cloud.live()).isEmpty();
    }

    @Test
    void an_api_server_that_refuses_cells_for_a_while_loses_nothing() {
        World world = new World().start();
        world.kube.refuse(request -> request.equals("kube create cells")
                ? Optional.of(new KubeError.Busy(503, Optional.empty(), "webhook"))
                : Optional.empty());
        world.createPod("web");
        world.pass(Duration.ofMinutes(2));
        assertThat(world.kube.all("launchbatches"))
                .as("the journal still tells of it")
                .hasSize(1);

        world.kube.refuse(request -> Optional.empty());
        world.until("web is ready", Duration.ofMinutes(2), () -> world.ready("web"));

        assertThat(world.cloud.launches()).hasSize(1);
        assertThat(world.kube.all("launchbatches")).isEmpty();
    }

    @Test
    void a_cell_object_deleted_by_hand_is_written_again() {
        World world = new World().start();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));
        String name =
                world.kube.all("cells").get(0).path("metadata").path("name").asString("");

        world.kube.remove("cells", name);
        world.pass(Duration.ofSeconds(5));

        assertThat(world.kube.all("cells")).hasSize(1);
        assertThat(world.cells.starts(world.uid("web"))).isOne();
    }

    @Test
    void the_virtual_node_is_made_again_when_someone_deletes_it() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(15));
        String before = world.kube
                .find("nodes", "kip")
                .orElseThrow()
                .path("metadata")
                .path("uid")
                .asString("");

        world.kube.remove("nodes", "kip");
        world.pass(Duration.ofSeconds(15));

        ObjectNode node = world.kube.find("nodes", "kip").orElseThrow();
        assertThat(node.path("metadata").path("uid").asString("")).isNotEqualTo(before);
        assertThat(node.path("spec").path("taints").toString()).contains("virtual-kubelet.io/provider");
        assertThat(node.path("status").path("conditions").toString()).contains("\"Ready\",\"status\":\"True\"");
        assertThat(world.kube
                        .find("leases", "kube-node-lease/kip")
                        .orElseThrow()
                        .path("metadata")
                        .path("ownerReferences")
                        .get(0)
                        .path("uid")
                        .asString(""))
                .isEqualTo(node.path("metadata").path("uid").asString(""));
    }

    @Test
    void an_idle_node_costs_one_lease_renewal_in_ten_seconds_and_one_look_a_minute() {
        World world = new World().start();
        world.pass(MINUTE);
        int writes = world.kube.writes().size();
        long looks = world.faults.count("cloud");

        world.pass(Duration.ofMinutes(4));

        assertThat(world.kube.writes().stream()
                        .skip(writes)
                        .filter(write -> !write.contains("kube-system/"))
                        .filter(write -> !write.contains("kube-node-lease/")))
                .isEmpty();
        assertThat(world.faults.count("cloud") - looks).isLessThanOrEqualTo(5);
    }

    @Test
    void a_ghost_of_a_call_that_was_given_up_is_ended() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));
        InstanceFacts proven = world.cloud.live().get(0);
        world.cloud.plant(Instances.like(proven, "i-ghost", proven.clientToken(), proven.tags()));

        world.pass(Duration.ofMinutes(4));

        assertThat(world.cloud.live()).extracting(InstanceFacts::id).containsExactly(proven.id());
    }

    @Test
    void a_running_pod_does_not_pay_for_tags_that_somebody_took_off_its_instance() {
        World world = new World().start();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));
        InstanceFacts tagged = world.cloud.live().get(0);
        world.cloud.plant(Instances.like(tagged, tagged.id(), tagged.clientToken(), ImmutableMap.of()));

        world.pass(Duration.ofMinutes(15));

        assertThat(world.ready("web")).isTrue();
        assertThat(world.cloud.live()).extracting(InstanceFacts::id).containsExactly(tagged.id());
    }

    @Test
    void a_running_pod_does_not_pay_for_an_edited_cell() {
        World world = new World().start();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));
        InstanceFacts bound = world.cloud.live().get(0);
        ObjectNode cell = world.kube.all("cells").get(0).deepCopy();
        ((ObjectNode) cell.path("status")).put("instanceID", "i-00000000000000001");
        world.kube.put("cells", cell);

        world.pass(Duration.ofMinutes(15));

        assertThat(world.ready("web")).isTrue();
        assertThat(world.cloud.live()).extracting(InstanceFacts::id).containsExactly(bound.id());
    }

    @Test
    void what_is_not_provably_ours_is_never_touched() {
        World world = new World().start();
        world.createPod("web");
        world.until("web is ready", MINUTE, () -> world.ready("web"));
        InstanceFacts proven = world.cloud.live().get(0);
        world.cloud.plant(Instances.like(proven, "i-copied-tags", "another-token", proven.tags()));
        ImmutableMap<String, String> legacy =
                ImmutableMap.of(Tags.INSTALLATION, proven.tags().get(Tags.INSTALLATION), Tags.NODE, "kip");
        world.cloud.plant(Instances.like(proven, "i-legacy", "", legacy));
        world.cloud.plant(Instances.like(proven, "i-other-node", proven.clientToken(), onNode(proven.tags(), "other")));

        world.pass(Duration.ofMinutes(10));

        assertThat(world.cloud.live()).hasSize(4);
    }

    private static ImmutableMap<String, String> onNode(ImmutableMap<String, String> tags, String node) {
        ImmutableMap.Builder<String, String> changed = ImmutableMap.builder();
        tags.forEach((key, value) -> changed.put(key, key.equals(Tags.NODE) ? node : value));
        return changed.buildOrThrow();
    }

    @Test
    void an_installation_of_another_region_is_not_taken_over() {
        World world = new World().start();
        world.pass(Duration.ofSeconds(5));
        world.process().kill();
        ObjectNode installation = world.kube.all("installations").get(0).deepCopy();
        installation.withObject("/spec").put("region", "eu-west-1");
        world.kube.put("installations", installation);

        world.start().pass(MINUTE);
        world.createPod("web");
        world.pass(MINUTE);

        assertThat(world.cloud.launches()).isEmpty();
        assertThat(world.anomalies).first().asString().contains("eu-west-1");
    }

    @Test
    void a_pod_with_a_finalizer_gets_its_final_status_before_it_is_removed() {
        World world = new World().start();
        world.createPod("job", pod -> {
            pod.withObject("/metadata").putArray("finalizers").add("batch.kubernetes.io/job-tracking");
            return pod;
        });
        world.until("job is ready", MINUTE, () -> world.ready("job"));
        world.kube.deletePod("job", 30);

        world.until(
                "its end is asked for",
                MINUTE,
                () -> world.kube.writes().stream().anyMatch(write -> write.startsWith("delete pods")));

        ImmutableList<String> writes = ImmutableList.copyOf(world.kube.writes());
        assertThat(writes.stream().filter(write -> write.contains(" pods ")).toList())
                .containsExactly("patch pods default/job", "patch pods default/job", "delete pods default/job");
    }
}
