package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.disk.Fate;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** What happens to machines. */
final class NodeSteps {

    private NodeSteps() {}

    /** At each node that matches. */
    static Step at(String what, String glob, BiConsumer<Nodes, String> happens) {
        return new Troubles.Happening(
                what + " at " + glob, world -> each(world.nodes(), glob, node -> happens.accept(world.nodes(), node)));
    }

    private static void each(Nodes nodes, String glob, Consumer<String> happens) {
        ImmutableList<String> meant = nodes.names().stream()
                .filter(name -> Globs.matches(glob, name))
                .collect(ImmutableList.toImmutableList());
        if (meant.isEmpty()) {
            throw new IllegalStateException("no node is \"" + glob + "\"; there are " + nodes.names());
        }
        meant.forEach(happens);
    }

    /** {@code power: {cycle: NODE}}: off, and on again when the time is over; the story goes on meanwhile. */
    record Cycle(String glob, Duration off, Fate unsynced) implements Step {
        @Override
        public String describe() {
            return "power cycle " + glob + ", off for " + off.toMillis() + " ms";
        }

        @Override
        public void begin(World world) {
            Nodes nodes = world.nodes();
            each(nodes, glob, node -> {
                nodes.powerOff(node, unsynced);
                nodes.after(off, () -> nodes.powerOn(node));
            });
        }
    }
}
