package dev.kip.kube;

/**
 * What to list.
 *
 * @param namespace empty for all
 * @param resourceVersion empty for a quorum read, {@code 0} for whatever the server's cache has
 * @param limit items per page; 0 for no limit
 * @param continueToken empty for the first page
 */
public record ListQuery(
        String namespace,
        String labelSelector,
        String fieldSelector,
        String resourceVersion,
        int limit,
        String continueToken) {

    public static final ListQuery ALL = new ListQuery("", "", "", "", 0, "");

    public ListQuery labels(String selector) {
        return new ListQuery(namespace, selector, fieldSelector, resourceVersion, limit, continueToken);
    }

    public ListQuery fields(String selector) {
        return new ListQuery(namespace, labelSelector, selector, resourceVersion, limit, continueToken);
    }

    public ListQuery limit(int items) {
        return new ListQuery(namespace, labelSelector, fieldSelector, resourceVersion, items, continueToken);
    }

    public ListQuery continuing(String token) {
        return new ListQuery(namespace, labelSelector, fieldSelector, resourceVersion, limit, token);
    }

    public ListQuery at(String version) {
        return new ListQuery(namespace, labelSelector, fieldSelector, version, limit, continueToken);
    }
}
