package dev.kip.controller.cells;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cell.CellError;
import dev.kip.cell.CellReport;
import dev.kip.cell.CellReport.PodReport;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.ControllerSettings.Timing;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.store.PodFacts;
import dev.kip.controller.store.PodReader;
import dev.kip.crd.Cell;
import dev.kip.crd.CellStatus;
import dev.kip.crd.ObjectMetadata;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class CellPhaseTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String UID = "uid-1";
    private static final Policy POLICY =
            new Policy("kip", "installation", 7, true, 6421, Optional.empty(), Timing.DEFAULTS);

    private CellFacts cell = CellFacts.of(UID);
    private long now;

    private CellPhaseTest learn(CellFact... facts) {
        for (CellFact fact : facts) {
            cell = fact.after(cell, POLICY, now);
        }
        return this;
    }

    /** What is next; handed out, so that it is under way from then on. */
    private ImmutableList<Intent> next() {
        ImmutableList<Intent> intents = cell.next(POLICY, now);
        for (Intent intent : intents) {
            if (intent instanceof Intent.Become become) {
                learn(new CellFact.Became(become.phase()));
            }
            intent.errand().ifPresent(errand -> learn(new CellFact.Begun(errand)));
        }
        return intents;
    }

    private void pass(Duration span) {
        now += span.toNanos();
    }

    private static CellFact pod(String metadata, String status) {
        ObjectNode pod = JSON.readValue(
                "{\"metadata\": {\"namespace\": \"default\", \"name\": \"web\", \"uid\": \"uid-1\"" + metadata
                        + "}, \"spec\": {\"nodeName\": \"kip\"}, \"status\": {" + status + "}}",
                ObjectNode.class);
        return new CellFact.PodSeen(PodReader.PODS.codec().decode(pod));
    }

    private static CellFact pending() {
        return pod("", "\"phase\": \"Pending\"");
    }

    private static CellFact deleted(int grace) {
        return pod(
                ", \"deletionTimestamp\": \"2026-11-30T12:00:00Z\", \"deletionGracePeriodSeconds\": " + grace,
                "\"phase\": \"Running\"");
    }

    private static CellFact bound() {
        return new CellFact.CellSeen(new Cell(
                new ObjectMetadata(
                        "uid-1-0", "cell-uid", "1", "", ImmutableMap.of(), ImmutableMap.of(), ImmutableList.of()),
                new CellStatus(
                        "web",
                        "default",
                        "kip",
                        "installation",
                        "On-Demand",
                        "t3.nano",
                        "i-1",
                        "10.0.0.1",
                        UID,
                        0,
                        7,
                        "launch-1",
                        "token")));
    }

    private static InstanceFacts instance(InstanceState state) {
        return new InstanceFacts(
                "i-1",
                state,
                "t3.nano",
                "a",
                Market.ON_DEMAND,
                Optional.of("10.0.0.1"),
                Optional.empty(),
                "token",
                0,
                Instant.EPOCH,
                Optional.empty(),
                "",
                ImmutableMap.of());
    }

    private static CellFact inert(long sequence) {
        return new CellFact.Reported(new CellReport("i-1", sequence, 7, Optional.empty()));
    }

    private static CellFact reported(long sequence, String status, boolean ended) {
        return new CellFact.Reported(
                new CellReport("i-1", sequence, 7, Optional.of(new PodReport(UID, 0, 1, status, ended))));
    }

    private static CellFact running(long sequence) {
        return reported(
                sequence,
                "{\"phase\": \"Running\", \"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}],"
                        + "\"containerStatuses\": [{\"name\": \"a\", \"state\": {\"running\": {}}}]}",
                false);
    }

    private static Class<?>[] kinds(ImmutableList<Intent> intents) {
        return intents.stream().map(Object::getClass).toArray(Class<?>[]::new);
    }

    @Test
    void a_pod_is_launched_once() {
        learn(pending());
        assertThat(kinds(next())).containsExactly(Intent.AskForInstance.class);
        assertThat(next()).isSameAs(CellPhase.NOTHING);
    }

    @Test
    void a_pod_that_is_being_deleted_before_it_was_launched_is_only_removed() {
        learn(deleted(30));
        assertThat(kinds(next())).containsExactly(Intent.RemovePod.class);
        learn(new CellFact.PodRemoved());
        assertThat(next()).isEmpty();
        learn(new CellFact.PodGone());
        assertThat(cell.forgettable()).isTrue();
    }

    @Test
    void a_finished_pod_gets_no_cell_even_if_an_older_event_comes_later() {
        learn(pod("", "\"phase\": \"Succeeded\""), pod("", "\"phase\": \"Running\""));
        assertThat(next()).isEmpty();
    }

    @Test
    void a_pod_that_could_not_be_launched_is_told_why_and_tried_again_when_its_time_has_come() {
        learn(pending());
        next();
        learn(new CellFact.NotLaunched(new Problem("Full", "no room"), Duration.ofMinutes(3)));
        assertThat(kinds(next())).containsExactly(Intent.Explain.class);
        learn(
                new CellFact.Done(Errand.EXPLAIN),
                pod(
                        "",
                        "\"conditions\": [{\"type\": \"kip.elotl.co/CellLaunched\", \"reason\": \"Full\","
                                + " \"message\": \"no room\"}]"));
        assertThat(next()).isEmpty();
        assertThat(cell.due(POLICY, now)).isEqualTo(Duration.ofMinutes(3).toNanos());
        pass(Duration.ofMinutes(3));
        assertThat(kinds(next())).containsExactly(Intent.AskForInstance.class);
    }

    @Test
    void an_assigned_instance_is_bound_and_declined_if_the_pod_is_gone() {
        learn(pending(), new CellFact.JoinedBatch("launch-1", 0));
        assertThat(next()).isEmpty();
        learn(new CellFact.Assigned("launch-1", instance(InstanceState.PENDING)));
        CellFacts assigned = cell;
        assertThat(kinds(next())).containsExactly(Intent.BindCell.class);

        cell = assigned;
        learn(new CellFact.PodGone());
        assertThat(kinds(next())).containsExactly(Intent.Decline.class);
    }

    @Test
    void a_bound_cell_is_watched_and_granted_as_soon_as_it_answers() {
        learn(pending(), bound());
        assertThat(kinds(next())).containsExactly(Intent.WatchCell.class);
        learn(new CellFact.Done(Errand.WATCH), inert(1));
        assertThat(kinds(next())).containsExactly(Intent.GrantPod.class, Intent.WatchCell.class);
        assertThat(next()).isEmpty();
    }

    @Test
    void a_good_start_is_one_write() {
        learn(pending(), bound(), inert(1));
        next();
        learn(
                new CellFact.Done(Errand.GRANT),
                reported(
                        2,
                        "{\"phase\": \"Pending\", \"containerStatuses\": [{\"name\": \"a\","
                                + " \"state\": {\"waiting\": {\"reason\": \"ContainerCreating\"}}}]}",
                        false));
        assertThat(next()).as("on the way").isEmpty();
        learn(running(3));
        assertThat(kinds(next())).containsExactly(Intent.PatchPodStatus.class, Intent.Tell.class);
    }

    @Test
    void a_start_that_takes_long_is_shown() {
        learn(pending(), bound(), inert(1));
        next();
        learn(reported(2, "{\"phase\": \"Pending\"}", false));
        assertThat(next()).isEmpty();
        pass(Bound.PENDING_SETTLES);
        assertThat(kinds(next())).containsExactly(Intent.PatchPodStatus.class);
    }

    @Test
    void a_pod_whose_instance_was_stopped_is_not_ready_and_fails_only_if_that_lasts() {
        CellFact runs = pod("", "\"phase\": \"Running\", \"startTime\": \"2026-11-30T12:00:00Z\"");
        learn(runs, bound(), running(1));
        next();
        learn(new CellFact.InstanceSeen(instance(InstanceState.STOPPING)));
        assertThat(next())
                .singleElement()
                .isInstanceOfSatisfying(
                        Intent.Explain.class,
                        told -> assertThat(told.problem().reason()).isEqualTo("InstanceStopped"));
        CellFacts stopped = cell;
        pass(Duration.ofMinutes(1));
        learn(new CellFact.InstanceSeen(instance(InstanceState.STOPPED)));
        assertThat(next()).isEmpty();
        pass(Bound.STOPPED_GRACE.minusMinutes(1));
        learn(CellFact.Undone.certainly(Errand.STATUS));
        pass(Duration.ofSeconds(1));
        assertThat(next())
                .singleElement()
                .isInstanceOfSatisfying(
                        Intent.FailPod.class,
                        failed -> assertThat(failed.problem().reason()).isEqualTo("InstanceStopped"));

        cell = stopped;
        learn(new CellFact.InstanceSeen(instance(InstanceState.RUNNING)));
        assertThat(kinds(next()))
                .as("it was started in time")
                .doesNotContain(Intent.FailPod.class, Intent.Become.class);
    }

    @Test
    void an_instance_that_ended_before_anything_ran_is_replaced() {
        learn(pending(), bound(), new CellFact.InstanceSeen(instance(InstanceState.TERMINATED)));
        assertThat(kinds(next())).containsExactly(Intent.Tell.class, Intent.Become.class);
        assertThat(kinds(next())).as("it has ended already").containsExactly(Intent.RemoveCell.class);
        learn(new CellFact.CellGone("uid-1-0", "cell-uid"));
        next();
        assertThat(next())
                .singleElement()
                .isInstanceOfSatisfying(
                        Intent.AskForInstance.class,
                        ask -> assertThat(ask.attempt()).isEqualTo(1));
    }

    @Test
    void an_instance_that_ended_with_a_pod_that_ran_fails_the_pod() {
        learn(pending(), bound(), running(1), new CellFact.InstanceSeen(instance(InstanceState.TERMINATED)));
        assertThat(kinds(next())).containsExactly(Intent.FailPod.class);
    }

    @Test
    void a_pod_that_may_have_been_granted_is_not_tried_again() {
        learn(pending(), bound(), inert(1));
        assertThat(kinds(next())).contains(Intent.GrantPod.class);
        learn(new CellFact.CellFailed(Errand.GRANT, new CellError.Unreachable("reset")));
        learn(new CellFact.InstanceSeen(instance(InstanceState.TERMINATED)));
        assertThat(kinds(next())).containsExactly(Intent.FailPod.class);
    }

    @Test
    void an_instance_that_lists_lack_is_gone_only_after_the_consistency_window() {
        learn(pending(), bound(), new CellFact.InstanceMissing("i-1"));
        assertThat(kinds(next())).containsExactly(Intent.WatchCell.class);
        pass(POLICY.timing().cloudConsistency());
        assertThat(kinds(next())).contains(Intent.Become.class);
    }

    @Test
    void a_running_pod_is_ended_with_its_grace_and_a_shorter_one_is_passed_on() {
        learn(pending(), bound(), running(1));
        next();
        learn(deleted(30));
        assertThat(kinds(next())).containsExactly(Intent.EndPod.class);
        learn(new CellFact.EndTold(Duration.ofSeconds(30)));
        assertThat(next()).isEmpty();
        learn(deleted(2));
        assertThat(next())
                .singleElement()
                .isInstanceOfSatisfying(
                        Intent.EndPod.class,
                        end -> assertThat(end.order().grace()).hasSeconds(2));
        learn(new CellFact.EndTold(Duration.ofSeconds(2)), reported(2, "{\"phase\": \"Succeeded\"}", true));
        assertThat(kinds(next())).containsExactly(Intent.Become.class);
        assertThat(kinds(next())).containsExactly(Intent.RemovePod.class, Intent.TerminateInstance.class);
    }

    @Test
    void the_cell_object_goes_only_after_the_end_of_the_instance_is_accepted() {
        learn(pending(), bound(), new CellFact.PodGone());
        next();
        assertThat(kinds(next())).containsExactly(Intent.TerminateInstance.class);
        learn(CellFact.Undone.of(Errand.TERMINATE));
        assertThat(next()).isEmpty();
        pass(Duration.ofSeconds(1));
        assertThat(kinds(next())).containsExactly(Intent.TerminateInstance.class);
        learn(new CellFact.Terminated("i-1"));
        assertThat(kinds(next())).containsExactly(Intent.RemoveCell.class);
    }

    @Test
    void a_report_of_another_instance_or_an_older_one_changes_nothing() {
        learn(pending(), bound(), running(5));
        CellFacts before = cell;
        learn(running(4), new CellFact.Reported(new CellReport("i-0", 9, 7, Optional.empty())));
        assertThat(cell).isSameAs(before);
    }

    @Test
    void what_expired_is_decided_again() {
        learn(pending(), bound(), new CellFact.PodGone());
        next();
        next();
        learn(new CellFact.Expired(Errand.TERMINATE));
        pass(Duration.ofSeconds(1));
        assertThat(kinds(next())).containsExactly(Intent.TerminateInstance.class);
    }

    @Test
    void an_unchanged_cell_costs_no_allocation() {
        learn(pending(), bound(), running(1));
        next();
        learn(new CellFact.StatusWritten(
                ((Bound) cell.phase()).news().view().orElseThrow().digest(), podFacts()));
        assertThat(next()).isSameAs(CellPhase.NOTHING);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        decideOften();
        long before = threads.getCurrentThreadAllocatedBytes();
        decideOften();
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
    }

    private static final String SHOWN = "\"phase\": \"Running\", \"podIP\": \"10.0.0.1\","
            + " \"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]";
    private static final String UNREADY = SHOWN.replace("True", "False");

    private static CellFact podOf(int version, String status) {
        return pod(", \"resourceVersion\": \"" + version + "\"", status);
    }

    /** The answer to our write of what the cell now reports. */
    private CellFact written(int version, String status) {
        return new CellFact.StatusWritten(
                ((Bound) cell.phase()).news().view().orElseThrow().digest(),
                ((CellFact.PodSeen) podOf(version, status)).pod());
    }

    private CellPhaseTest readiedAt(int version) {
        learn(podOf(1, "\"phase\": \"Pending\""), bound(), running(1));
        next();
        return learn(written(version, SHOWN));
    }

    @Test
    void a_status_that_another_writer_changed_is_written_anew() {
        readiedAt(10).learn(podOf(11, UNREADY));
        assertThat(next()).isEmpty();
        assertThat(cell.due(POLICY, now)).isEqualTo(Duration.ofSeconds(1).toNanos());
        pass(Duration.ofSeconds(1));
        assertThat(kinds(next())).contains(Intent.PatchPodStatus.class);
        learn(written(12, SHOWN));
        pass(Duration.ofMinutes(1));
        assertThat(next()).isEmpty();
    }

    @Test
    void a_later_pod_that_was_seen_before_the_answer_to_our_write_counts() {
        learn(podOf(1, "\"phase\": \"Pending\""), bound(), running(1));
        next();
        learn(podOf(10, SHOWN), podOf(11, UNREADY), written(10, SHOWN));
        pass(Duration.ofSeconds(1));
        assertThat(kinds(next())).contains(Intent.PatchPodStatus.class);
    }

    @Test
    void a_watch_that_lags_behind_the_answer_to_our_write_costs_no_write() {
        readiedAt(10).learn(podOf(9, "\"phase\": \"Pending\""));
        assertThat(next()).isEmpty();
        pass(Duration.ofMillis(500));
        learn(podOf(10, SHOWN));
        pass(Duration.ofMinutes(1));
        assertThat(next()).isEmpty();
    }

    @Test
    void a_writer_that_never_rests_cannot_put_our_write_off() {
        readiedAt(10);
        for (int tenth = 0; tenth < 10; tenth++) {
            learn(podOf(11 + tenth, UNREADY + ", \"reason\": \"" + tenth + "\""));
            assertThat(next()).isEmpty();
            pass(Duration.ofMillis(100));
        }
        assertThat(kinds(next())).contains(Intent.PatchPodStatus.class);
    }

    @Test
    void a_write_whose_answer_was_lost_but_that_is_seen_to_have_had_its_effect_is_not_made_again() {
        learn(pending(), bound(), running(1));
        next();
        Bound bound = (Bound) cell.phase();
        String status = bound.news().view().orElseThrow().status().toString();
        learn(CellFact.Undone.of(Errand.STATUS), podOf(10, status.substring(1, status.length() - 1)));
        pass(Duration.ofMinutes(1));
        assertThat(next()).isEmpty();
    }

    private static PodFacts podFacts() {
        return ((CellFact.PodSeen) pod("", "\"phase\": \"Running\"")).pod();
    }

    private void decideOften() {
        for (int i = 0; i < 100_000; i++) {
            if (!cell.next(POLICY, now).isEmpty()) {
                throw new AssertionError("it is unchanged");
            }
        }
    }
}
