package dev.kip.kube.reflect;

import dev.kip.kube.ListQuery;
import dev.kip.kube.WatchQuery;
import java.time.Duration;

/**
 * What to reflect, and how.
 *
 * @param namespace empty for all
 * @param webSocket watch over WebSocket instead of a chunked stream
 * @param watchTimeout after which the server is asked to end a watch; a dead connection is noticed 15 s later
 * @param relistEvery how often everything is listed anew although the watch lives: heals a picture that went wrong unseen,
 *     as after an etcd restore (kubernetes/kubernetes#107457)
 */
public record ReflectorSettings(
        String namespace,
        String labelSelector,
        String fieldSelector,
        boolean webSocket,
        Duration watchTimeout,
        Duration relistEvery) {

    public static final ReflectorSettings ALL =
            new ReflectorSettings("", "", "", false, Duration.ofSeconds(40), Duration.ofMinutes(10));

    static final int PAGE = 500;

    public ReflectorSettings namespace(String name) {
        return new ReflectorSettings(name, labelSelector, fieldSelector, webSocket, watchTimeout, relistEvery);
    }

    public ReflectorSettings labels(String selector) {
        return new ReflectorSettings(namespace, selector, fieldSelector, webSocket, watchTimeout, relistEvery);
    }

    public ReflectorSettings fields(String selector) {
        return new ReflectorSettings(namespace, labelSelector, selector, webSocket, watchTimeout, relistEvery);
    }

    public ReflectorSettings webSocket(boolean on) {
        return new ReflectorSettings(namespace, labelSelector, fieldSelector, on, watchTimeout, relistEvery);
    }

    public ReflectorSettings watchTimeout(Duration duration) {
        return new ReflectorSettings(namespace, labelSelector, fieldSelector, webSocket, duration, relistEvery);
    }

    public ReflectorSettings relistEvery(Duration duration) {
        return new ReflectorSettings(namespace, labelSelector, fieldSelector, webSocket, watchTimeout, duration);
    }

    ListQuery list() {
        return new ListQuery(namespace, labelSelector, fieldSelector, "", PAGE, "");
    }

    WatchQuery watch(String resourceVersion, Duration timeout) {
        return new WatchQuery(namespace, labelSelector, fieldSelector, resourceVersion, timeout, webSocket);
    }
}
