package dev.kip.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import org.junit.jupiter.api.Test;

/** CFG-02: reserved and over-limit tags are dropped in a fixed order with a reason, identity tags never. */
class TagRulesTest {

    @Test
    void reserved_empty_and_overlong_tags_are_dropped_with_a_reason_each() {
        var fitted = TagRules.fit(ImmutableMap.of(
                "aws:x",
                "1",
                "AWS:y",
                "2",
                "",
                "3",
                "long",
                "v".repeat(300),
                "k".repeat(129),
                "5",
                "fine",
                "6",
                "Fine",
                "7"));

        assertThat(fitted.tags()).containsExactly(java.util.Map.entry("fine", "6"), java.util.Map.entry("Fine", "7"));
        assertThat(fitted.dropped()).hasSize(5).first().isEqualTo("tag \"aws:x\": the prefix aws: is reserved");
    }

    @Test
    void of_too_many_tags_the_last_are_dropped_and_never_one_of_identity() {
        ImmutableMap.Builder<String, String> many = ImmutableMap.builder();
        for (int i = 0; i < 60; i++) {
            many.put("label-" + i, "v");
        }
        many.put("kip.elotl.co/installation", "abc").put("KipControllerID", "abc");

        var fitted = TagRules.fit(many.buildOrThrow());

        assertThat(fitted.tags())
                .hasSize(50)
                .containsKeys("kip.elotl.co/installation", "KipControllerID", "label-47")
                .doesNotContainKey("label-48");
        assertThat(fitted.dropped()).hasSize(12);
    }

    @Test
    void an_identity_tag_that_does_not_fit_is_an_error() {
        assertThatThrownBy(() -> TagRules.fit(ImmutableMap.of("kip.elotl.co/mac", "v".repeat(257))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kip.elotl.co/mac");
    }
}
