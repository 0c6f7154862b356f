package dev.kip.sim.s3;

import java.time.Instant;
import java.util.Optional;

/**
 * An object. Part of a snapshot.
 *
 * @param content in base64
 * @param etag in quotes, as it travels
 * @param encryption {@code AES256} or {@code aws:kms}
 */
record StoredObject(
        String content,
        String etag,
        String contentType,
        String encryption,
        Optional<String> kmsKey,
        Instant modified) {}
