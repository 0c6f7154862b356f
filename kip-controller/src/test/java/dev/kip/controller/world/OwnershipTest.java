package dev.kip.controller.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.controller.ControllerSettings.OnClusterRecreated;
import dev.kip.controller.ControllerSettings.OnLostKeys;
import dev.kip.controller.ControllerSettings.OwnershipSettings;
import dev.kip.kube.KubeError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Rows of facts/peers.md 4.5, each with its number, and the matrix as a controller lives it. */
class OwnershipTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration A_WHILE = Duration.ofMinutes(5);

    private static World running(String... pods) {
        World world = new World().anchored().start();
        for (String pod : pods) {
            world.createPod(pod);
        }
        return allReady(world, pods);
    }

    private static World allReady(World world, String... pods) {
        return world.until(
                ImmutableList.copyOf(pods) + " are ready",
                Duration.ofMinutes(3),
                () -> ImmutableList.copyOf(pods).stream().allMatch(world::ready));
    }

    private static JsonNode record(World world) {
        return world.kube.find("installations", "kip").orElseThrow().path("spec");
    }

    private static String id(World world) {
        return record(world).path("installationID").asString("");
    }

    private static long epoch(World world) {
        return record(world).path("epoch").longValue();
    }

    private static String shard(World world) {
        return world.anchors.content("/shards/kip").orElse("none");
    }

    private static void restart(World world) {
        world.process().kill();
        world.start();
    }

    private static ObjectNode cellOf(World world, String pod) {
        return world.kube.find("cells", world.uid(pod) + "-0").orElseThrow();
    }

    private static String instanceOf(World world, String pod) {
        return cellOf(world, pod).path("status").path("instanceID").asString("");
    }

    private static void assertRunsOnce(World world, String pod) {
        String uid = world.uid(pod);
        assertThat(world.cells.starts(uid)).as("starts of " + pod).isEqualTo(1);
        assertThat(world.cells.runningOn(uid)).as("instances of " + pod).hasSize(1);
        assertThat(world.phase(pod)).isEqualTo("Running");
    }

    @Test
    void a_first_start_leaves_the_same_facts_in_record_secret_and_anchor() {
        World world = new World().anchored().start();
        world.pass(Duration.ofSeconds(5));

        assertThat(world.anchors.keys())
                .containsExactly(
                        "clusters/cluster-1/kip",
                        "installations/" + id(world) + "/identity",
                        "installations/" + id(world) + "/shards/kip",
                        "names/kip/kip");
        assertThat(world.anchors.content("identity").orElseThrow()).contains("cluster-1", "installation.key");
        assertThat(shard(world)).contains("\"state\":\"confirmed\"", "\"epoch\":1");
        assertThat(record(world).path("anchor").asString("")).isEqualTo(FakeAnchors.LOCATION);
        assertThat(record(world).path("account").asString("")).isEqualTo("123456789012");
        assertThat(world.kube.writes().indexOf("create secrets kube-system/kip-installation"))
                .as("the keys come first: a crash in between leaves nothing ambiguous")
                .isLessThan(world.kube.writes().indexOf("create installations kip"));
        assertThat(world.blocked).isEmpty();
    }

    @Test
    void row_1_a_stop_in_good_order_makes_nobody_wait_and_nothing_restarts() {
        World world = running("web");
        int writes = world.kube.writes().size();
        world.stop();
        world.pass(Duration.ofSeconds(1));
        assertThat(shard(world)).contains("\"state\":\"released\"");

        long before = world.time.nanos();
        world.process().kill();
        world.start();
        world.until("it leads", MINUTE, () -> epoch(world) == 2 && shard(world).contains("confirmed"));

        assertThat(Duration.ofNanos(world.time.nanos() - before)).isLessThan(Duration.ofSeconds(2));
        world.pass(MINUTE);
        assertRunsOnce(world, "web");
        assertThat(world.kube.writes().subList(writes, world.kube.writes().size()))
                .as("an adopted Cell costs no write")
                .noneMatch(write -> write.contains("cells") || write.contains("pods"));
    }

    @Test
    void row_2_a_standby_takes_over_when_the_lease_is_over_and_no_later() {
        World world = running("web");
        world.startAnother();
        world.pass(Duration.ofSeconds(7));
        world.process().kill();
        long died = world.time.nanos();

        world.until(
                "the standby leads",
                MINUTE,
                () -> epoch(world) == 2 && shard(world).contains("\"epoch\":2,\"state\":\"confirmed"));

        assertThat(Duration.ofNanos(world.time.nanos() - died))
                .as("B10: the lease, and no wait for the anchor")
                .isLessThanOrEqualTo(Duration.ofSeconds(21));
        world.pass(MINUTE);
        assertRunsOnce(world, "web");
    }

    @Test
    void the_anchor_is_renewed_seldom_and_only_after_the_lease() {
        World world = running();
        world.pass(MINUTE);
        int before = world.anchors.writes().size();

        world.pass(Duration.ofMinutes(10));

        assertThat(world.anchors.writes().size() - before).isBetween(40, 54);
    }

    @Test
    void row_4_a_record_that_is_deleted_while_it_is_used_is_written_anew_under_the_same_id() {
        World world = running("web");
        String id = id(world);
        world.kube.remove("installations", "kip");
        world.kube.remove("secrets", "kube-system/kip-installation");

        world.until(
                "the record is back",
                MINUTE,
                () -> world.kube.find("installations", "kip").isPresent());
        world.pass(Duration.ofSeconds(30));

        assertThat(id(world)).isEqualTo(id);
        assertThat(epoch(world)).isEqualTo(1);
        assertThat(world.kube.find("secrets", "kube-system/kip-installation")).isPresent();
        assertThat(world.eventsOn("Installation")).contains("RecordLost", "KeysRestored");
        assertRunsOnce(world, "web");
    }

    @Test
    void row_4_record_and_secret_that_are_deleted_while_nobody_leads_come_back_from_the_anchor() {
        World world = running("web");
        String id = id(world);
        world.process().kill();
        world.kube.remove("installations", "kip");
        world.kube.remove("secrets", "kube-system/kip-installation");
        world.createPod("late");
        world.start();

        allReady(world, "late");

        assertThat(id(world)).isEqualTo(id);
        assertThat(epoch(world)).isEqualTo(2);
        assertThat(world.anomalies).anyMatch(anomaly -> anomaly.startsWith("RecordLost"));
        assertRunsOnce(world, "web");
        assertThat(world.cloud.live()).hasSize(2);
    }

    @Test
    void row_4_without_an_anchor_the_secret_tells_who_it_was() {
        World world = new World().start();
        world.createPod("web");
        allReady(world, "web");
        String id = id(world);
        world.process().kill();
        world.kube.remove("installations", "kip");
        world.start();

        world.until(
                "the record is back",
                MINUTE,
                () -> world.kube.find("installations", "kip").isPresent());
        world.pass(A_WHILE);

        assertThat(id(world)).isEqualTo(id);
        assertThat(epoch(world))
                .as("above every epoch that an instance tells of")
                .isEqualTo(2);
        assertRunsOnce(world, "web");
        assertThat(world.eventsOn("Installation")).contains("NoAnchor");
        assertThat(world.kube
                        .find("installations", "kip")
                        .orElseThrow()
                        .path("status")
                        .toString())
                .contains("NoAnchor");
    }

    @Test
    void row_4_cells_that_went_with_their_definition_are_written_anew_while_leading() {
        World world = running("web");
        String instance = instanceOf(world, "web");
        deleteDefinitions(world);
        world.pass(MINUTE);
        assertRunsOnce(world, "web");
        world.kube.refuse(request -> Optional.empty());

        world.until(
                "the Cell is back",
                A_WHILE,
                () -> world.kube.find("cells", world.uid("web") + "-0").isPresent());
        world.until(
                "the record is back",
                A_WHILE,
                () -> world.kube.find("installations", "kip").isPresent());

        assertThat(instanceOf(world, "web")).isEqualTo(instance);
        assertRunsOnce(world, "web");
    }

    @Test
    void row_4_cells_that_went_with_their_definition_are_written_anew_after_a_restart() {
        World world = running("web", "api");
        String id = id(world);
        world.process().kill();
        deleteDefinitions(world);
        world.start();
        world.pass(MINUTE);
        assertThat(world.cloud.launches()).hasSize(1);
        world.kube.refuse(request -> Optional.empty());

        world.until(
                "both Cells are back", A_WHILE, () -> world.kube.all("cells").size() == 2);
        world.pass(A_WHILE);

        assertThat(id(world)).isEqualTo(id);
        assertRunsOnce(world, "web");
        assertRunsOnce(world, "api");
        assertThat(world.cloud.launches()).hasSize(1);
    }

    private static void deleteDefinitions(World world) {
        for (String plural : ImmutableList.of("cells", "launchbatches", "installations")) {
            for (ObjectNode object : world.kube.all(plural)) {
                world.kube.remove(plural, object.path("metadata").path("name").asString(""));
            }
        }
        world.kube.breakWatches();
        world.kube.refuse(request ->
                request.contains("cells") || request.contains("launchbatches") || request.contains("installations")
                        ? Optional.of(new KubeError.NotFound("no such resource"))
                        : Optional.empty());
    }

    /** A backup that knows of "before" and of "between" as a pod that waits, and nothing of "after". */
    private static FakeKube.Backup backup(World world) {
        ObjectNode waits = world.createPod("between");
        FakeKube.Backup backup = world.kube.backup();
        allReady(world, "between");
        world.createPod("after");
        allReady(world, "after");
        assertThat(waits.path("metadata").path("uid").asString("")).isEqualTo(world.uid("between"));
        return backup;
    }

    private static void assertSettledAfterTimeTravel(World world, String afterInstance) {
        world.until("what no pod wants is gone", Duration.ofMinutes(20), () -> !world.cloud.runs(afterInstance));
        assertRunsOnce(world, "before");
        assertRunsOnce(world, "between");
        assertThat(world.cloud.live()).hasSize(2);
        assertThat(world.kube.all("cells")).hasSize(2);
        assertThat(world.anomalies.stream().filter(anomaly -> anomaly.startsWith("CloneOrSplit")))
                .isEmpty();
        assertThat(record(world).path("shards").toString()).doesNotContain("reconciling");
    }

    @Test
    void row_6_an_etcd_restored_while_nobody_leads_restarts_nothing_and_forgets_nothing() {
        World world = running("before");
        FakeKube.Backup backup = backup(world);
        String after = instanceOf(world, "after");
        world.process().kill();
        world.kube.restore(backup);
        world.start();

        world.until(
                "time travel is noticed",
                A_WHILE,
                () -> world.anomalies.stream().anyMatch(anomaly -> anomaly.startsWith("TimeTravel")));
        assertSettledAfterTimeTravel(world, after);
        assertThat(world.cloud.launches()).as("nothing is launched twice").hasSize(3);
    }

    @Test
    void row_6_an_etcd_restored_while_leading_restarts_nothing_and_forgets_nothing() {
        World world = running("before");
        FakeKube.Backup backup = backup(world);
        String after = instanceOf(world, "after");
        world.kube.restore(backup);

        world.until(
                "time travel is noticed",
                A_WHILE,
                () -> world.eventsOn("Installation").contains("TimeTravel"));
        assertSettledAfterTimeTravel(world, after);
        assertThat(world.cloud.launches()).as("nothing is launched twice").hasSize(3);
    }

    @Test
    void row_6_while_it_is_reconciled_an_instance_that_does_not_answer_is_waited_for_even_over_a_crash() {
        World world = running("before");
        FakeKube.Backup backup = backup(world);
        String silent = instanceOf(world, "between");
        world.process().kill();
        world.kube.restore(backup);
        world.cells.mute(silent);
        world.start();
        world.pass(A_WHILE);
        assertThat(world.cloud.launches()).hasSize(3);
        assertThat(world.kube
                        .find("installations", "kip")
                        .orElseThrow()
                        .path("status")
                        .toString())
                .contains(silent);
        restart(world);
        world.pass(A_WHILE);
        assertThat(world.cloud.launches()).as("a crash settles nothing").hasSize(3);
        world.cells.unmute(silent);

        world.until(
                "its pod has a Cell again",
                A_WHILE,
                () -> world.kube.find("cells", world.uid("between") + "-0").isPresent());
        world.pass(MINUTE);

        assertRunsOnce(world, "between");
        assertThat(instanceOf(world, "between")).isEqualTo(silent);
    }

    @Test
    void row_7_a_copy_of_the_cluster_changes_nothing_and_says_why() {
        World world = running("web");
        World copy = world.copy();
        copy.createPod("only-in-the-copy");
        copy.start();

        copy.until("the copy is blocked", Duration.ofMinutes(2), () -> copy.blocked.isPresent());
        copy.pass(A_WHILE);

        assertThat(copy.blocked.orElseThrow()).startsWith("CloneOrSplit");
        assertThat(copy.eventsOn("Installation")).contains("CloneOrSplit");
        assertThat(copy.anomalies).anyMatch(anomaly -> anomaly.startsWith("CloneOrSplit"));
        assertThat(copy.kube.writes()).allMatch(write -> write.contains("leases") || write.contains("events"));
        assertThat(world.cloud.launches()).hasSize(1);
        assertThat(world.blocked).isEmpty();
        assertThat(epoch(world)).isEqualTo(1);
        assertRunsOnce(world, "web");
    }

    @Test
    void row_7_a_copy_takes_over_once_the_first_is_gone() {
        World world = running("web");
        World copy = world.copy();
        copy.start();
        copy.until("the copy is blocked", Duration.ofMinutes(2), () -> copy.blocked.isPresent());
        world.process().kill();

        copy.until("the copy leads", Duration.ofMinutes(2), () -> epoch(copy) == 2);
        copy.pass(MINUTE);

        assertThat(copy.blocked).isEmpty();
        assertRunsOnce(copy, "web");
        assertThat(world.cloud.launches()).hasSize(1);
    }

    @Test
    void row_7_whoever_loses_the_anchor_while_leading_stops_at_once() {
        World world = running("web");
        World copy = world.copy();
        FakeProcess first = world.process();
        world.anchors.reachableIf(process -> process != first);
        copy.start();
        copy.until("the copy leads", Duration.ofMinutes(3), () -> epoch(copy) == 2);
        world.anchors.reachableIf(process -> true);
        world.until(
                "the first is blocked",
                Duration.ofMinutes(2),
                () -> world.blocked.orElse("").startsWith("CloneOrSplit"));
        world.createPod("late");
        world.pass(A_WHILE);

        assertThat(world.eventsOn("Installation")).contains("CloneOrSplit");
        assertThat(world.phase("late")).isEqualTo("Pending");
        assertThat(epoch(world)).isEqualTo(1);
        assertThat(copy.blocked).isEmpty();
    }

    @Test
    void row_8_a_cluster_of_the_same_name_begins_anew_and_reports_what_the_other_left() {
        World old = running("web");
        old.process().kill();
        old.pass(MINUTE);
        World world = old.recreated().start();
        world.createPod("api");
        allReady(world, "api");

        assertThat(id(world)).isNotEqualTo(id(old));
        assertThat(world.eventsOn("Installation")).contains("ClusterRecreated");
        world.pass(Duration.ofMinutes(20));
        assertThat(world.cloud.live())
                .as("what the other left is not ours to end")
                .hasSize(2);
    }

    @Test
    void row_8_a_cluster_that_is_told_to_rejoin_takes_the_old_one_over_and_ends_what_no_pod_wants() {
        World old = running("web");
        String id = id(old);
        old.process().kill();
        old.pass(MINUTE);
        World world = old.recreated()
                .owning(new OwnershipSettings(Optional.empty(), OnClusterRecreated.REJOIN, OnLostKeys.STOP))
                .start();
        world.createPod("api");
        allReady(world, "api");

        assertThat(id(world)).isEqualTo(id);
        assertThat(epoch(world)).isEqualTo(2);
        assertThat(world.anchors.content("identity").orElseThrow()).contains("cluster-2");
        world.until(
                "the old pod's instance is gone",
                Duration.ofMinutes(20),
                () -> world.cloud.live().size() == 1);
        assertRunsOnce(world, "api");
    }

    @Test
    void row_8_and_after_that_a_plain_restart_is_plain() {
        World old = running("web");
        old.process().kill();
        old.pass(MINUTE);
        World world = old.recreated()
                .owning(new OwnershipSettings(Optional.of(id(old)), OnClusterRecreated.REPORT, OnLostKeys.STOP))
                .start();
        world.until(
                "it leads",
                MINUTE,
                () -> world.kube.find("installations", "kip").isPresent());
        world.pass(A_WHILE);
        world.anomalies.clear();
        restart(world);
        world.until("it leads again", MINUTE, () -> epoch(world) == 3);
        world.pass(MINUTE);

        assertThat(world.anomalies).isEmpty();
        assertThat(world.blocked).isEmpty();
    }

    @Test
    void row_11_while_the_cloud_does_not_answer_nothing_is_decided_and_nothing_is_lost() {
        World world = running("web");
        world.faults.cutOff("cloud");
        restart(world);
        world.createPod("late");
        world.pass(A_WHILE);
        assertThat(world.phase("web")).isEqualTo("Running");
        world.faults.cutOff("nothing");

        allReady(world, "late");
        assertRunsOnce(world, "web");
    }

    @Test
    void row_13_a_lost_anchor_is_written_anew_while_leading_and_at_start() {
        World world = running("web");
        world.anchors.forget("/");
        world.until("it is written anew", MINUTE, () -> world.anchors.keys().size() == 4);
        assertThat(world.anomalies).anyMatch(anomaly -> anomaly.startsWith("AnchorLost"));
        world.process().kill();
        world.anchors.forget("/");
        world.start();

        world.until("it is written anew", MINUTE, () -> world.anchors.keys().size() == 4);
        world.pass(MINUTE);

        assertRunsOnce(world, "web");
        assertThat(world.blocked).isEmpty();
    }

    @Test
    void an_anchor_that_does_not_answer_holds_a_start_up_and_what_leaves_the_cluster_while_leading() {
        World world = running("web");
        world.anchors.reachableIf(process -> false);
        world.pass(MINUTE);
        world.createPod("late");
        int writes = world.kube.writes().size();
        world.pass(MINUTE);
        assertThat(world.cloud.launches()).hasSize(1);
        assertThat(world.kube.writes().subList(writes, world.kube.writes().size()))
                .as("what cannot be launched is not journalled over and over")
                .noneMatch(write -> write.contains("launchbatches"));
        assertThat(world.anomalies).anyMatch(anomaly -> anomaly.startsWith("AnchorLate"));
        assertThat(world.kube.writes().subList(writes, world.kube.writes().size()))
                .as("the node stays alive: pods are not evicted for it")
                .anyMatch(write -> write.contains("kube-node-lease"));
        restart(world);
        world.pass(MINUTE);
        assertThat(world.blocked.orElse("")).startsWith("AnchorUnreachable");
        world.anchors.reachableIf(process -> true);

        allReady(world, "late");
        assertThat(world.blocked).isEmpty();
        assertRunsOnce(world, "web");
    }

    @Test
    void lost_keys_come_back_from_the_anchor_and_without_one_stop_everything() {
        World anchored = running("web");
        anchored.process().kill();
        anchored.kube.remove("secrets", "kube-system/kip-installation");
        anchored.start();
        anchored.until("it leads", MINUTE, () -> epoch(anchored) == 2);
        anchored.pass(MINUTE);
        assertRunsOnce(anchored, "web");

        World bare = new World().start();
        bare.createPod("web");
        allReady(bare, "web");
        bare.process().kill();
        bare.kube.remove("secrets", "kube-system/kip-installation");
        bare.start();
        bare.pass(A_WHILE);
        assertThat(bare.blocked.orElse("")).startsWith("KeysLost");
        assertThat(epoch(bare)).isEqualTo(1);
        assertThat(bare.kube.find("secrets", "kube-system/kip-installation")).isEmpty();
        bare.process().kill();
        bare.owning(new OwnershipSettings(Optional.empty(), OnClusterRecreated.REPORT, OnLostKeys.REKEY))
                .start();
        bare.until("it leads", MINUTE, () -> epoch(bare) == 2);
        bare.pass(A_WHILE);
        assertThat(bare.cloud.live())
                .as("what was made with the old keys runs on")
                .hasSize(1);
    }

    @Test
    void a_cell_that_was_edited_while_nobody_leads_is_not_followed_and_is_written_anew() {
        World world = running("web", "api");
        String web = instanceOf(world, "web");
        String api = instanceOf(world, "api");
        world.process().kill();
        ObjectNode edited = cellOf(world, "web");
        edited.withObject("/status").put("instanceID", api);
        world.kube.put("cells", edited);
        world.start();

        world.until(
                "it is told",
                A_WHILE,
                () -> world.anomalies.stream().anyMatch(anomaly -> anomaly.startsWith("CellEdited")));
        world.until(
                "the Cell is right again",
                A_WHILE,
                () -> world.kube
                        .find("cells", world.uid("web") + "-0")
                        .filter(cell -> cell.path("status")
                                .path("instanceID")
                                .asString("")
                                .equals(web))
                        .isPresent());
        world.pass(A_WHILE);

        assertRunsOnce(world, "web");
        assertRunsOnce(world, "api");
        assertThat(instanceOf(world, "api")).isEqualTo(api);
        assertThat(world.cloud.launches()).hasSize(1);
    }

    @Test
    void a_cell_that_was_edited_to_a_sibling_without_a_cell_ends_neither() {
        World world = running("web", "api");
        String web = instanceOf(world, "web");
        String api = instanceOf(world, "api");
        world.process().kill();
        ObjectNode edited = cellOf(world, "web");
        edited.withObject("/status").put("instanceID", api);
        world.kube.put("cells", edited);
        world.kube.remove("cells", world.uid("api") + "-0");
        world.start();

        world.until(
                "both Cells are right again",
                A_WHILE,
                () -> world.kube.all("cells").size() == 2
                        && instanceOf(world, "web").equals(web)
                        && instanceOf(world, "api").equals(api));
        world.pass(A_WHILE);

        assertRunsOnce(world, "web");
        assertRunsOnce(world, "api");
        assertThat(world.cloud.launches()).hasSize(1);
    }

    @Test
    void an_installation_that_is_deleted_launches_nothing_more() {
        World world = running("web");
        definitions(world, false);
        markDeleted(world);
        world.pass(Duration.ofSeconds(5));
        world.createPod("late");
        world.pass(MINUTE);

        assertThat(world.cloud.launches()).hasSize(1);
        assertThat(world.eventsOn("Installation")).contains("Draining");
    }

    @Test
    void row_4_an_installation_that_goes_with_its_definition_is_let_go_and_nothing_else_is() {
        World world = running("web");
        definitions(world, true);
        markDeleted(world);
        world.until(
                "the record is written anew",
                A_WHILE,
                () -> world.kube
                        .find("installations", "kip")
                        .map(record -> record.path("metadata"))
                        .filter(metadata -> metadata.has("finalizers") && !metadata.has("deletionTimestamp"))
                        .isPresent());
        world.createPod("late");

        allReady(world, "late");
        assertRunsOnce(world, "web");
        assertThat(world.eventsOn("Installation")).contains("DefinitionDeleted").doesNotContain("Draining");
    }

    private static void definitions(World world, boolean deleted) {
        ObjectNode definition =
                world.kube.find("installations", "kip").orElseThrow().objectNode();
        ObjectNode metadata = definition.putObject("metadata");
        metadata.put("name", "installations.kip.elotl.co");
        if (deleted) {
            metadata.put("deletionTimestamp", "2026-11-30T12:00:00Z");
        }
        world.kube.put("customresourcedefinitions", definition);
    }

    private static void markDeleted(World world) {
        ObjectNode record = world.kube.find("installations", "kip").orElseThrow();
        record.withObject("/metadata").put("deletionTimestamp", "2026-11-30T12:00:00Z");
        world.kube.put("installations", record);
    }

    @Test
    void a_cell_that_names_what_is_not_ours_ends_nothing() {
        World world = running("web");
        InstanceFacts ours = world.cloud.live().get(0);
        ObjectNode planted = cellOf(world, "web").deepCopy();
        planted.withObject("/metadata").put("name", "no-such-pod-0");
        planted.withObject("/metadata").remove("uid");
        planted.withObject("/status").put("podUID", "no-such-pod");
        planted.withObject("/status").put("clientToken", "guessed");
        world.kube.put("cells", planted);
        world.pass(A_WHILE);

        assertThat(world.cloud.runs(ours.id())).isTrue();
        assertThat(world.kube.find("cells", "no-such-pod-0")).isEmpty();
        assertRunsOnce(world, "web");
    }

    @Test
    void a_cell_that_was_deleted_while_nobody_leads_is_written_anew_from_the_grant() {
        World world = running("web");
        String instance = instanceOf(world, "web");
        world.process().kill();
        world.kube.remove("cells", world.uid("web") + "-0");
        world.start();

        world.until(
                "the Cell is back",
                A_WHILE,
                () -> world.kube.find("cells", world.uid("web") + "-0").isPresent());
        world.pass(A_WHILE);

        assertThat(instanceOf(world, "web")).isEqualTo(instance);
        assertRunsOnce(world, "web");
        assertThat(world.cloud.launches()).hasSize(1);
    }

    @Test
    void a_pod_that_ran_and_whose_instance_cannot_be_found_fails_and_is_not_run_twice() {
        World world = running("web");
        String instance = instanceOf(world, "web");
        world.process().kill();
        world.kube.remove("cells", world.uid("web") + "-0");
        world.cells.mute(instance);
        world.start();
        world.pass(A_WHILE);
        assertThat(world.cloud.launches()).as("it may run there").hasSize(1);
        world.cloud.end(instance);

        world.until("it failed", A_WHILE, () -> world.phase("web").equals("Failed"));
        assertThat(world.cells.starts(world.uid("web"))).isEqualTo(1);
    }

    @Test
    void row_25_another_region_is_refused_without_a_change() {
        World world = running("web");
        world.process().kill();
        ObjectNode record = world.kube.find("installations", "kip").orElseThrow();
        record.withObject("/spec").put("account", "999999999999");
        world.kube.put("installations", record);
        int writes = world.kube.writes().size();
        world.start();
        world.pass(A_WHILE);

        assertThat(world.blocked.orElse("")).startsWith("FingerprintMismatch");
        assertThat(world.kube.writes().subList(writes, world.kube.writes().size()))
                .allMatch(write -> write.contains("leases") || write.contains("events"));
    }

    @Test
    void two_virtual_nodes_of_one_installation_leave_each_other_alone() {
        World first = running("web");
        World second = first.shard("second").start();
        second.createPod("api");
        allReady(second, "api");
        assertThat(record(first).path("shards").size()).isEqualTo(2);
        assertThat(id(second)).isEqualTo(id(first));
        restart(first);
        restart(second);
        first.pass(Duration.ofMinutes(20));

        assertRunsOnce(first, "web");
        assertRunsOnce(second, "api");
        assertThat(first.cloud.live()).hasSize(2);
        assertThat(first.kube.all("cells")).hasSize(2);
        assertThat(first.anomalies).isEmpty();
        assertThat(second.anomalies).isEmpty();
        first.kube.deletePod("web", 30);
        first.until("the first's is gone", A_WHILE, () -> first.cloud.live().size() == 1);
        assertRunsOnce(second, "api");
    }

    @Test
    void five_replicas_of_one_controller_run_each_pod_once() {
        World world = new World().anchored().start();
        List<FakeProcess> others = ImmutableList.of(
                world.startAnother(), world.startAnother(), world.startAnother(), world.startAnother());
        world.createPod("web");
        allReady(world, "web");
        world.process().kill();
        others.get(0).kill();
        world.createPod("api");

        allReady(world, "api");
        world.pass(A_WHILE);

        assertRunsOnce(world, "web");
        assertRunsOnce(world, "api");
        assertThat(world.cloud.live()).hasSize(2);
        assertThat(world.anomalies).isEmpty();
    }

    @Test
    void a_cell_that_has_taken_orders_of_a_later_epoch_is_a_restored_cluster_without_an_anchor() {
        World world = new World().start();
        world.createPod("web");
        allReady(world, "web");
        FakeKube.Backup backup = world.kube.backup();
        restart(world);
        world.until("epoch 2", MINUTE, () -> epoch(world) == 2);
        restart(world);
        world.until("epoch 3", MINUTE, () -> epoch(world) == 3);
        world.createPod("after");
        allReady(world, "after");
        String after = instanceOf(world, "after");
        world.process().kill();
        world.kube.restore(backup);
        world.start();

        world.until("an epoch above it is taken", A_WHILE, () -> epoch(world) > 3);
        world.until("what no pod wants is gone", Duration.ofMinutes(20), () -> !world.cloud.runs(after));
        assertRunsOnce(world, "web");
    }
}
