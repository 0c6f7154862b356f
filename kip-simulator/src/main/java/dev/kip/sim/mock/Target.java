package dev.kip.sim.mock;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a request is about, by its path and query.
 *
 * @param namespace empty for all, and for kinds without one
 * @param name empty for a collection
 * @param subresource empty for the object itself
 */
record Target(
        String group,
        String version,
        String plural,
        String namespace,
        String name,
        String subresource,
        ImmutableMap<String, String> query) {

    /** @param uri path and query */
    static Target parse(String uri) {
        int mark = uri.indexOf('?');
        List<String> path = Splitter.on('/').omitEmptyStrings().splitToList(mark < 0 ? uri : uri.substring(0, mark));
        ImmutableMap<String, String> query = parameters(mark < 0 ? "" : uri.substring(mark + 1));
        if (path.isEmpty()) {
            return new Target("", "", "", "", "", "", query);
        }
        boolean core = path.get(0).equals("api");
        String group = core || path.size() < 2 ? "" : path.get(1);
        int at = core ? 2 : 3;
        String version = path.size() >= at ? path.get(at - 1) : "";
        String namespace = "";
        if (path.size() > at + 2 && path.get(at).equals("namespaces")) {
            boolean ofNamespace =
                    path.get(at + 2).equals("status") || path.get(at + 2).equals("finalize");
            if (!ofNamespace) {
                namespace = path.get(at + 1);
                at += 2;
            }
        }
        return new Target(group, version, at(path, at), namespace, at(path, at + 1), at(path, at + 2), query);
    }

    private static String at(List<String> path, int index) {
        return index < path.size() ? path.get(index) : "";
    }

    private static ImmutableMap<String, String> parameters(String text) {
        Map<String, String> query = new LinkedHashMap<>();
        for (String pair : Splitter.on('&').omitEmptyStrings().split(text)) {
            int equals = pair.indexOf('=');
            query.put(
                    decode(equals < 0 ? pair : pair.substring(0, equals)),
                    decode(equals < 0 ? "" : pair.substring(equals + 1)));
        }
        return ImmutableMap.copyOf(query);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** The kind's name across versions, {@code apps/deployments}. */
    String kindKey() {
        return group.isEmpty() ? plural : group + "/" + plural;
    }

    /** The path of the object, without subresource and query. */
    String objectPath() {
        return collectionPath() + "/" + name;
    }

    String collectionPath() {
        return (group.isEmpty() ? "/api/" : "/apis/" + group + "/") + version
                + (namespace.isEmpty() ? "" : "/namespaces/" + namespace) + "/" + plural;
    }

    String query(String key) {
        return query.getOrDefault(key, "");
    }

    boolean isWatch() {
        return query("watch").equals("true") || query("watch").equals("1");
    }

    /** The object of that name in this collection. */
    Target named(String other) {
        return new Target(group, version, plural, namespace, other, "", query);
    }

    /** Where the object lies, whichever namespace the request was for. */
    Target in(String otherNamespace) {
        return new Target(group, version, plural, otherNamespace, name, subresource, query);
    }
}
