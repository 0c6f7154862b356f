package dev.kip.sim.scenario;

import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What can be expected of the end of a story. */
final class Expectations {

    private Expectations() {}

    /** So many of them. */
    record Count(Countable what, int count) implements Expectation {
        @Override
        public String describe() {
            return what.word() + ": " + (count == 0 ? "none" : count);
        }

        @Override
        public Optional<String> violated(World world) {
            return what.in(world).size() == count ? Optional.empty() : Optional.of(what.found(world));
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
            world.machines().forEach(machine -> ids.add(machine.controllerId()));
            return ids.size() <= 1 ? Optional.empty() : Optional.of("instances carry " + String.join(" and ", ids));
        }
    }

    /** {@code calls}: a budget. */
    record CallsAtMost(String from, String to, String action, long most) implements Expectation {
        @Override
        public String describe() {
            return "at most " + most + " calls " + from + " -> " + to + " " + action;
        }

        @Override
        public Optional<String> violated(World world) {
            long calls = world.calls(from, to, action);
            return calls <= most ? Optional.empty() : Optional.of("there were " + calls);
        }
    }

    /** {@code restarts: none}: no container of a living pod was started again. */
    record NoRestarts() implements Expectation {
        @Override
        public String describe() {
            return "restarts: none";
        }

        @Override
        public Optional<String> violated(World world) {
            for (ObjectNode pod : world.objects("pod")) {
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
