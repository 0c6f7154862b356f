package dev.kip.kube.elect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kip.entropy.SeededEntropy;
import dev.kip.kube.KubeError;
import dev.kip.kube.ObjectRef;
import dev.kip.loop.Loop;
import dev.kip.loop.ManualLoop;
import dev.kip.loop.SkewedLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class LeaderElectorTest {

    private static final ElectionSettings SETTINGS = ElectionSettings.of(new ObjectRef("kip", "kip-controller"));

    private final ManualLoop loop = new ManualLoop();
    private final PlayedLease server = new PlayedLease(loop);

    @Test
    void the_first_candidate_creates_the_lease_as_client_go_writes_it() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofMillis(50));

        assertThat(a.told).containsExactly("acquired");
        JsonNode spec = server.lease.orElseThrow().path("spec");
        assertThat(spec.path("holderIdentity").asString())
                .isEqualTo(a.elector.identity())
                .startsWith("pod-0_");
        assertThat(spec.path("leaseDurationSeconds").asInt()).isEqualTo(15);
        assertThat(spec.path("leaseTransitions").asInt()).isZero();
        assertThat(spec.path("renewTime").asString()).matches("2026-11-30T12:00:00\\.\\d{6}Z");
        assertThat(spec.path("acquireTime").asString())
                .isEqualTo(spec.path("renewTime").asString());
    }

    @Test
    void a_leader_renews_and_the_other_waits() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofMillis(50));
        Candidate b = candidate("pod-1", 2);
        loop.advance(Duration.ofMinutes(10));

        assertThat(a.told).containsExactly("acquired");
        assertThat(b.told).isEmpty();
        assertThat(b.elector.holder()).isEqualTo(a.elector.identity());
        assertThat(server.writes).hasSizeBetween(240, 310).containsOnly(a.elector.identity());
    }

    @Test
    void a_dead_leader_is_followed_when_its_lease_is_over_wherever_between_two_renewals_it_died() {
        for (int later = 0; later < 3_000; later += 130) {
            ManualLoop time = new ManualLoop();
            PlayedLease shared = new PlayedLease(time);
            Candidate a = new Candidate(time, shared.link(), "pod-0", 1, SETTINGS);
            Candidate b = new Candidate(time, shared.link(), "pod-1", 2, SETTINGS);
            time.advance(Duration.ofMillis(60_000 + later));
            a.link.requestsLost = true;
            time.advance(Duration.ofMillis(15_100));

            assertThat(b.told).as("died %d ms later", later).containsExactly("acquired");
            assertThat(b.link.watches()).as("a leader watches nothing").isFalse();
        }
    }

    @Test
    void a_standby_that_may_not_watch_follows_within_one_retry() {
        Candidate a = candidate("pod-0", 1);
        PlayedLease.Link denied = server.link();
        denied.watchesFail = true;
        Candidate b = new Candidate(loop, denied, "pod-1", 2, SETTINGS);
        loop.advance(Duration.ofMinutes(1));
        a.link.requestsLost = true;
        loop.advance(Duration.ofMillis(17_500));

        assertThat(b.told).containsExactly("acquired");
        assertThat(server.lease
                        .orElseThrow()
                        .path("spec")
                        .path("leaseTransitions")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void a_watch_that_has_ended_is_opened_again_with_the_next_reading() {
        candidate("pod-0", 1);
        Candidate b = candidate("pod-1", 2);
        loop.advance(Duration.ofMinutes(1));
        assertThat(b.link.watchesOpened).isOne();
        b.link.endWatch();
        loop.advance(Duration.ofSeconds(3));

        assertThat(b.link.watchesOpened).isEqualTo(2);
        assertThat(b.link.watches()).isTrue();
    }

    @Test
    void a_released_lease_is_taken_as_soon_as_the_watch_shows_it() {
        Candidate a = candidate("pod-0", 1);
        Candidate b = candidate("pod-1", 2);
        loop.advance(Duration.ofMinutes(1));
        a.elector.stop();
        loop.advance(Duration.ofMillis(100));

        assertThat(b.told).containsExactly("acquired");
    }

    @Test
    void a_server_that_refuses_the_lease_is_told_of_once_and_again_when_it_does_not() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofMinutes(1));
        a.link.refuse = Optional.of(new KubeError.Forbidden("may not get leases"));
        loop.advance(Duration.ofHours(1));

        assertThat(a.told)
                .containsExactly(
                        "acquired", "refused: may not get leases", "lost: the lease could not be renewed for 10 s");
        a.link.refuse = Optional.empty();
        loop.advance(Duration.ofMinutes(1));
        assertThat(a.told).endsWith("refused no more", "acquired").hasSize(5);
    }

    @Test
    void a_server_that_does_not_answer_refuses_nothing() {
        Candidate a = candidate("pod-0", 1);
        a.link.refuse = Optional.of(new KubeError.NoAnswer("connection refused"));
        loop.advance(Duration.ofMinutes(10));

        assertThat(a.told).isEmpty();
    }

    @Test
    void mutating_ends_before_the_lease_can_be_taken() {
        Candidate a = candidate("pod-0", 1);
        Candidate b = candidate("pod-1", 2);
        loop.advance(Duration.ofMinutes(1));
        a.link.requestsLost = true;
        long until = a.elector.leadUntil().orElseThrow();
        long taken = -1;
        for (int step = 0; step < 400 && taken < 0; step++) {
            loop.advance(Duration.ofMillis(50));
            if (a.elector.leadUntil().isPresent()) {
                assertThat(a.elector.leadUntil().orElseThrow()).isEqualTo(until);
            }
            taken = b.told.isEmpty() ? -1 : loop.nanos();
        }

        assertThat(taken).isGreaterThan(until + Duration.ofSeconds(1).toNanos());
        assertThat(a.told).containsExactly("acquired", "lost: the lease could not be renewed for 10 s");
    }

    @Test
    void lead_until_counts_from_the_sending_of_the_renewal() {
        Candidate a = candidate("pod-0", 1);
        a.link.latency = Duration.ofSeconds(2);
        loop.advance(Duration.ofSeconds(4));

        assertThat(a.told).containsExactly("acquired");
        assertThat(a.elector.leadUntil().orElseThrow())
                .as("sent after 1.005 s, when the read was answered; itself answered after 3.005 s")
                .isEqualTo(Duration.ofMillis(1_005).plusSeconds(13).toNanos());
    }

    /** The monotonic clock stands still while a machine is suspended; the lease runs out all the same. */
    @Test
    void a_leader_whose_machine_was_suspended_may_not_mutate_until_it_has_renewed() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofMinutes(1));
        loop.setClockError(Duration.ofSeconds(43));

        assertThat(a.elector.leadUntil().orElseThrow()).isLessThan(loop.nanos());

        loop.advance(Duration.ofSeconds(3));
        assertThat(a.elector.leadUntil().orElseThrow())
                .as("renewed by the clock as it is now")
                .isGreaterThan(loop.nanos() + Duration.ofSeconds(8).toNanos());
    }

    @Test
    void a_wall_clock_that_is_set_back_lengthens_no_lead() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofMinutes(1));
        long until = a.elector.leadUntil().orElseThrow();
        loop.setClockError(Duration.ofHours(-1));

        assertThat(a.elector.leadUntil().orElseThrow()).isEqualTo(until);
    }

    /** LE-02: two lives of one name; no callback before the write of this life is accepted. */
    @Test
    void le_02_leading_begins_only_with_a_write_accepted_in_this_life() {
        Candidate first = candidate("pod-0", 1);
        loop.advance(Duration.ofSeconds(5));
        first.link.requestsLost = true;
        Candidate again = candidate("pod-0", 2);
        Candidate rival = candidate("pod-1", 3);
        again.link.latency = Duration.ofMillis(200);
        loop.advance(Duration.ofSeconds(60));

        assertThat(again.elector.identity()).isNotEqualTo(first.elector.identity());
        assertThat(List.of(again.told, rival.told)).containsOnlyOnce(List.of("acquired"));
        assertThat(server.holder())
                .isEqualTo(again.told.isEmpty() ? rival.elector.identity() : again.elector.identity());
    }

    @Test
    void le_02_a_rival_that_writes_between_our_read_and_our_write_wins() {
        lease("", 1, "2026-11-30T11:59:59.000000Z");
        Candidate a = candidate("pod-0", 1);
        a.link.before = Optional.of(
                () -> a.link.before = Optional.of(() -> lease("rival_1", 15, "2026-11-30T12:00:00.000000Z")));
        loop.advance(Duration.ofSeconds(5));

        assertThat(a.told).isEmpty();
        assertThat(server.holder()).isEqualTo("rival_1");
    }

    /** LE-03: the record's own duration counts, not ours. */
    @Test
    void le_03_a_lease_of_thirty_seconds_is_waited_for() {
        lease("other_1", 30, "2026-11-30T11:59:59.000000Z");
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofMillis(29_900));
        assertThat(a.told).isEmpty();
        loop.advance(Duration.ofMillis(2_600));

        assertThat(a.told).containsExactly("acquired");
    }

    /** LE-04: whatever the clocks say, nothing is taken earlier than one lease after first sight. */
    @ParameterizedTest
    @ValueSource(longs = {-3600, 0, 3600})
    void le_04_no_clock_but_our_own_monotonic_one_counts(long skewSeconds) {
        lease("other_1", 15, "2026-11-30T11:50:00.000000Z");
        Candidate a = new Candidate(
                new SkewedLoop(loop, Duration.ofSeconds(skewSeconds), 123_456_789L), "pod-0", 1, SETTINGS);
        loop.advance(Duration.ofMillis(14_900));
        assertThat(a.told).isEmpty();
        loop.advance(Duration.ofMillis(2_600));

        assertThat(a.told).containsExactly("acquired");
    }

    @Test
    void le_04_a_clock_that_jumps_changes_nothing_for_the_leader() {
        Candidate a = candidate("pod-0", 1);
        Candidate b = candidate("pod-1", 2);
        loop.advance(Duration.ofMinutes(1));
        loop.setClockError(Duration.ofHours(-5));
        loop.advance(Duration.ofMinutes(1));
        loop.setClockError(Duration.ofHours(5));
        loop.advance(Duration.ofMinutes(1));

        assertThat(a.told).containsExactly("acquired");
        assertThat(b.told).isEmpty();
    }

    /** LE-05: the deadline does not wait for the call to return. */
    @Test
    void le_05_a_slow_server_makes_the_old_leader_stop_in_time() {
        Candidate a = candidate("pod-0", 1);
        Candidate b = candidate("pod-1", 2);
        Candidate c = candidate("pod-2", 3);
        loop.advance(Duration.ofSeconds(30));
        assertThat(a.told).containsExactly("acquired");
        for (Candidate each : List.of(a, b, c)) {
            each.link.latency = Duration.ofSeconds(20);
        }
        loop.advance(Duration.ofSeconds(13));
        assertThat(a.told).hasSize(2);
        assertThat(a.elector.leadUntil()).isEmpty();
        loop.advance(Duration.ofSeconds(47));
        for (Candidate each : List.of(a, b, c)) {
            each.link.latency = Duration.ofMillis(10);
        }
        loop.advance(Duration.ofSeconds(60));

        assertThat(List.of(a, b, c).stream().filter(each -> each.elector.leads()))
                .hasSize(1);
    }

    /** LE-06: a leader within lease + retry after recovery. */
    @Test
    void le_06_the_election_goes_on_after_an_outage() {
        Candidate a = candidate("pod-0", 1);
        Candidate b = candidate("pod-1", 2);
        loop.advance(Duration.ofSeconds(5));
        a.link.requestsLost = true;
        b.link.requestsLost = true;
        loop.advance(Duration.ofMinutes(3));
        assertThat(a.elector.leads() || b.elector.leads()).isFalse();
        a.link.requestsLost = false;
        b.link.requestsLost = false;
        loop.advance(Duration.ofMillis(17_500));

        assertThat(a.elector.leads() ^ b.elector.leads()).isTrue();
    }

    /** LE-07: an empty holder is free at once; one who lost stands again by itself. */
    @Test
    void le_07_a_released_lease_is_taken_at_once() {
        lease("", 1, "2026-11-30T11:59:59.000000Z");
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofMillis(50));

        assertThat(a.told).containsExactly("acquired");
    }

    @Test
    void le_07_a_single_replica_that_lost_leads_again() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofSeconds(5));
        a.link.requestsLost = true;
        loop.advance(Duration.ofSeconds(20));
        a.link.requestsLost = false;
        loop.advance(Duration.ofSeconds(6));

        assertThat(a.told).containsExactly("acquired", "lost: the lease could not be renewed for 10 s", "acquired");
    }

    @Test
    void stopping_releases_the_lease_for_the_next() {
        Candidate a = candidate("pod-0", 1);
        PlayedLease.Link denied = server.link();
        denied.watchesFail = true; // it comes by after a while only
        Candidate b = new Candidate(loop, denied, "pod-1", 2, SETTINGS);
        loop.advance(Duration.ofSeconds(30));
        CompletionStage<Void> stopped = a.elector.stop();
        assertThat(a.told).containsExactly("acquired", "lost: this process is stopping");
        loop.advance(Duration.ofMillis(50));
        assertThat(stopped.toCompletableFuture()).isDone();
        assertThat(server.holder()).isEmpty();
        assertThat(server.lease
                        .orElseThrow()
                        .path("spec")
                        .path("leaseDurationSeconds")
                        .asInt())
                .isEqualTo(1);
        loop.advance(Duration.ofMillis(2_500));

        assertThat(b.told).containsExactly("acquired");
        assertThat(a.told).hasSize(2);
    }

    @Test
    void stopping_with_the_first_write_under_way_leaves_no_lease_behind() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofMillis(16)); // the create has been handled, its answer is on the way
        assertThat(server.holder()).isEqualTo(a.elector.identity());
        a.elector.stop();
        loop.advance(Duration.ofSeconds(1));

        assertThat(a.told).isEmpty();
        assertThat(server.holder()).isEmpty();
    }

    /** LE-08: a release on an old version is tried once more on a fresh one. */
    @Test
    void le_08_a_release_that_conflicts_with_our_own_renewal_is_repeated_once() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofSeconds(30));
        a.link.before = Optional.of(() -> touch(server));
        CompletionStage<Void> stopped = a.elector.stop();
        loop.advance(Duration.ofMillis(100));

        assertThat(stopped.toCompletableFuture()).isDone();
        assertThat(server.holder()).isEmpty();
    }

    /** LE-08: never another's lock. */
    @Test
    void le_08_a_release_leaves_anothers_lease_alone() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofSeconds(30));
        a.link.before = Optional.of(() -> lease("thief_1", 15, "2026-11-30T12:00:30.000000Z"));
        CompletionStage<Void> stopped = a.elector.stop();
        loop.advance(Duration.ofMillis(100));

        assertThat(stopped.toCompletableFuture()).isDone();
        assertThat(server.holder()).isEqualTo("thief_1");
    }

    /** LE-09: the fence falls at once, before anything is waited for. */
    @Test
    void le_09_the_fence_falls_before_stop_returns() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofSeconds(30));
        a.link.requestsLost = true;
        a.elector.stop();

        assertThat(a.elector.leadUntil()).isEmpty();
        assertThat(a.told).endsWith("lost: this process is stopping");
    }

    /** LE-10: equal names do not make equal identities. */
    @Test
    void le_10_two_replicas_of_one_name_are_told_apart() {
        Candidate a = candidate("pod-0", 1);
        Candidate b = candidate("pod-0", 2);
        loop.advance(Duration.ofMinutes(5));

        assertThat(a.elector.identity()).isNotEqualTo(b.elector.identity());
        assertThat(a.elector.leads() ^ b.elector.leads()).isTrue();
    }

    @Test
    void le_10_an_empty_name_is_refused() {
        assertThatThrownBy(() -> candidate(" ", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs a name");
    }

    @Test
    void a_lost_answer_to_the_first_write_is_found_out_by_reading() {
        Candidate a = candidate("pod-0", 1);
        a.link.answersLost = true;
        loop.advance(Duration.ofSeconds(4));
        assertThat(a.told).isEmpty();
        a.link.answersLost = false;
        loop.advance(Duration.ofSeconds(4));

        assertThat(a.told).containsExactly("acquired");
        assertThat(server.holder()).isEqualTo(a.elector.identity());
    }

    @Test
    void one_lost_answer_to_a_renewal_does_not_cost_the_lead() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofSeconds(30));
        a.link.answersLost = true;
        loop.advance(Duration.ofSeconds(3));
        a.link.answersLost = false;
        loop.advance(Duration.ofSeconds(30));

        assertThat(a.told).containsExactly("acquired");
    }

    @Test
    void a_lease_deleted_under_the_leader_is_made_again() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofSeconds(30));
        server.lease = Optional.empty();
        loop.advance(Duration.ofSeconds(5));

        assertThat(a.told).containsExactly("acquired");
        assertThat(server.holder()).isEqualTo(a.elector.identity());
    }

    @Test
    void a_leader_that_sees_anothers_name_stops_at_once() {
        Candidate a = candidate("pod-0", 1);
        loop.advance(Duration.ofSeconds(30));
        lease("thief_1", 15, "2026-11-30T12:00:30.000000Z");
        loop.advance(Duration.ofMillis(2_500));

        assertThat(a.told).containsExactly("acquired", "lost: the lease is held by thief_1");
    }

    @Test
    void a_busy_server_is_asked_again_at_the_usual_pace() {
        Candidate a = candidate("pod-0", 1);
        a.link.refuse = Optional.of(new KubeError.Busy(429, Optional.empty(), "too many requests"));
        loop.advance(Duration.ofSeconds(60));

        assertThat(a.link.calls).isBetween(20, 32);
        assertThat(a.told).isEmpty();
    }

    @Test
    void fields_of_others_survive() {
        lease("", 1, "2026-11-30T11:59:59.000000Z");
        server.lease.orElseThrow().withObject("/spec").put("strategy", "OldestEmulationVersion");
        candidate("pod-0", 1);
        loop.advance(Duration.ofSeconds(10));

        assertThat(server.lease.orElseThrow().path("spec").path("strategy").asString())
                .isEqualTo("OldestEmulationVersion");
    }

    @Test
    void settings_that_contradict_each_other_are_refused() {
        assertThatThrownBy(() -> new ElectionSettings(
                        SETTINGS.lease(),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT10S must be longer than renew deadline PT10S and margin PT2S");
    }

    private Candidate candidate(String name, long seed) {
        return new Candidate(loop, name, seed, SETTINGS);
    }

    private void lease(String holder, int seconds, String renewTime) {
        ObjectNode lease = server.lease.orElseGet(() -> JsonMapper.shared().createObjectNode());
        lease.withObject("/metadata").put("uid", "U1").put("name", "kip-controller");
        lease.withObject("/spec")
                .put("holderIdentity", holder)
                .put("leaseDurationSeconds", seconds)
                .put("renewTime", renewTime);
        server.put(lease);
    }

    private static void touch(PlayedLease server) {
        server.put(server.lease.orElseThrow());
    }

    private final class Candidate implements Leadership {

        final PlayedLease.Link link;
        final List<String> told = new ArrayList<>();
        final LeaderElector elector;

        Candidate(Loop machine, String name, long seed, ElectionSettings settings) {
            this(machine, server.link(), name, seed, settings);
        }

        Candidate(Loop machine, PlayedLease.Link link, String name, long seed, ElectionSettings settings) {
            this.link = link;
            elector = new LeaderElector(link, machine, new SeededEntropy(seed), settings, name, this);
            elector.start();
        }

        @Override
        public void acquired() {
            told.add("acquired");
        }

        @Override
        public void lost(String why) {
            told.add("lost: " + why);
        }

        @Override
        public void refused(Optional<String> why) {
            told.add(why.map(text -> "refused: " + text).orElse("refused no more"));
        }
    }
}
