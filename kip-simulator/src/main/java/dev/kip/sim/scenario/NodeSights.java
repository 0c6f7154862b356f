package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What can be seen of machines. A node is named by glob: what is said must hold of each that matches. */
final class NodeSights {

    private NodeSights() {}

    private static ImmutableList<String> meant(Nodes nodes, String glob) {
        ImmutableList<String> meant = nodes.names().stream()
                .filter(name -> Globs.matches(glob, name))
                .collect(ImmutableList.toImmutableList());
        if (meant.isEmpty()) {
            throw new IllegalStateException("no node is \"" + glob + "\"; there are " + nodes.names());
        }
        return meant;
    }

    private static String on(String glob) {
        return glob.equals("*") ? "" : " on " + glob;
    }

    /** {@code plane: up}: an API server runs on each node; {@code down}: on none. */
    record Plane(String node, boolean up) implements NodeSight {
        @Override
        public String describe() {
            return "the plane is " + (up ? "up" : "down") + on(node);
        }

        @Override
        public boolean holds(Nodes nodes) {
            return meant(nodes, node).stream().allMatch(name -> nodes.serves(name) == up);
        }

        @Override
        public String instead(Nodes nodes) {
            return meant(nodes, node).stream()
                    .map(name -> name + (nodes.serves(name) ? " serves" : " does not serve"))
                    .collect(Collectors.joining(", "));
        }
    }

    /** What runs of a pod. */
    enum Copy {
        POD("pod", true, false),
        CHECKPOINT("checkpoint", false, true),
        BOTH("both", true, true),
        NOTHING("nothing", false, false);

        private final String word;
        private final boolean pod;
        private final boolean checkpoint;

        Copy(String word, boolean pod, boolean checkpoint) {
            this.word = word;
            this.pod = pod;
            this.checkpoint = checkpoint;
        }

        String word() {
            return word;
        }
    }

    /** {@code runs}: of a pod, itself, its checkpoint, both or neither. */
    record Runs(String node, String pod, Copy as) implements NodeSight {
        @Override
        public String describe() {
            return "of " + pod + on(node) + " there runs: " + as.word();
        }

        @Override
        public boolean holds(Nodes nodes) {
            return meant(nodes, node).stream()
                    .allMatch(name -> runs(nodes, name, false) == as.pod && runs(nodes, name, true) == as.checkpoint);
        }

        private boolean runs(Nodes nodes, String name, boolean checkpoint) {
            String suffix = "-" + name;
            return nodes.running(name).stream()
                    .filter(one -> one.endsWith(suffix) == checkpoint)
                    .map(one -> checkpoint ? one.substring(0, one.length() - suffix.length()) : one)
                    .anyMatch(one -> Globs.matches(pod, one));
        }

        @Override
        public String instead(Nodes nodes) {
            return meant(nodes, node).stream()
                    .map(name -> "on " + name + " run " + nodes.running(name))
                    .collect(Collectors.joining("; "));
        }
    }

    /** {@code log}: so many lines of kubelet's that match, on each node. */
    record Logged(String node, String line, int least, int most) implements NodeSight {
        @Override
        public String describe() {
            return "kubelet's log" + on(node) + " has "
                    + (most == 0
                            ? "no line "
                            : most < Integer.MAX_VALUE
                                    ? least + " to " + most + " lines "
                                    : "at least " + least + " line ")
                    + line;
        }

        private long count(Nodes nodes, String name) {
            return nodes.log(name).stream()
                    .filter(one -> Globs.matches(line, one))
                    .count();
        }

        @Override
        public boolean holds(Nodes nodes) {
            return meant(nodes, node).stream()
                    .mapToLong(name -> count(nodes, name))
                    .allMatch(count -> count >= least && count <= most);
        }

        @Override
        public String instead(Nodes nodes) {
            return meant(nodes, node).stream()
                    .map(name -> name + " has " + count(nodes, name) + " of "
                            + nodes.log(name).size() + " lines" + last(nodes, name))
                    .collect(Collectors.joining("; "));
        }

        private static String last(Nodes nodes, String name) {
            ImmutableList<String> log = nodes.log(name);
            return log.isEmpty() ? "" : ", the last is: " + log.get(log.size() - 1);
        }
    }

    /** What a checkpoint on disk is worth. */
    enum Worth {
        COMES_BACK("good"),
        WOULD_NOT("bad"),
        MISSING("none");

        private final String word;

        Worth(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    /** {@code checkpoint}: what {@code kip-checkpointer status} says of each checkpoint that matches. */
    record Stored(String node, String pod, Worth worth) implements NodeSight {
        @Override
        public String describe() {
            return "the checkpoint of " + pod + on(node) + " is " + worth.word();
        }

        private Stream<Map.Entry<String, String>> found(Nodes nodes, String name) {
            return nodes.checkpoints(name).entrySet().stream().filter(one -> Globs.matches(pod, one.getKey()));
        }

        @Override
        public boolean holds(Nodes nodes) {
            return meant(nodes, node).stream().allMatch(name -> {
                boolean none = found(nodes, name).findAny().isEmpty();
                boolean comesBack =
                        found(nodes, name).allMatch(one -> one.getValue().isEmpty());
                return switch (worth) {
                    case MISSING -> none;
                    case COMES_BACK -> !none && comesBack;
                    case WOULD_NOT -> !none && !comesBack;
                };
            });
        }

        @Override
        public String instead(Nodes nodes) {
            return meant(nodes, node).stream()
                    .map(name -> name + " has " + nodes.checkpoints(name))
                    .collect(Collectors.joining("; "));
        }
    }

    /** {@code says}: a line that {@code kip-checkpointer status} has beside its table. */
    record Says(String node, String text) implements NodeSight {
        @Override
        public String describe() {
            return "status says" + on(node) + ": " + text;
        }

        @Override
        public boolean holds(Nodes nodes) {
            return meant(nodes, node).stream()
                    .allMatch(name -> nodes.remarks(name).stream().anyMatch(one -> Globs.matches(text, one)));
        }

        @Override
        public String instead(Nodes nodes) {
            return meant(nodes, node).stream()
                    .map(name -> name + " says " + nodes.remarks(name))
                    .collect(Collectors.joining("; "));
        }
    }
}
