package dev.kip.cloud;

import com.google.common.collect.ImmutableList;
import dev.kip.outcome.Outcome;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Small objects in the cloud, outside any cluster, each replaced by compare-and-swap only. Reads see the last write. Every
 * method sends exactly one request and returns at once; its stage completes on the loop, never exceptionally. Called on
 * the loop.
 */
public interface AnchorStore {

    /** Where the objects are, for people: {@code s3://bucket/prefix} or {@code dynamodb://table}. */
    String location();

    /** @param key of letters, digits, {@code - _ . /}; at most 200 characters */
    CompletionStage<Outcome<Reading, CloudError>> read(String key);

    /**
     * Writes {@code content} if the object is still as expected; else answers {@link CloudError.Changed} and nothing was
     * done.
     *
     * @param content at most 64 KB; may hold keys: it is written encrypted at rest and never logged
     * @param expected the version last read or written; empty if there must be no object of that key
     */
    CompletionStage<Outcome<Written, CloudError>> write(String key, String content, Optional<String> expected);

    /** Deletes it if it is still of that version; one that is gone already answers {@link CloudError.NotFound}. */
    CompletionStage<Outcome<Boolean, CloudError>> delete(String key, String version);

    /** One page of the keys that begin with {@code prefix}, sorted within the page; a page may be empty and not the last. */
    CompletionStage<Outcome<KeyPage, CloudError>> list(String prefix, String pageToken);

    /**
     * What was read.
     *
     * @param object empty if there is none
     * @param serverTime of the answer, by the store's clock (the {@code Date} header)
     */
    record Reading(Optional<Anchored> object, Instant serverTime) {}

    /** @param version names this content of this key; compared only for equality */
    record Anchored(String content, String version) {

        /** The content may hold keys. */
        @Override
        public String toString() {
            return "Anchored[version=" + version + "]";
        }
    }

    /** @param serverTime of the answer, by the store's clock */
    record Written(String version, Instant serverTime) {}

    /** @param nextToken empty on the last page */
    record KeyPage(ImmutableList<String> keys, String nextToken) {}
}
