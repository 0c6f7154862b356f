package dev.kip.controller.kubelet;

import com.google.common.collect.ImmutableList;
import java.util.Locale;

/**
 * What somebody must be allowed for a request, as a kubelet of 1.34 maps it: one of the subresources of the node suffices.
 *
 * @param verb of RBAC
 * @param subresources of nodes, in the order in which they are asked for
 */
record Access(String verb, ImmutableList<String> subresources) {

    static Access to(String method, String path) {
        return new Access(verb(method), subresources(path));
    }

    private static String verb(String method) {
        return switch (method) {
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> "delete";
            default -> "get";
        };
    }

    private static ImmutableList<String> subresources(String path) {
        if (below(path, "/stats")) {
            return ImmutableList.of("stats");
        }
        if (below(path, "/metrics")) {
            return ImmutableList.of("metrics");
        }
        if (below(path, "/logs")) {
            return ImmutableList.of("log");
        }
        if (below(path, "/checkpoint")) {
            return ImmutableList.of("checkpoint");
        }
        if (below(path, "/statusz")) {
            return ImmutableList.of("statusz");
        }
        if (below(path, "/flagz")) {
            return ImmutableList.of("flagz");
        }
        if (below(path, "/healthz")) {
            return ImmutableList.of("healthz", "proxy");
        }
        if (below(path, "/configz")) {
            return ImmutableList.of("configz", "proxy");
        }
        if (below(path, "/pods") || below(path.toLowerCase(Locale.ROOT), "/runningpods")) {
            return ImmutableList.of("pods", "proxy");
        }
        return ImmutableList.of("proxy");
    }

    private static boolean below(String path, String place) {
        return path.equals(place) || path.startsWith(place + "/");
    }
}
