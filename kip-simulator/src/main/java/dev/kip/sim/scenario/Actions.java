package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** What a story does: steps that take no time. */
final class Actions {

    private Actions() {}

    /** {@code apply}: creates objects. */
    record Apply(String what, ImmutableList<ObjectNode> objects) implements Step {
        @Override
        public String describe() {
            return "apply " + what;
        }

        @Override
        public void begin(World world) {
            objects.forEach(object -> world.create(object.deepCopy()));
        }
    }

    /** {@code delete}: as kubectl does, by name or by glob. */
    record Delete(String kind, String namespace, String name, Optional<Long> grace) implements Step {
        @Override
        public String describe() {
            return "delete " + kind + " " + namespace + "/" + name
                    + grace.map(s -> " with grace " + s + "s").orElse("");
        }

        @Override
        public void begin(World world) {
            for (ObjectNode object : Objects.named(world.objects(kind), namespace, name)) {
                world.delete(kind, namespace, Objects.name(object), grace);
            }
        }
    }

    /** {@code scale}. */
    record Scale(String kind, String namespace, String name, int replicas) implements Step {
        @Override
        public String describe() {
            return "scale " + kind + " " + namespace + "/" + name + " to " + replicas;
        }

        @Override
        public void begin(World world) {
            world.scale(kind, namespace, name, replicas);
        }
    }

    /** {@code start}: a replica of the controller, as a new process. */
    record Start(String replica) implements Step {
        @Override
        public String describe() {
            return "start " + replica;
        }

        @Override
        public void begin(World world) {
            world.startController(replica);
        }
    }

    /** {@code kill}: SIGKILL to a replica of the controller. */
    record Kill(String replica) implements Step {
        @Override
        public String describe() {
            return "kill " + replica;
        }

        @Override
        public void begin(World world) {
            world.killController(replica);
        }
    }

    /** {@code pause}: SIGSTOP for a time. */
    record Pause(String replica, Duration length) implements Step {
        @Override
        public String describe() {
            return "pause " + replica + " for " + length.toMillis() + " ms";
        }

        @Override
        public void begin(World world) {
            world.pauseController(replica, length);
        }
    }

    /** {@code terminate}: someone ends the instances of pods from outside. */
    record Terminate(String namespace, String pod) implements Step {
        @Override
        public String describe() {
            return "terminate the instance of " + namespace + "/" + pod;
        }

        @Override
        public void begin(World world) {
            for (ObjectNode cell : world.objects("cell")) {
                if (cell.at("/status/podNamespace").asString("").equals(namespace)
                        && Globs.matches(pod, cell.at("/status/podName").asString(""))) {
                    world.terminate(cell.at("/status/instanceID").asString(""));
                }
            }
        }
    }
}
