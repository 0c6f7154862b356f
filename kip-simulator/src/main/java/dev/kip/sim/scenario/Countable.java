package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;

/** What can be counted. */
enum Countable {
    CELLS("cells") {
        @Override
        ImmutableList<String> in(World world) {
            return names(world, "cell");
        }
    },
    LAUNCH_BATCHES("launchBatches") {
        @Override
        ImmutableList<String> in(World world) {
            return names(world, "launchbatch");
        }
    },
    PODS("pods") {
        @Override
        ImmutableList<String> in(World world) {
            return names(world, "pod");
        }
    },
    NODES("nodes") {
        @Override
        ImmutableList<String> in(World world) {
            return names(world, "node");
        }
    },
    /** Instances that are neither terminated nor on their way there. */
    INSTANCES("instances") {
        @Override
        ImmutableList<String> in(World world) {
            return world.machines().stream()
                    .filter(m -> !m.state().equals("terminated") && !m.state().equals("shutting-down"))
                    .map(m -> m.id() + " " + m.state())
                    .collect(ImmutableList.toImmutableList());
        }
    };

    private final String word;

    Countable(String word) {
        this.word = word;
    }

    String word() {
        return word;
    }

    abstract ImmutableList<String> in(World world);

    String found(World world) {
        ImmutableList<String> found = in(world);
        return found.isEmpty() ? "there are none" : "there are " + found.size() + ": " + String.join(", ", found);
    }

    private static ImmutableList<String> names(World world, String kind) {
        return world.objects(kind).stream().map(Objects::name).collect(ImmutableList.toImmutableList());
    }
}
