package dev.kip.sim.apiserver.discovery;

import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/**
 * An answer to a GET that clients cache.
 *
 * @param status 200, or 304 with an empty body
 * @param headers with {@code Content-Type} and {@code ETag}
 */
public record Document(int status, ImmutableMap<String, String> headers, String body) {

    /** The ETag of a body as the real server makes it: 128 hex digits, without quotes. */
    public static String digest(String body) {
        return Hashing.sha512()
                .hashString(body, StandardCharsets.UTF_8)
                .toString()
                .toUpperCase(Locale.ROOT);
    }

    /** An answer for whoever holds the version named by {@code ifNoneMatch}. */
    static Document of(String body, String digest, String contentType, Optional<String> ifNoneMatch) {
        ImmutableMap<String, String> headers = ImmutableMap.of(
                "Content-Type", contentType, "ETag", "\"" + digest + "\"", "Vary", "Accept", "Cache-Control", "public");
        boolean same = ifNoneMatch.filter(tags -> tags.contains(digest)).isPresent();
        return same ? new Document(304, headers, "") : new Document(200, headers, body);
    }
}
