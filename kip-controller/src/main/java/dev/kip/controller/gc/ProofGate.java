package dev.kip.controller.gc;

import dev.kip.controller.launch.Tags;
import java.util.Optional;

/** G1: the full proof, and our own shard. */
final class ProofGate implements Gate {

    @Override
    public String name() {
        return "G1";
    }

    @Override
    public String why() {
        return "Tags alone can be copied, edited and shared: without the proof an instance of somebody else would be ended.";
    }

    @Override
    public Stage stage() {
        return Stage.SIGHT;
    }

    @Override
    public Optional<String> objection(Evidence evidence) {
        if (!evidence.provenance().proven()) {
            return Optional.of("it " + evidence.provenance().because());
        }
        String node = evidence.instance().tags().getOrDefault(Tags.NODE, "");
        return node.equals(evidence.node())
                ? Optional.empty()
                : Optional.of("it belongs to virtual node \"" + node + "\" of this installation");
    }
}
