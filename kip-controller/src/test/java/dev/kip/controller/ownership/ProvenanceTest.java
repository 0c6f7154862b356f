package dev.kip.controller.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.Provenance.Kind;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProvenanceTest {

    private static final String OURS = "prod";

    private static InstanceFacts instance(String token, ImmutableMap<String, String> tags) {
        return new InstanceFacts(
                "i-1",
                InstanceState.RUNNING,
                "t3.nano",
                "us-east-1a",
                Market.ON_DEMAND,
                Optional.empty(),
                Optional.empty(),
                token,
                0,
                Instant.EPOCH,
                Optional.empty(),
                "",
                tags);
    }

    private static ImmutableMap<String, String> tags(String id, String macOver) {
        return ImmutableMap.of(Tags.INSTALLATION, id, Tags.MAC, "mac of kip" + macOver, Tags.NODE, "kip");
    }

    private static Provenance of(InstanceFacts instance) {
        return Provenance.of(instance, OURS, (node, token) -> Optional.of("mac of " + node + token));
    }

    @Test
    void our_id_and_our_mac_over_its_own_token_are_the_proof() {
        assertThat(of(instance("t1", tags(OURS, "t1"))).kind()).isEqualTo(Kind.OURS_PROVEN);
    }

    @Test
    void each_missing_part_makes_it_suspect_and_is_named() {
        assertThat(of(instance("t2", tags(OURS, "t1"))))
                .matches(found -> found.kind() == Kind.SUSPECT)
                .matches(found -> found.because().contains("copied"));
        assertThat(of(instance("", tags(OURS, "t1"))))
                .matches(found -> found.kind() == Kind.SUSPECT)
                .matches(found -> found.because().contains("no client token"));
        assertThat(of(instance("t1", ImmutableMap.of(Tags.INSTALLATION, OURS))))
                .matches(found -> found.kind() == Kind.SUSPECT)
                .matches(found -> found.because().contains("no tag " + Tags.MAC));
        assertThat(of(instance("t1", ImmutableMap.of(Tags.MAC, "mac of kipt1", Tags.NODE, "kip"))))
                .matches(found -> found.kind() == Kind.SUSPECT)
                .matches(found -> found.because().contains("no tag " + Tags.INSTALLATION));
        assertThat(of(instance("t1", tags("eu-prod", "t1"))).kind()).isEqualTo(Kind.SUSPECT);
        assertThat(of(instance(
                                "t1",
                                ImmutableMap.of(Tags.INSTALLATION, OURS, Tags.MAC, "mac of kipt1", Tags.NODE, "other")))
                        .kind())
                .isEqualTo(Kind.SUSPECT);
    }

    @Test
    void without_keys_nothing_is_proven() {
        Provenance found = Provenance.of(instance("t1", tags(OURS, "t1")), OURS, (node, token) -> Optional.empty());

        assertThat(found.kind()).isEqualTo(Kind.SUSPECT);
        assertThat(found.because()).contains("keys");
    }

    /** GC-06: names matched by suffix. GC-04: a tag that looks alike. */
    @Test
    void an_id_that_ends_or_begins_like_ours_is_not_ours() {
        for (String other : new String[] {"eu-prod", "prod-2", "PROD", "prod "}) {
            assertThat(of(instance("t1", tags(other, "other"))).kind()).isEqualTo(Kind.FOREIGN);
        }
    }

    @Test
    void what_the_original_made_is_legacy_and_what_has_no_id_is_nobodys() {
        assertThat(of(instance("t1", ImmutableMap.of(Tags.INSTALLATION, "abc"))).kind())
                .isEqualTo(Kind.LEGACY);
        assertThat(of(instance("t1", ImmutableMap.of("Name", "web"))).kind()).isEqualTo(Kind.NOBODY);
        assertThat(of(instance("", ImmutableMap.of())).kind()).isEqualTo(Kind.NOBODY);
    }

    @Test
    void an_empty_id_of_ours_claims_nothing() {
        InstanceFacts bare = instance("t1", ImmutableMap.of(Tags.INSTALLATION, "", Tags.MAC, "x"));

        assertThat(Provenance.of(bare, "", (node, token) -> Optional.of("y")).kind())
                .isEqualTo(Kind.NOBODY);
    }

    @Test
    void a_signed_instance_whose_mac_was_taken_off_is_not_taken_for_legacy() {
        InstanceFacts stripped = instance("t1", ImmutableMap.of(Tags.INSTALLATION, "other", Tags.BATCH, "launch-1"));

        assertThat(of(stripped).kind()).isEqualTo(Kind.FOREIGN);
    }
}
