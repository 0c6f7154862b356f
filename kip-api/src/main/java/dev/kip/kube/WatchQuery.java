package dev.kip.kube;

import java.time.Duration;

/**
 * What to watch. Bookmarks are always asked for.
 *
 * @param timeout the server ends the watch after this long; rounded down to seconds
 * @param webSocket frames over a WebSocket instead of a chunked HTTP body
 */
public record WatchQuery(
        String namespace,
        String labelSelector,
        String fieldSelector,
        String resourceVersion,
        Duration timeout,
        boolean webSocket) {}
