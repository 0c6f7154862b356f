package dev.kip.sim.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSortedSet;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.AnchorStore.Anchored;
import dev.kip.cloud.AnchorStore.KeyPage;
import dev.kip.cloud.AnchorStore.Reading;
import dev.kip.cloud.AnchorStore.Written;
import dev.kip.cloud.CloudError;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What Kip relies on of a store for its anchor, whichever it is. */
abstract class AnchorSuite {

    private static final String KEY = "installations/abc/shards/kip-0";

    /** A store with nothing in it. */
    abstract AnchorStore store();

    /** A store that cannot be there: its bucket or table is missing. */
    abstract AnchorStore nowhere();

    /** Waits for the answer: lets virtual time pass, or does nothing where the call has been made already. */
    abstract <T> Outcome<T, CloudError> await(CompletionStage<Outcome<T, CloudError>> stage);

    final <T> T ok(CompletionStage<Outcome<T, CloudError>> stage) {
        Outcome<T, CloudError> outcome = await(stage);
        assertThat(outcome.error()).isEmpty();
        return outcome.value().orElseThrow();
    }

    final <T> CloudError failed(CompletionStage<Outcome<T, CloudError>> stage) {
        Outcome<T, CloudError> outcome = await(stage);
        assertThat(outcome.value()).isEmpty();
        return outcome.error().orElseThrow();
    }

    @Test
    void what_was_never_written_reads_as_nothing_and_the_store_tells_its_time() {
        Reading first = ok(store().read(KEY));
        Reading second = ok(store().read(KEY));

        assertThat(first.object()).isEmpty();
        assertThat(Duration.between(first.serverTime(), second.serverTime()))
                .isBetween(Duration.ZERO, Duration.ofSeconds(10));
    }

    @Test
    void a_write_is_read_back_with_its_version_and_whatever_its_letters() {
        String content = "{\"keys\":\"ça va, 鍵 \\u0000 <&>\"}\n";

        Written written = ok(store().write(KEY, content, Optional.empty()));

        assertThat(ok(store().read(KEY)).object()).contains(new Anchored(content, written.version()));
    }

    @Test
    void nothing_is_written_over_what_was_not_expected() {
        String first = ok(store().write(KEY, "one", Optional.empty())).version();

        assertThat(failed(store().write(KEY, "other", Optional.empty()))).isInstanceOf(CloudError.Changed.class);
        String second = ok(store().write(KEY, "two", Optional.of(first))).version();
        assertThat(second).isNotEqualTo(first);
        assertThat(failed(store().write(KEY, "late", Optional.of(first)))).isInstanceOf(CloudError.Changed.class);
        assertThat(ok(store().read(KEY)).object()).contains(new Anchored("two", second));
    }

    @Test
    void what_is_gone_has_changed_for_who_expects_a_version() {
        String version = ok(store().write(KEY, "one", Optional.empty())).version();
        assertThat(ok(store().delete(KEY, version))).isTrue();

        assertThat(failed(store().write(KEY, "two", Optional.of(version)))).isInstanceOf(CloudError.Changed.class);
        assertThat(ok(store().read(KEY)).object()).isEmpty();
        ok(store().write(KEY, "again", Optional.empty()));
    }

    @Test
    void only_the_expected_version_is_deleted() {
        String first = ok(store().write(KEY, "one", Optional.empty())).version();
        String second = ok(store().write(KEY, "two", Optional.of(first))).version();

        assertThat(failed(store().delete(KEY, first))).isInstanceOf(CloudError.Changed.class);
        assertThat(ok(store().read(KEY)).object()).isPresent();
        assertThat(ok(store().delete(KEY, second))).isTrue();
        assertThat(failed(store().delete(KEY, second))).isInstanceOf(CloudError.NotFound.class);
    }

    @Test
    void keys_are_listed_by_what_they_begin_with() {
        for (String key : new String[] {"names/a/kip-0", "names/a/kip-1", "names/b/kip-0", "clusters/1/a"}) {
            ok(store().write(key, "abc", Optional.empty()));
        }

        assertThat(listed("names/a/")).containsExactly("names/a/kip-0", "names/a/kip-1");
        assertThat(listed("names/")).hasSize(3);
        assertThat(listed("")).hasSize(4);
        assertThat(listed("none/")).isEmpty();
    }

    final ImmutableSortedSet<String> listed(String prefix) {
        ImmutableSortedSet.Builder<String> keys = ImmutableSortedSet.naturalOrder();
        String token = "";
        do {
            KeyPage page = ok(store().list(prefix, token));
            keys.addAll(page.keys());
            token = page.nextToken();
        } while (!token.isEmpty());
        return keys.build();
    }

    @Test
    void sixty_four_kilobytes_fit() {
        String content = "x".repeat(64 * 1024);

        ok(store().write(KEY, content, Optional.empty()));

        assertThat(ok(store().read(KEY)).object().orElseThrow().content()).isEqualTo(content);
    }

    @Test
    void a_store_that_is_not_there_is_not_found_and_never_takes_for_empty() {
        assertThat(failed(nowhere().read(KEY))).isInstanceOf(CloudError.NotFound.class);
        assertThat(failed(nowhere().list("", ""))).isInstanceOf(CloudError.NotFound.class);
        assertThat(failed(nowhere().write(KEY, "one", Optional.empty()))).isInstanceOf(CloudError.NotFound.class);
    }
}
