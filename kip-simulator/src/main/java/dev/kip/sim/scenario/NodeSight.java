package dev.kip.sim.scenario;

import java.time.Duration;
import java.util.Optional;

/** Something that can be seen of machines: waited for, or expected at the end. */
interface NodeSight {

    String describe();

    boolean holds(Nodes nodes);

    /** What is the case instead. */
    String instead(Nodes nodes);

    /** Waits for it. */
    record Until(NodeSight sight, Duration within) implements Step {
        @Override
        public String describe() {
            return "until " + sight.describe();
        }

        @Override
        public boolean done(World world) {
            return sight.holds(world.nodes());
        }

        @Override
        public boolean seesCalls() {
            return true;
        }

        @Override
        public String instead(World world) {
            return sight.instead(world.nodes());
        }
    }

    /** Expects it when the story is over. */
    record Expected(NodeSight sight) implements Expectation {
        @Override
        public String describe() {
            return sight.describe();
        }

        @Override
        public Optional<String> violated(World world) {
            return sight.holds(world.nodes()) ? Optional.empty() : Optional.of(sight.instead(world.nodes()));
        }
    }
}
