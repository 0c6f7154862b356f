package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import java.util.function.Predicate;

/** What can be counted. */
enum Countable {
    CELLS("cells") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return names(world, cluster, "cell");
        }
    },
    LAUNCH_BATCHES("launchBatches") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return names(world, cluster, "launchbatch");
        }
    },
    PODS("pods") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return names(world, cluster, "pod");
        }
    },
    /** Pods that are neither Ready nor finished. */
    UNREADY("unready") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return world.objects(cluster, "pod").stream()
                    .filter(pod -> !DONE.contains(PodStates.of(pod)))
                    .map(pod -> Objects.name(pod) + " " + PodStates.of(pod))
                    .collect(ImmutableList.toImmutableList());
        }
    },
    NODES("nodes") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return names(world, cluster, "node");
        }
    },
    INSTALLATIONS("installations") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return names(world, cluster, "installation");
        }
    },
    /** Instances that are neither terminated nor on their way there, whoever launched them. */
    INSTANCES("instances") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return living(world, machine -> true);
        }
    },
    /** Of these, those that carry the id of the cluster's installation. */
    OWNED("owned") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            Optional<String> own = world.installationOf(cluster);
            return living(world, machine -> own.equals(Optional.of(machine.controllerId())));
        }
    },
    /** Of these, those that a controller launched and that carry another id. */
    FOREIGN("foreign") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            Optional<String> own = world.installationOf(cluster);
            return living(world, machine -> machine.ours() && !own.equals(Optional.of(machine.controllerId())));
        }
    },
    /** Of these, those that a controller launched and that no Cell of any pod stands for. */
    UNACCOUNTED("unaccounted") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            ImmutableSet<String> bound = Bindings.instances(world, cluster);
            return living(world, machine -> machine.ours() && !bound.contains(machine.id()));
        }
    },
    /** Of these, those that nobody's controller launched. */
    STRANGERS("strangers") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return living(world, machine -> !machine.ours());
        }
    },
    TEMPLATES("templates") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return numbered("template", world.templates());
        }
    },
    SECURITY_GROUPS("securityGroups") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return numbered("group", world.securityGroups());
        }
    },
    MESSAGES("messages") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return numbered("message", world.messages());
        }
    },
    ANCHOR_OBJECTS("anchorObjects") {
        @Override
        ImmutableList<String> in(World world, String cluster) {
            return world.anchorObjects();
        }
    };

    private static final ImmutableSet<String> DONE = ImmutableSet.of("Ready", "Succeeded", "Failed");

    private final String word;

    Countable(String word) {
        this.word = word;
    }

    String word() {
        return word;
    }

    /** Whether it changes without an object or an instance changing. */
    boolean seesCalls() {
        return this == TEMPLATES || this == SECURITY_GROUPS || this == ANCHOR_OBJECTS;
    }

    abstract ImmutableList<String> in(World world, String cluster);

    String found(World world, String cluster) {
        ImmutableList<String> found = in(world, cluster);
        return found.isEmpty() ? "there are none" : "there are " + found.size() + ": " + String.join(", ", found);
    }

    private static ImmutableList<String> names(World world, String cluster, String kind) {
        return world.objects(cluster, kind).stream().map(Objects::name).collect(ImmutableList.toImmutableList());
    }

    private static ImmutableList<String> numbered(String what, int count) {
        ImmutableList.Builder<String> all = ImmutableList.builder();
        for (int i = 1; i <= count; i++) {
            all.add(what + " " + i);
        }
        return all.build();
    }

    private static ImmutableList<String> living(World world, Predicate<World.Machine> wanted) {
        return world.machines().stream()
                .filter(World.Machine::lives)
                .filter(wanted)
                .map(m -> m.id() + " " + m.state())
                .collect(ImmutableList.toImmutableList());
    }
}
