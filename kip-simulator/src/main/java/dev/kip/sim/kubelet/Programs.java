package dev.kip.sim.kubelet;

import dev.kip.sim.kernel.SimProcess;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What the images of a simulated node do when they are started. */
public interface Programs {

    /** Starts what the container's image holds; what it does, it does on {@link Run#process}. */
    void start(Run run);

    /** Every container runs until it is ended; an init container succeeds after a second. */
    static Programs idle() {
        return run -> {
            if (run.init()) {
                run.process().after(Duration.ofSeconds(1), () -> run.exit(0));
            }
        };
    }

    /**
     * A container that was started.
     *
     * @param pod as kubelet has it
     * @param init whether it is to end before the pod's containers are started
     * @param process lives as long as the container
     */
    record Run(ObjectNode pod, JsonNode container, boolean init, SimProcess process, SimNode node, Ending ending) {

        /** The program ends by itself. */
        public void exit(int code) {
            ending.exited(code);
        }

        public String image() {
            return container.path("image").asString("");
        }

        public String podName() {
            return pod.path("metadata").path("name").asString("");
        }

        /** The value of a variable as the container has it; empty for one that is not set, or comes from elsewhere. */
        public Optional<String> variable(String name) {
            for (JsonNode variable : container.path("env")) {
                if (variable.path("name").asString("").equals(name)) {
                    return value(variable);
                }
            }
            return Optional.empty();
        }

        private Optional<String> value(JsonNode variable) {
            String field = variable.path("valueFrom")
                    .path("fieldRef")
                    .path("fieldPath")
                    .asString("");
            return switch (field) {
                case "metadata.name" -> Optional.of(podName());
                case "metadata.namespace" ->
                    Optional.of(pod.path("metadata").path("namespace").asString(""));
                case "spec.nodeName" -> Optional.of(node.name());
                default ->
                    variable.has("value") ? Optional.of(variable.path("value").asString("")) : Optional.empty();
            };
        }
    }

    /** Told when a program has ended. */
    interface Ending {
        void exited(int code);
    }
}
