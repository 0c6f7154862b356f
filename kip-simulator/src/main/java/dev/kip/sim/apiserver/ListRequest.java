package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableListMultimap;
import dev.kip.sim.apiserver.schema.FieldErrors;
import dev.kip.sim.apiserver.selector.BadSelector;
import dev.kip.sim.apiserver.selector.FieldSelector;
import dev.kip.sim.apiserver.selector.LabelSelector;
import java.util.Optional;

/**
 * The {@code ListOptions} of a list, watch or collection delete.
 *
 * @param resourceVersion empty if not given
 * @param match how to take it; empty if not given
 * @param limit 0 for none
 */
record ListRequest(
        LabelSelector labels,
        FieldSelector fields,
        String resourceVersion,
        String match,
        int limit,
        String continueToken,
        boolean watch,
        boolean bookmarks,
        boolean sendInitialEvents,
        long timeoutSeconds) {

    static final ListRequest ALL =
            new ListRequest(LabelSelector.EVERYTHING, FieldSelector.EVERYTHING, "", "", 0, "", false, false, false, 0);

    static ListRequest of(Resource resource, ImmutableListMultimap<String, String> query) {
        ListRequest request;
        try {
            request = new ListRequest(
                    LabelSelector.parse(first(query, "labelSelector")),
                    FieldSelector.parse(first(query, "fieldSelector"), resource.fields(), resource.custom()),
                    first(query, "resourceVersion"),
                    first(query, "resourceVersionMatch"),
                    (int) Math.min(number(query, "limit"), Integer.MAX_VALUE),
                    first(query, "continue"),
                    flag(query, "watch"),
                    flag(query, "allowWatchBookmarks"),
                    flag(query, "sendInitialEvents"),
                    number(query, "timeoutSeconds"));
        } catch (BadSelector bad) {
            throw Failures.badRequest(bad.text());
        }
        request.check(query.containsKey("sendInitialEvents"));
        return request;
    }

    /** Whether something can be left out of the answer. */
    boolean selects() {
        return !labels.isEverything() || !fields.isEverything();
    }

    /** The one name that can match, if the field selector names it. */
    Optional<String> exactName() {
        return fields.exact("metadata.name");
    }

    private void check(boolean asksForInitialEvents) {
        FieldErrors errors = new FieldErrors();
        if (!match.isEmpty()) {
            if (watch && !asksForInitialEvents) {
                errors.forbidden(
                        "resourceVersionMatch",
                        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
            } else if (!watch && resourceVersion.isEmpty()) {
                errors.forbidden(
                        "resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
            }
            if (!continueToken.isEmpty()) {
                errors.forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
            }
            if (!match.equals("Exact") && !match.equals("NotOlderThan")) {
                errors.notSupported("resourceVersionMatch", match, java.util.List.of("Exact", "NotOlderThan"));
            }
            if (match.equals("Exact") && resourceVersion.equals("0")) {
                errors.forbidden(
                        "resourceVersionMatch",
                        "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"");
            }
        }
        if (asksForInitialEvents && !watch) {
            errors.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
        }
        if (asksForInitialEvents && watch && !match.equals("NotOlderThan")) {
            errors.forbidden(
                    "resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if (!errors.isEmpty()) {
            throw Failures.invalid("meta.k8s.io", "ListOptions", "", errors.causes());
        }
        if (!resourceVersion.isEmpty() && !resourceVersion.matches("[0-9]{1,18}")) {
            throw Failures.badRequest("invalid resource version: resourceVersion: Invalid value: "
                    + FieldErrors.quoted(resourceVersion) + ": strconv.ParseUint: parsing "
                    + FieldErrors.quoted(resourceVersion) + ": invalid syntax");
        }
    }

    private static String first(ImmutableListMultimap<String, String> query, String name) {
        return query.get(name).stream().findFirst().orElse("");
    }

    private static boolean flag(ImmutableListMultimap<String, String> query, String name) {
        String value = first(query, name);
        return query.containsKey(name) && !value.equals("false") && !value.equals("0");
    }

    private static long number(ImmutableListMultimap<String, String> query, String name) {
        String value = first(query, name);
        if (value.isEmpty()) {
            return 0;
        }
        if (!value.matches("-?[0-9]{1,18}")) {
            throw Failures.badRequest("strconv.ParseInt: parsing \"" + value + "\": invalid syntax");
        }
        return Math.max(Long.parseLong(value), 0);
    }
}
