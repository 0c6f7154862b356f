package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** What a story waits for. */
final class Waits {

    private Waits() {}

    /** {@code wait}: time passes. */
    static final class Pass implements Step {

        private final Duration length;
        private Duration until = Duration.ZERO;

        Pass(Duration length) {
            this.length = length;
        }

        @Override
        public String describe() {
            return "wait " + length.toMillis() + " ms";
        }

        @Override
        public void begin(World world) {
            until = world.elapsed().plus(length);
        }

        @Override
        public boolean done(World world) {
            return world.elapsed().compareTo(until) >= 0;
        }

        @Override
        public Duration within() {
            return length;
        }
    }

    /** {@code until} with pods: so many, and all of them in that state; {@code gone}: none left. */
    record Pods(Ref ref, String is, Optional<Integer> count, Duration within) implements Step {
        @Override
        public String describe() {
            return "until " + count.map(n -> n + " of ").orElse("") + "pod " + ref + " is " + is;
        }

        @Override
        public boolean done(World world) {
            int found = 0;
            for (ObjectNode pod : world.objects(ref.cluster(), "pod")) {
                if (Objects.isNamed(pod, ref.namespace(), ref.name())) {
                    if (!PodStates.of(pod).equals(is)) {
                        return false; // mostly the first one: this is asked often, also of thousands of pods
                    }
                    found++;
                }
            }
            return is.equals("gone") ? found == 0 : found > 0 && found == count.orElse(found);
        }

        @Override
        public String instead(World world) {
            ImmutableList<ObjectNode> pods =
                    Objects.named(world.objects(ref.cluster(), "pod"), ref.namespace(), ref.name());
            return pods.isEmpty()
                    ? "there is no such pod"
                    : pods.stream()
                            .map(pod -> Objects.name(pod) + " is " + PodStates.of(pod))
                            .collect(Collectors.joining(", "));
        }
    }

    /** {@code until} with a controller. */
    record Leading(String replica, boolean leads, Duration within) implements Step {
        @Override
        public String describe() {
            return "until " + replica + (leads ? " leads" : " leads no more");
        }

        @Override
        public boolean done(World world) {
            return world.leaders().stream().anyMatch(leader -> Globs.matches(replica, leader)) == leads;
        }

        @Override
        public String instead(World world) {
            return world.leaders().isEmpty() ? "nobody leads" : String.join(", ", world.leaders()) + " leads";
        }
    }

    /** {@code until} with a number of things. */
    record Count(Countable what, String cluster, int count, Duration within) implements Step {
        @Override
        public String describe() {
            return "until there " + (count == 0 ? "are no " : count == 1 ? "is 1 of " : "are " + count + " ")
                    + what.word();
        }

        @Override
        public boolean done(World world) {
            return what.in(world, cluster).size() == count;
        }

        @Override
        public boolean seesCalls() {
            return what.seesCalls();
        }

        @Override
        public String instead(World world) {
            return what.found(world, cluster);
        }
    }

    /** {@code until} with events: so many of that reason, at least. */
    record Events(String cluster, String reason, int least, Duration within) implements Step {
        @Override
        public String describe() {
            return "until there are " + least + " events " + reason;
        }

        @Override
        public boolean done(World world) {
            return EventCounts.of(world, cluster, reason) >= least;
        }

        @Override
        public boolean seesCalls() {
            return true;
        }

        @Override
        public String instead(World world) {
            return EventCounts.found(world, cluster);
        }
    }

    /** {@code until} with requests: so many of them, at least. */
    record Calls(String from, String to, String action, Optional<String> since, int least, Duration within)
            implements Step {
        @Override
        public String describe() {
            return "until there are " + least + " calls " + from + " -> " + to + " " + action;
        }

        @Override
        public boolean done(World world) {
            return world.calls(from, to, action, since) >= least;
        }

        @Override
        public boolean seesCalls() {
            return true;
        }

        @Override
        public String instead(World world) {
            return "there are " + world.calls(from, to, action, since);
        }
    }
}
