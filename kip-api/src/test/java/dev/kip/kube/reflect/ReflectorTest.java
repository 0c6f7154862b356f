package dev.kip.kube.reflect;

import static dev.kip.kube.reflect.PlayedPods.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.entropy.SeededEntropy;
import dev.kip.kube.Codecs;
import dev.kip.kube.Kinds;
import dev.kip.kube.KubeError;
import dev.kip.kube.ListQuery;
import dev.kip.kube.ObjectKey;
import dev.kip.loop.ManualLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class ReflectorTest {

    private static final KubeError NO_ANSWER = new KubeError.NoAnswer("connection reset");
    private static final KubeError CLOSED = new KubeError.Closed("the server ended the watch");
    private static final KubeError EXPIRED = new KubeError.Expired("too old resource version");

    private final ManualLoop loop = new ManualLoop();
    private final PlayedPods api = new PlayedPods();
    private final Log told = new Log();
    private final Reflector<ObjectNode> reflector = new Reflector<>(
            api,
            loop,
            new SeededEntropy(7),
            Kinds.PODS.as(Codecs.tree()),
            ObjectKey::of,
            ReflectorSettings.ALL.fields("spec.nodeName=kip"),
            told);

    @Test
    void lists_every_page_by_quorum_read_then_watches_from_its_version() {
        reflector.start();
        assertThat(reflector.synced()).isFalse();
        api.page("90", "more", pod("a", "U1", "5"));
        assertThat(told).as("nothing is told before the last page").isEmpty();
        api.page("90", "", pod("b", "U2", "6"));

        ListQuery first = new ListQuery("", "", "spec.nodeName=kip", "", 500, "");
        assertThat(api.lists).containsExactly(first, first.continuing("more"));
        assertThat(api.watches).singleElement().satisfies(watch -> {
            assertThat(watch.resourceVersion()).isEqualTo("90");
            assertThat(watch.fieldSelector()).isEqualTo("spec.nodeName=kip");
            assertThat(watch.timeout()).isBetween(Duration.ofSeconds(40), Duration.ofSeconds(50));
        });
        assertThat(told).containsExactly("upserted a U1 5", "upserted b U2 6", "replaced 2");
        assertThat(reflector.synced()).isTrue();
    }

    @Test
    void resumes_from_the_last_event_or_bookmark() {
        synced("90");
        api.events().added(pod("a", "U1", "93"));
        api.events().bookmark("99");
        loop.advance(Duration.ofSeconds(41));
        api.end(CLOSED);

        assertThat(api.watches).hasSize(2);
        assertThat(api.watches.get(1).resourceVersion()).isEqualTo("99");
        assertThat(api.lists).as("no list in between").hasSize(1);
    }

    @Test
    void an_unchanged_object_is_told_once() {
        synced("90", pod("a", "U1", "5"));
        told.clear();
        api.events().added(pod("a", "U1", "5"));
        api.end(EXPIRED);
        api.answer("95", pod("a", "U1", "5"));

        assertThat(told).containsExactly("replaced 1");
    }

    @Test
    void expired_is_mended_by_one_list_at_once() {
        synced("90");
        api.end(EXPIRED);

        assertThat(api.lists).hasSize(2);
        assertThat(api.lists.get(1).resourceVersion()).isEmpty();
        api.answer("120");
        assertThat(api.watches.get(1).resourceVersion()).isEqualTo("120");
    }

    @Test
    void expired_again_and_again_is_no_busy_loop() {
        synced("90");
        for (int i = 0; i < 5; i++) {
            api.end(EXPIRED);
            if (i > 0) {
                assertThat(loop.toNextTimer()).isGreaterThan(Duration.ofMillis(700));
            }
            api.answer("9" + i);
        }
        assertThat(api.lists).hasSize(6);
    }

    /** WATCH-02: whatever way the list after a 410 fails, it is tried again, for ever. */
    @Test
    void watch_02_no_failure_of_the_list_stops_the_reflector() {
        synced("90", pod("a", "U1", "5"));
        api.end(EXPIRED);
        List<KubeError> failures = List.of(
                new KubeError.Busy(500, Optional.empty(), "internal error"),
                NO_ANSWER,
                new KubeError.Garbled(200, "malformed"),
                new KubeError.Forbidden("no"),
                new KubeError.Unauthorized("who"));
        var delays = new ArrayList<Duration>();
        for (int i = 0; i < 40; i++) {
            api.fail(failures.get(i % failures.size()));
            delays.add(loop.toNextTimer());
        }

        assertThat(api.lists).hasSize(42);
        assertThat(delays.get(0)).isBetween(Duration.ofMillis(750), Duration.ofMillis(1250));
        assertThat(delays.get(1)).isBetween(Duration.ofMillis(1500), Duration.ofMillis(2500));
        assertThat(delays.get(39)).isBetween(Duration.ofMillis(22_500), Duration.ofMillis(37_500));
        assertThat(reflector.staleSince()).isPresent();
        api.answer("200");
        assertThat(reflector.staleSince()).isEmpty();
        assertThat(told).endsWith("vanished a U1 5", "replaced 0");
    }

    /** WATCH-02: a handler that throws on one item hears of the others. */
    @Test
    void watch_02_a_handler_that_throws_on_one_item_hears_of_the_rest() {
        told.failOn = "upserted b U2 6";
        synced("90", pod("a", "U1", "5"), pod("b", "U2", "6"), pod("c", "U3", "7"));
        told.failOn = "upserted d U4 91";
        api.events().added(pod("d", "U4", "91"));
        api.events().added(pod("e", "U5", "92"));

        assertThat(told)
                .containsExactly(
                        "upserted a U1 5",
                        "upserted b U2 6",
                        "upserted c U3 7",
                        "replaced 3",
                        "upserted d U4 91",
                        "upserted e U5 92");
    }

    /** WATCH-03: the API server restarts; what happened in the gap is seen, and health shows the gap. */
    @Test
    void watch_03_a_restart_of_the_api_server_loses_nothing() {
        synced("90", pod("old", "U1", "5"));
        loop.advance(Duration.ofSeconds(20));
        api.end(NO_ANSWER);
        assertThat(reflector.staleSince()).contains(loop.now());
        for (int refused = 0; refused < 2; refused++) {
            loop.toNextTimer();
            api.end(NO_ANSWER);
        }
        loop.toNextTimer();
        assertThat(reflector.staleSince()).isPresent();
        assertThat(api.lists)
                .as("the version is in doubt: everything is listed")
                .hasSize(2);
        api.answer("97", pod("new", "U2", "96"));

        assertThat(told).endsWith("vanished old U1 5", "upserted new U2 96", "replaced 1");
        assertThat(reflector.staleSince()).isEmpty();
    }

    @Test
    void a_short_outage_is_bridged_by_the_watch_alone() {
        synced("90");
        loop.advance(Duration.ofSeconds(20));
        api.end(NO_ANSWER);
        loop.toNextTimer();
        api.events().opened();
        api.events().added(pod("new", "U2", "96"));

        assertThat(api.lists).hasSize(1);
        assertThat(api.watches.get(1).resourceVersion()).isEqualTo("90");
        assertThat(reflector.staleSince()).isEmpty();
    }

    @Test
    void the_server_says_how_long_to_stay_away() {
        synced("90");
        api.end(new KubeError.Busy(429, Optional.of(Duration.ofSeconds(17)), "too many requests"));

        assertThat(loop.toNextTimer()).isEqualTo(Duration.ofSeconds(17));
    }

    /** WATCH-06: deleted and made again while nobody looked. */
    @Test
    void watch_06_a_namesake_found_by_a_list_is_a_deletion_and_a_new_object() {
        synced("90", pod("web", "U1", "5"));
        api.end(EXPIRED);
        api.answer("120", pod("web", "U2", "110"));

        assertThat(told).endsWith("deleted web U1 5", "upserted web U2 110", "replaced 1");
    }

    /** WATCH-06, when the watch skips the deletion. */
    @Test
    void watch_06_a_namesake_found_by_a_watch_is_a_deletion_and_a_new_object() {
        synced("90", pod("web", "U1", "5"));
        api.events().modified(pod("web", "U2", "110"));
        api.events().deleted(pod("web", "U1", "109"));

        assertThat(told)
                .as("the late deletion of U1 does not touch U2")
                .endsWith("replaced 1", "deleted web U1 5", "upserted web U2 110");
    }

    /** WATCH-07: the deletion is applied though the mark of deletion was never seen, and carries the last state. */
    @Test
    void watch_07_a_deletion_needs_no_mark_seen_before() {
        synced("90", pod("web", "U1", "5"));
        api.events().deleted(pod("web", "U1", "95"));
        api.events().deleted(pod("never-seen", "U9", "96"));

        assertThat(told).endsWith("deleted web U1 95", "deleted never-seen U9 96");
    }

    /** WATCH-08: after a restore the watch is silent; the periodic list finds out, and absence alone is told as such. */
    @Test
    void watch_08_the_periodic_list_heals_a_version_that_went_back() {
        synced("1200", pod("kept", "U1", "900"), pod("lost-by-restore", "U2", "1100"));
        told.clear();
        for (int minute = 0; minute < 9; minute++) {
            loop.advance(Duration.ofMinutes(1));
            api.end(CLOSED); // each watch lives its life in silence
            assertThat(api.lists).hasSize(1);
        }
        loop.advance(Duration.ofMinutes(1));
        assertThat(api.lists).hasSize(2);
        assertThat(api.watching())
                .as("the list comes after the watch, not beside it")
                .isFalse();
        api.answer("1003", pod("kept", "U1", "1001"));

        assertThat(told).containsExactly("vanished lost-by-restore U2 1100", "upserted kept U1 1001", "replaced 1");
        assertThat(api.watches.get(api.watches.size() - 1).resourceVersion()).isEqualTo("1003");
    }

    /** WATCH-09: a version that the server has not reached. */
    @Test
    void watch_09_a_version_too_large_is_followed_by_a_consistent_list() {
        synced("5399771");
        api.end(new KubeError.Expired("Too large resource version: 5399771"));

        assertThat(api.lists.get(1).resourceVersion()).isEmpty();
    }

    /** WATCH-11 in the reflector: events in between do not reset the delays; only a watch that lived does. */
    @Test
    void watch_11_events_do_not_reset_the_delays() {
        synced("90");
        var delays = new ArrayList<Duration>();
        for (int i = 0; i < 4; i++) {
            api.events().opened();
            api.events().modified(pod("a", "U1", "9" + i));
            api.end(new KubeError.Garbled(200, "broken"));
            delays.add(loop.toNextTimer());
            api.answer("9" + i);
        }
        assertThat(delays.get(3)).isGreaterThan(Duration.ofSeconds(5));

        loop.advance(Duration.ofSeconds(11));
        api.end(NO_ANSWER);
        assertThat(loop.toNextTimer()).isLessThan(Duration.ofMillis(1300));
    }

    /** WATCH-12: versions are compared for equality only. */
    @Test
    void watch_12_a_deletion_at_the_known_version_is_applied() {
        synced("90", pod("a", "U1", "7"), pod("b", "U2", "8"));
        api.events().deleted(pod("a", "U1", "7"));
        api.events().deleted(pod("b", "U2", "3"));

        assertThat(told).endsWith("deleted a U1 7", "deleted b U2 3");
    }

    /** WATCH-13: A, B, A between two lists: the end state is told, nothing hangs on B. */
    @Test
    void watch_13_the_end_state_comes_from_lists_alone() {
        synced("90", pod("a", "U1", "7"));
        api.end(EXPIRED);
        api.answer("99", pod("a", "U1", "98"));

        assertThat(told).endsWith("upserted a U1 98", "replaced 1");
    }

    @Test
    void an_item_that_cannot_be_read_is_not_taken_for_gone() {
        synced("90", pod("a", "U1", "7"), pod("b", "U2", "8"));
        api.end(EXPIRED);
        told.clear();
        api.answerRefusing("99", "a", pod("b", "U2", "8"));

        assertThat(told).containsExactly("replaced 2");
    }

    @Test
    void a_list_that_expires_between_pages_is_asked_for_in_one_piece() {
        reflector.start();
        api.page("90", "more", pod("a", "U1", "5"));
        api.fail(new KubeError.Expired("the provided continue parameter is too old"));
        loop.toNextTimer();

        assertThat(api.lists.get(2).limit()).isZero();
        assertThat(api.lists.get(2).continueToken()).isEmpty();
    }

    @Test
    void after_stop_nothing_is_told_and_nothing_asked() {
        synced("90");
        reflector.stop();
        loop.advance(Duration.ofHours(1));

        assertThat(api.watching()).isFalse();
        assertThat(api.lists).hasSize(1);
        assertThat(api.watches).hasSize(1);
    }

    private void synced(String version, ObjectNode... pods) {
        reflector.start();
        api.answer(version, pods);
    }

    /** What the handler was told, a line each. */
    private static final class Log extends ArrayList<String> implements ReflectorHandler<ObjectNode> {

        private static final long serialVersionUID = 1;

        private String failOn = "";

        @Override
        public void upserted(ObjectNode object) {
            note("upserted", object);
        }

        @Override
        public void deleted(ObjectNode last) {
            note("deleted", last);
        }

        @Override
        public void vanished(ObjectNode last) {
            note("vanished", last);
        }

        @Override
        public void replaced(ImmutableList<ObjectNode> all) {
            add("replaced " + all.size());
        }

        private void note(String what, ObjectNode object) {
            ObjectKey key = ObjectKey.of(object);
            String line = what + " " + key.ref().name() + " " + key.uid() + " " + key.resourceVersion();
            add(line);
            if (line.equals(failOn)) {
                throw new IllegalStateException("a bug of the handler");
            }
        }
    }
}
