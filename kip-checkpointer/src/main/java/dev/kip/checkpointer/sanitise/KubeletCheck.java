package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.Circumstances;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.NodeFacts;
import tools.jackson.databind.node.ObjectNode;

/** Asks the model of the node's own kubelet. */
public final class KubeletCheck implements ManifestCheck {

    private final KubeletModel model;
    private final NodeFacts node;

    public KubeletCheck(KubeletModel model, NodeFacts node) {
        this.model = model;
        this.node = node;
    }

    @Override
    public ImmutableList<Objection> objections(ObjectNode manifest) {
        return model.judge(manifest, Circumstances.cutOff(node)).stopping().stream()
                .map(trouble -> new Objection(trouble.path(), trouble.message()))
                .collect(ImmutableList.toImmutableList());
    }
}
