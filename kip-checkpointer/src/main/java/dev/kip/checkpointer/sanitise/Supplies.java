package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** What was found of a pod's {@link Need}s; what does not exist is not in here. */
public record Supplies(ImmutableMap<Need.Thing, ObjectNode> things, ImmutableMap<Need.Token, String> tokens) {

    public static Supplies none() {
        return new Supplies(ImmutableMap.of(), ImmutableMap.of());
    }

    public Optional<ObjectNode> find(Need.Thing need) {
        return Optional.ofNullable(things.get(need));
    }

    public Optional<String> find(Need.Token need) {
        return Optional.ofNullable(tokens.get(need));
    }
}
