package dev.kip.controller.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.kip.controller.ControllerSettings.OnClusterRecreated;
import dev.kip.controller.ControllerSettings.OnLostKeys;
import dev.kip.controller.ControllerSettings.OwnershipSettings;
import dev.kip.controller.ownership.Findings.Anchor;
import dev.kip.controller.ownership.Findings.Glimpse;
import dev.kip.controller.ownership.Findings.Here;
import dev.kip.controller.ownership.Findings.KeysSecret;
import dev.kip.controller.ownership.Findings.Seen;
import dev.kip.controller.ownership.Findings.Via;
import dev.kip.controller.ownership.ShardAnchor.State;
import dev.kip.controller.ownership.Verdict.Begin;
import dev.kip.controller.ownership.Verdict.ClusterRecreated;
import dev.kip.controller.ownership.Verdict.Hold;
import dev.kip.controller.ownership.Verdict.StillHeld;
import dev.kip.crd.InstallationSpec;
import dev.kip.crd.InstallationSpec.Shard;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each cell of the matrix: what is found, and what is made of it. */
class MatrixTest {

    private static final String ID = "aaaaaaaaaaaaaaaaaaaaaaaaaa";
    private static final String OTHER = "bbbbbbbbbbbbbbbbbbbbbbbbbb";
    private static final String PLACE = "s3://bucket/kip";
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    private static final Duration PATIENCE = Duration.ofSeconds(17);

    /** What was found, part by part; starts as an installation at epoch 3 in good order. */
    private static final class Found {

        private Optional<InstallationSpec> record = Optional.of(recordOf("cluster-1", 3, "n3", PLACE));
        private Optional<KeysSecret> keys = Optional.of(new KeysSecret(ID, ImmutableMap.of()));
        private Optional<Identity> identity = Optional.of(identityOf(ID, "cluster-1"));
        private Optional<ShardAnchor> shard =
                Optional.of(shardOf(3, State.RELEASED, "n3", NOW.minusSeconds(60), "100"));
        private boolean changed;
        private Duration unchangedFor = Duration.ZERO;
        private Via via = Via.RECORD;
        private String version = "200";
        private Optional<Glimpse> glimpse = Optional.empty();
        private Optional<String> adopt = Optional.empty();
        private OnClusterRecreated recreated = OnClusterRecreated.REPORT;
        private OnLostKeys lostKeys = OnLostKeys.STOP;
        private Optional<Anchor> anchor = Optional.empty();
        private Here here = new Here("kip", "cluster-1", Optional.of("111"), "us-east-1", "vpc-1");
        private ImmutableSet<String> own = ImmutableSet.of();

        Findings all() {
            Anchor read = anchor.orElseGet(() -> new Anchor.Read(
                    PLACE,
                    identity,
                    identity.map(known -> "v1"),
                    shard.map(known -> new Seen(known, "v9", changed, unchangedFor)),
                    NOW));
            return new Findings(
                    here,
                    new OwnershipSettings(adopt, recreated, lostKeys),
                    record,
                    keys,
                    via,
                    read,
                    version,
                    glimpse,
                    PATIENCE,
                    own);
        }

        Verdict decide() {
            return Matrix.decide(all());
        }

        Found noRecord() {
            record = Optional.empty();
            via = keys.isPresent() ? Via.SECRET : Via.CLUSTER_POINTER;
            return this;
        }

        Found nothingInCluster(Via how) {
            record = Optional.empty();
            keys = Optional.empty();
            via = how;
            return this;
        }

        Found noAnchor() {
            anchor = Optional.of(new Anchor.None());
            record = record.map(known -> known.withAnchor(""));
            return this;
        }

        Found emptyAnchor() {
            identity = Optional.empty();
            shard = Optional.empty();
            return this;
        }
    }

    private static InstallationSpec recordOf(String cluster, long epoch, String nonce, String anchor) {
        return new InstallationSpec(
                ID,
                epoch,
                cluster,
                "111",
                "us-east-1",
                "vpc-1",
                anchor,
                false,
                "kip-0",
                ImmutableList.of(new Shard("kip", epoch, "kip-0", nonce, false)));
    }

    private static Identity identityOf(String id, String cluster) {
        return new Identity(id, cluster, "111", "us-east-1", "vpc-1", "kip", ImmutableMap.of("k", "v"), "");
    }

    private static ShardAnchor shardOf(long epoch, State state, String nonce, Instant renewed, String mark) {
        long confirmed = state == State.CLAIMED ? epoch - 1 : epoch;
        return new ShardAnchor(epoch, state, confirmed, nonce, "cluster-1", "kip-0", renewed, mark);
    }

    private static void assertVerdict(Verdict verdict, String name, boolean acts) {
        assertThat(verdict.name()).as(verdict.because()).isEqualTo(name);
        assertThat(verdict instanceof Begin).isEqualTo(acts);
        assertThat(verdict.because()).isNotBlank();
        if (verdict instanceof Hold hold) {
            assertThat(hold.remedy()).isNotBlank();
            assertThat(hold.again()).isPositive();
        }
    }

    private static void assertReconciles(Verdict verdict, boolean reconciles) {
        assertThat(((Begin) verdict).reconciles()).isEqualTo(reconciles);
    }

    @Test
    void record_and_anchor_of_the_same_epoch_are_normal() {
        Verdict verdict = new Found().decide();

        assertVerdict(verdict, "Normal", true);
        assertReconciles(verdict, false);
    }

    @Test
    void a_record_without_any_anchor_is_normal() {
        assertVerdict(new Found().noAnchor().decide(), "Normal", true);
    }

    @Test
    void an_anchor_that_was_just_configured_is_normal() {
        Found found = new Found().emptyAnchor();
        found.record = found.record.map(record -> record.withAnchor(""));

        assertVerdict(found.decide(), "Normal", true);
    }

    @Test
    void a_shard_that_is_new_to_a_known_installation_is_normal() {
        Found found = new Found();
        found.here = new Here("second", "cluster-1", Optional.of("111"), "us-east-1", "vpc-1");
        found.shard = Optional.empty();

        assertVerdict(found.decide(), "Normal", true);
    }

    @ParameterizedTest
    @CsvSource({"2, n2, 200", "2, n3, 200", "3, other, 200", "3, n3, 99", "0, n0, 200"})
    void a_record_or_a_cluster_behind_the_anchor_was_restored_from_a_backup(long epoch, String nonce, String version) {
        Found found = new Found();
        found.record = Optional.of(recordOf("cluster-1", epoch, nonce, PLACE));
        found.version = version;

        Verdict verdict = found.decide();

        assertVerdict(verdict, "TimeTravel", true);
        assertReconciles(verdict, true);
    }

    @ParameterizedTest
    @CsvSource({"'', 100", "200, ''", "abc, 100", "200, abc", "100, 100"})
    void versions_that_cannot_be_compared_and_equal_ones_accuse_nobody(String version, String mark) {
        Found found = new Found();
        found.version = version;
        found.shard = Optional.of(shardOf(3, State.RELEASED, "n3", NOW.minusSeconds(60), mark));

        assertVerdict(found.decide(), "Normal", true);
    }

    @Test
    void a_claim_that_was_never_confirmed_has_changed_nothing() {
        Found found = new Found();
        found.shard = Optional.of(shardOf(4, State.CLAIMED, "n4", NOW, "100"));

        assertVerdict(found.decide(), "Normal", true);
        assertThat(found.all().highestEpoch())
                .as("the next one takes an epoch above it")
                .isEqualTo(4);
    }

    @Test
    void a_claim_in_a_restored_cluster_hides_no_time_travel() {
        Found found = new Found();
        found.record = Optional.of(recordOf("cluster-1", 2, "n2", PLACE));
        found.shard = Optional.of(shardOf(4, State.CLAIMED, "n4", NOW, "100"));

        assertVerdict(found.decide(), "TimeTravel", true);
    }

    @Test
    void whoever_was_renewed_a_moment_ago_is_given_the_time_to_show_that_it_lives() {
        Found found = new Found();
        found.shard = Optional.of(shardOf(3, State.CONFIRMED, "n3", NOW.minusSeconds(5), "100"));

        Verdict verdict = found.decide();

        assertVerdict(verdict, "StillHeld", false);
        assertThat(((StillHeld) verdict).again()).isEqualTo(Duration.ofSeconds(12));
    }

    @Test
    void a_renewal_from_a_clock_that_is_ahead_is_waited_for_no_longer_than_a_plain_one() {
        Found found = new Found();
        found.shard = Optional.of(shardOf(3, State.CONFIRMED, "n3", NOW.plusSeconds(3600), "100"));

        assertThat(((StillHeld) found.decide()).again()).isEqualTo(PATIENCE);
        assertThat(((StillHeld) found.decide()).remedy()).contains("clock of whoever wrote it");
    }

    @Test
    void a_renewal_from_the_future_that_nobody_repeats_holds_nobody_up_for_ever() {
        Found found = new Found();
        found.shard = Optional.of(shardOf(3, State.CONFIRMED, "n3", NOW.plusSeconds(3600), "100"));
        found.unchangedFor = PATIENCE.minusSeconds(1);

        assertThat(((StillHeld) found.decide()).again()).isEqualTo(Duration.ofSeconds(1));
        found.unchangedFor = PATIENCE;
        assertVerdict(found.decide(), "Normal", true);
    }

    @Test
    void an_anchor_that_is_taken_out_of_the_configuration_or_replaced_stops_everything_until_it_is_left_on_purpose() {
        Found removed = new Found();
        removed.anchor = Optional.of(new Anchor.None());
        Found replaced = new Found().emptyAnchor();
        replaced.record = replaced.record.map(record -> record.withAnchor("s3://elsewhere/kip"));

        assertVerdict(removed.decide(), "Contradiction", false);
        assertThat(((Hold) removed.decide()).remedy()).contains(PLACE, "spec.anchor");
        assertVerdict(replaced.decide(), "Contradiction", false);
        assertThat(((Hold) replaced.decide()).remedy()).contains("s3://elsewhere/kip");

        removed.record = removed.record.map(record -> record.withAnchor(""));
        replaced.record = replaced.record.map(record -> record.withAnchor(""));
        assertVerdict(removed.decide(), "Normal", true);
        assertVerdict(replaced.decide(), "Normal", true);
    }

    @Test
    void whoever_renews_while_it_is_waited_is_a_clone_or_the_other_half_of_a_split() {
        Found found = new Found();
        found.shard = Optional.of(shardOf(3, State.CONFIRMED, "n3", NOW.minusSeconds(5), "100"));
        found.changed = true;

        assertVerdict(found.decide(), "CloneOrSplit", false);
    }

    @Test
    void whoever_has_not_renewed_for_long_enough_is_gone() {
        Found found = new Found();
        found.shard = Optional.of(shardOf(3, State.CONFIRMED, "n3", NOW.minus(PATIENCE), "100"));
        found.changed = true;

        assertVerdict(found.decide(), "Normal", true);
    }

    @Test
    void an_earlier_turn_of_this_very_process_is_not_waited_for() {
        Found found = new Found();
        found.shard = Optional.of(shardOf(3, State.CONFIRMED, "n3", NOW, "100"));
        found.own = ImmutableSet.of("n3");

        assertVerdict(found.decide(), "Normal", true);
    }

    @ParameterizedTest
    @EnumSource(
            value = Via.class,
            names = {"RECORD", "SECRET", "CONFIGURATION", "CLUSTER_POINTER"})
    void a_clone_is_noticed_however_the_installation_was_found(Via via) {
        Found found = new Found();
        if (via != Via.RECORD) {
            found.nothingInCluster(via);
        }
        if (via == Via.SECRET) {
            found.keys = Optional.of(new KeysSecret(ID, ImmutableMap.of()));
        }
        if (via == Via.CONFIGURATION) {
            found.adopt = Optional.of(ID);
        }
        found.shard = Optional.of(shardOf(3, State.CONFIRMED, "n3", NOW.minusSeconds(5), "100"));
        found.changed = true;

        assertVerdict(found.decide(), "CloneOrSplit", false);
    }

    @Test
    void a_lost_record_is_rebuilt_from_the_secret() {
        Verdict verdict = new Found().noRecord().decide();

        assertVerdict(verdict, "RecordLost", true);
        assertReconciles(verdict, true);
    }

    @Test
    void a_lost_record_is_rebuilt_from_the_secret_even_without_an_anchor() {
        Found found = new Found().noRecord().noAnchor();
        found.glimpse = Optional.of(new Glimpse(2, 3));

        Verdict verdict = found.decide();

        assertVerdict(verdict, "RecordLost", true);
        assertReconciles(verdict, true);
        assertThat(found.all().highestEpoch()).isEqualTo(3);
    }

    @Test
    void record_and_secret_lost_together_are_rebuilt_from_the_anchor() {
        Found found = new Found().nothingInCluster(Via.CLUSTER_POINTER);

        assertVerdict(found.decide(), "RecordLost", true);
        assertThat(found.all().installationId()).contains(ID);
    }

    @Test
    void a_first_start_that_was_cut_off_goes_on_under_the_same_id() {
        Found afterSecret = new Found().noRecord().noAnchor();
        afterSecret.glimpse = Optional.of(new Glimpse(0, 0));
        Found afterClaim = new Found().noRecord();
        afterClaim.shard = Optional.of(shardOf(1, State.CLAIMED, "n1", NOW, ""));

        assertVerdict(afterSecret.decide(), "FirstStart", true);
        assertThat(afterSecret.all().installationId()).contains(ID);
        assertVerdict(afterClaim.decide(), "FirstStart", true);
    }

    @Test
    void nothing_anywhere_is_a_first_start() {
        Found found = new Found().nothingInCluster(Via.NOTHING).emptyAnchor();

        Verdict verdict = found.decide();

        assertVerdict(verdict, "FirstStart", true);
        assertReconciles(verdict, false);
        assertVerdict(new Found().nothingInCluster(Via.NOTHING).noAnchor().decide(), "FirstStart", true);
    }

    @Test
    void an_installation_of_this_name_in_another_cluster_is_reported() {
        Found found = new Found().nothingInCluster(Via.NAME_POINTER);
        found.identity = Optional.of(identityOf(OTHER, "cluster-0"));

        Verdict verdict = found.decide();

        assertVerdict(verdict, "ClusterRecreated", true);
        assertThat(((ClusterRecreated) verdict).rejoin()).isFalse();
        assertThat(((ClusterRecreated) verdict).installationId()).isEqualTo(OTHER);
        assertReconciles(verdict, false);
    }

    @Test
    void one_that_lives_or_is_elsewhere_keeps_nobody_from_beginning() {
        Found found = new Found().nothingInCluster(Via.NAME_POINTER);
        found.identity = Optional.of(
                new Identity(OTHER, "cluster-0", "999", "eu-west-1", "vpc-9", "kip", ImmutableMap.of("k", "v"), ""));
        found.shard = Optional.of(shardOf(9, State.CONFIRMED, "n9", NOW, ""));
        found.changed = true;

        assertVerdict(found.decide(), "ClusterRecreated", true);
    }

    @Test
    void by_policy_or_by_name_it_is_taken_over() {
        Found policy = new Found().nothingInCluster(Via.NAME_POINTER);
        policy.identity = Optional.of(identityOf(ID, "cluster-0"));
        policy.recreated = OnClusterRecreated.REJOIN;
        Found named = new Found().nothingInCluster(Via.CONFIGURATION);
        named.identity = Optional.of(identityOf(ID, "cluster-0"));
        named.adopt = Optional.of(ID);

        for (Found found : ImmutableList.of(policy, named)) {
            Verdict verdict = found.decide();
            assertVerdict(verdict, "ClusterRecreated", true);
            assertThat(((ClusterRecreated) verdict).rejoin()).isTrue();
            assertReconciles(verdict, true);
        }
    }

    @Test
    void nobody_rejoins_an_installation_that_another_cluster_acts_for() {
        Found found = new Found().nothingInCluster(Via.NAME_POINTER);
        found.identity = Optional.of(identityOf(ID, "cluster-0"));
        found.recreated = OnClusterRecreated.REJOIN;
        found.shard = Optional.of(shardOf(3, State.CONFIRMED, "n3", NOW.minusSeconds(1), "100"));

        assertVerdict(found.decide(), "StillHeld", false);
        found.changed = true;
        Verdict verdict = found.decide();
        assertVerdict(verdict, "CloneOrSplit", false);
        assertThat(((Hold) verdict).remedy())
                .contains("ownership.onClusterRecreated")
                .doesNotContain("delete its Installation");
    }

    @Test
    void a_record_that_was_restored_into_another_cluster_acts_only_if_an_operator_says_so() {
        Found found = new Found();
        found.here = new Here("kip", "cluster-2", Optional.of("111"), "us-east-1", "vpc-1");

        assertVerdict(found.decide(), "Contradiction", false);
        found.adopt = Optional.of(ID);
        Verdict verdict = found.decide();
        assertVerdict(verdict, "ClusterRecreated", true);
        assertReconciles(verdict, true);
    }

    @Test
    void a_record_of_what_another_cluster_has_taken_over_acts_no_more() {
        Found found = new Found();
        found.identity = Optional.of(identityOf(ID, "cluster-2"));

        assertVerdict(found.decide(), "Contradiction", false);
    }

    @Test
    void an_anchor_that_lost_everything_or_the_shard_is_written_anew() {
        Found lostShard = new Found();
        lostShard.shard = Optional.empty();
        Found lostIdentity = new Found();
        lostIdentity.identity = Optional.empty();

        for (Found found : ImmutableList.of(new Found().emptyAnchor(), lostShard, lostIdentity)) {
            Verdict verdict = found.decide();
            assertVerdict(verdict, "AnchorLost", true);
            assertReconciles(verdict, false);
        }
    }

    @Test
    void anchor_and_record_lost_together_are_reconciled() {
        Found found = new Found().noRecord().emptyAnchor();
        found.glimpse = Optional.of(new Glimpse(1, 3));

        Verdict verdict = found.decide();

        assertVerdict(verdict, "RecordLost", true);
        assertReconciles(verdict, true);
    }

    @Test
    void an_anchor_that_does_not_answer_holds_everything_up() {
        Found found = new Found();
        found.anchor = Optional.of(new Anchor.Unreachable(PLACE, "403"));

        assertVerdict(found.decide(), "AnchorUnreachable", false);
    }

    @ParameterizedTest
    @CsvSource({"999, us-east-1, vpc-1", "111, eu-west-1, vpc-1", "111, us-east-1, vpc-2"})
    void another_account_region_or_vpc_is_refused(String account, String region, String vpc) {
        Here elsewhere = new Here("kip", "cluster-1", Optional.of(account), region, vpc);
        Found known = new Found();
        known.here = elsewhere;
        Found lost = new Found().nothingInCluster(Via.CLUSTER_POINTER);
        lost.here = elsewhere;
        Found unanchored = new Found().noAnchor();
        unanchored.here = elsewhere;

        for (Found found : ImmutableList.of(known, lost, unanchored)) {
            assertVerdict(found.decide(), "FingerprintMismatch", false);
        }
    }

    @Test
    void what_a_later_version_has_kept_is_left_alone() {
        Found found = new Found();
        found.record = found.record.map(known -> new InstallationSpec(
                known.installationID(),
                known.epoch(),
                known.clusterUID(),
                known.account(),
                known.region(),
                known.vpc(),
                known.anchor(),
                known.draining(),
                known.holder(),
                known.shards(),
                InstallationSpec.PROTOCOL + 1));

        assertVerdict(found.decide(), "LaterProtocol", false);
    }

    @Test
    void an_account_that_is_not_known_is_not_compared() {
        Found found = new Found();
        found.here = new Here("kip", "cluster-1", Optional.empty(), "us-east-1", "vpc-1");

        assertVerdict(found.decide(), "Normal", true);
    }

    @Test
    void lost_keys_come_back_from_the_anchor() {
        Found found = new Found();
        found.keys = Optional.empty();

        assertVerdict(found.decide(), "Normal", true);
    }

    @Test
    void lost_keys_that_nobody_has_stop_everything_unless_nothing_lives_or_an_operator_says_so() {
        Found found = new Found().noAnchor();
        found.keys = Optional.empty();
        found.glimpse = Optional.of(new Glimpse(2, 3));

        assertVerdict(found.decide(), "KeysLost", false);
        found.lostKeys = OnLostKeys.REKEY;
        assertVerdict(found.decide(), "Normal", true);
        found.lostKeys = OnLostKeys.STOP;
        found.glimpse = Optional.of(new Glimpse(0, 3));
        assertVerdict(found.decide(), "Normal", true);
    }

    @Test
    void keys_of_another_installation_are_not_used() {
        Found found = new Found();
        found.keys = Optional.of(new KeysSecret(OTHER, ImmutableMap.of()));

        Verdict verdict = found.decide();
        assertVerdict(verdict, "Contradiction", false);
        assertThat(((Verdict.Hold) verdict).remedy())
                .as("the record may have been edited as well as the Secret replaced")
                .contains("set it back to " + OTHER);
    }

    @Test
    void keys_that_an_early_version_wrote_say_no_id_and_are_used() {
        Found found = new Found();
        found.keys = Optional.of(new KeysSecret("", ImmutableMap.of()));

        assertVerdict(found.decide(), "Normal", true);
    }

    @Test
    void what_is_to_be_adopted_must_be_known_and_must_not_be_beside_another() {
        Found beside = new Found();
        beside.adopt = Optional.of(OTHER);
        Found unknown = new Found().nothingInCluster(Via.CONFIGURATION).emptyAnchor();
        unknown.adopt = Optional.of(OTHER);
        Found unanchored = new Found().nothingInCluster(Via.NOTHING).noAnchor();
        unanchored.adopt = Optional.of(OTHER);
        Found done = new Found();
        done.adopt = Optional.of(ID);

        assertVerdict(beside.decide(), "Contradiction", false);
        assertVerdict(unknown.decide(), "Contradiction", false);
        assertVerdict(unanchored.decide(), "Contradiction", false);
        assertVerdict(done.decide(), "Normal", true);
    }

    @Test
    void what_forbids_to_act_wins_over_what_allows_it() {
        Found found = new Found();
        found.record = Optional.of(recordOf("cluster-1", 2, "n2", PLACE));
        found.shard = Optional.of(shardOf(3, State.CONFIRMED, "n3", NOW, "100"));
        found.changed = true;

        assertVerdict(found.decide(), "CloneOrSplit", false);
    }

    @Test
    void identity_and_shard_survive_writing_and_reading_and_nonsense_is_neither() {
        Identity identity = identityOf(ID, "cluster-1");
        ShardAnchor shard = shardOf(3, State.CLAIMED, "n3", NOW, "100");

        assertThat(Identity.parse(identity.toJson())).contains(identity);
        assertThat(identity.toString()).doesNotContain("keys");
        assertThat(ShardAnchor.parse(shard.toJson())).contains(shard);
        for (String nonsense : ImmutableList.of(
                "",
                "<html>",
                "{}",
                "[]",
                "{\"state\":\"asleep\"}",
                "null",
                "{\"epoch\":1,\"state\":null,\"confirmed\":1,\"renewedAt\":null}")) {
            assertThat(Identity.parse(nonsense)).isEmpty();
            assertThat(ShardAnchor.parse(nonsense)).isEmpty();
        }
    }
}
