package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What can be expected of the end of a story. */
final class Expectations {

    private Expectations() {}

    /** So many of them. */
    record Count(Countable what, String cluster, int count) implements Expectation {
        @Override
        public String describe() {
            return (cluster.equals(World.FIRST_CLUSTER) ? "" : cluster + ": ") + what.word() + ": "
                    + (count == 0 ? "none" : count);
        }

        @Override
        public Optional<String> violated(World world) {
            return what.in(world, cluster).size() == count ? Optional.empty() : Optional.of(what.found(world, cluster));
        }
    }

    /** {@code controllerId: unchanged}: every instance ever started carries the same one. */
    record ControllerIdUnchanged() implements Expectation {
        @Override
        public String describe() {
            return "controllerId: unchanged";
        }

        @Override
        public Optional<String> violated(World world) {
            TreeSet<String> ids = new TreeSet<>();
            world.machines().stream().filter(World.Machine::ours).forEach(machine -> ids.add(machine.controllerId()));
            return ids.size() <= 1 ? Optional.empty() : Optional.of("instances carry " + String.join(" and ", ids));
        }
    }

    /**
     * {@code calls}: a budget.
     *
     * @param since a mark; from the beginning if empty
     */
    record Calls(String from, String to, String action, Optional<String> since, long least, long most)
            implements Expectation {
        @Override
        public String describe() {
            return (least == most ? "exactly " + most : least == 0 ? "at most " + most : "at least " + least)
                    + " calls " + from + " -> " + to + " " + action
                    + since.map(mark -> " since " + mark).orElse("");
        }

        @Override
        public Optional<String> violated(World world) {
            long calls = world.calls(from, to, action, since);
            return calls >= least && calls <= most ? Optional.empty() : Optional.of("there were " + calls);
        }
    }

    /** {@code leads}: these replicas lead and no others. */
    record Leads(ImmutableList<String> replicas) implements Expectation {
        @Override
        public String describe() {
            return "leads: " + (replicas.isEmpty() ? "none" : String.join(", ", replicas));
        }

        @Override
        public Optional<String> violated(World world) {
            ImmutableList<String> leaders = world.leaders();
            boolean right = leaders.size() == replicas.size()
                    && leaders.stream().allMatch(one -> replicas.stream().anyMatch(glob -> Globs.matches(glob, one)));
            return right ? Optional.empty() : Optional.of(leaders.isEmpty() ? "nobody leads" : leaders + " lead");
        }
    }

    /** {@code events}: so many of that reason, at least and at most. */
    record Events(String cluster, String reason, int least, int most) implements Expectation {
        @Override
        public String describe() {
            return "events: " + reason + (least > 0 ? " at least " + least : "")
                    + (most < Integer.MAX_VALUE ? " at most " + most : "");
        }

        @Override
        public Optional<String> violated(World world) {
            int count = EventCounts.of(world, cluster, reason);
            return count >= least && count <= most ? Optional.empty() : Optional.of(EventCounts.found(world, cluster));
        }
    }

    /** {@code finalizers: none}: nothing carries one of Kip's. */
    record NoFinalizers(String cluster) implements Expectation {
        private static final ImmutableList<String> KINDS =
                ImmutableList.of("cell", "launchbatch", "installation", "node", "pod", "secret");

        @Override
        public String describe() {
            return "finalizers: none";
        }

        @Override
        public Optional<String> violated(World world) {
            for (String kind : KINDS) {
                for (ObjectNode object : world.objects(cluster, kind)) {
                    for (JsonNode finalizer : object.at("/metadata/finalizers")) {
                        if (finalizer.asString("").contains("kip.elotl.co")) {
                            return Optional.of(kind + " " + Objects.name(object) + " has " + finalizer.asString(""));
                        }
                    }
                }
            }
            return Optional.empty();
        }
    }

    /** {@code restarts: none}: no container of a living pod was started again. */
    record NoRestarts(String cluster) implements Expectation {
        @Override
        public String describe() {
            return "restarts: none";
        }

        @Override
        public Optional<String> violated(World world) {
            for (ObjectNode pod : world.objects(cluster, "pod")) {
                for (JsonNode container : pod.at("/status/containerStatuses")) {
                    if (container.path("restartCount").asInt(0) > 0) {
                        return Optional.of(Objects.name(pod) + "'s container "
                                + container.path("name").asString("") + " was restarted "
                                + container.path("restartCount").asInt(0) + " times");
                    }
                }
            }
            return Optional.empty();
        }
    }
}
