package dev.kip.controller.kubelet;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.List;

/** What a request to the kubelet API asks for. */
sealed interface Route {

    /** Whether the server lives. */
    record Health() implements Route {}

    /** The pods bound to the node. */
    record Pods() implements Route {}

    /** Those of them that run. */
    record RunningPods() implements Route {}

    /** Resource use of the node and its pods, as JSON. */
    record Summary() implements Route {}

    /** The same as metrics. */
    record ResourceMetrics() implements Route {}

    /** The controller's own metrics. */
    record OwnMetrics() implements Route {}

    /**
     * For the kubelet of one pod.
     *
     * @param rest the segments after the pod's name: the container, where there is one, maybe after the pod's uid
     */
    record OfPod(Kind kind, String namespace, String pod, ImmutableList<String> rest) implements Route {

        /** The container meant; empty for the whole pod. */
        String container() {
            return rest.isEmpty() ? "" : rest.get(rest.size() - 1);
        }
    }

    /** No such path. */
    record Unknown() implements Route {}

    /** Such a path, not with this method. */
    record WrongMethod() implements Route {}

    /** What can be asked of a pod. */
    enum Kind {
        LOGS("containerLogs", ImmutableSet.of("GET"), 1, 1),
        EXEC("exec", ImmutableSet.of("GET", "POST"), 1, 2),
        ATTACH("attach", ImmutableSet.of("GET", "POST"), 1, 2),
        RUN("run", ImmutableSet.of("POST"), 1, 2),
        PORT_FORWARD("portForward", ImmutableSet.of("GET", "POST"), 0, 1);

        private final String path;
        private final ImmutableSet<String> methods;
        private final int least;
        private final int most;

        Kind(String path, ImmutableSet<String> methods, int least, int most) {
            this.path = path;
            this.methods = methods;
            this.least = least;
            this.most = most;
        }

        String path() {
            return path;
        }
    }

    ImmutableMap<String, Route> PLAIN = ImmutableMap.<String, Route>builder()
            .put("/healthz", new Health())
            .put("/pods", new Pods())
            .put("/runningpods", new RunningPods())
            .put("/stats/summary", new Summary())
            .put("/metrics/resource", new ResourceMetrics())
            .put("/metrics", new OwnMetrics())
            .buildOrThrow();

    /** @param path as sent, without the query */
    static Route of(String method, String path) {
        String trimmed = path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        if (PLAIN.containsKey(trimmed)) {
            boolean read = method.equals("GET") || method.equals("HEAD");
            return read ? PLAIN.getOrDefault(trimmed, new Unknown()) : new WrongMethod();
        }
        List<String> segments = Splitter.on('/').splitToList(trimmed.substring(1));
        for (Kind kind : Kind.values()) {
            int rest = segments.size() - 3;
            if (segments.get(0).equals(kind.path)
                    && rest >= kind.least
                    && rest <= kind.most
                    && segments.stream().allMatch(Route::isName)) {
                return kind.methods.contains(method)
                        ? new OfPod(
                                kind,
                                segments.get(1),
                                segments.get(2),
                                ImmutableList.copyOf(segments.subList(3, segments.size())))
                        : new WrongMethod();
            }
        }
        return new Unknown();
    }

    /** Nothing that would mean something else in the path that the cell is asked for. */
    private static boolean isName(String segment) {
        return segment.matches("[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?");
    }
}
