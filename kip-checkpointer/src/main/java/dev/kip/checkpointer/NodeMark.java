package dev.kip.checkpointer;

import dev.kip.checkpointer.generation.CheckpointWriter;
import dev.kip.checkpointer.generation.Layout;
import dev.kip.checkpointer.generation.Trees;
import dev.kip.checkpointer.source.ApiPoll.Listed;
import dev.kip.checkpointer.standing.RuntimeSight;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The uid under which the API server knows this node. An API server that knows it under another one, or not at all, may be
 * another cluster's, or one restored from who knows when: its lists take nothing away. It is believed again when it lists a
 * pod that runs here.
 */
final class NodeMark {

    private static final Logger LOG = LoggerFactory.getLogger(NodeMark.class);

    private final CheckpointWriter writer;
    private final Layout layout;
    private final NodeKubelet kubelet;
    private Optional<String> known = Optional.empty();
    private boolean read;

    NodeMark(CheckpointWriter writer, Layout layout, NodeKubelet kubelet) {
        this.writer = writer;
        this.layout = layout;
        this.kubelet = kubelet;
    }

    boolean isUnknown() {
        return uid().isEmpty();
    }

    boolean believes(Listed listed, RuntimeSight runtime) {
        if (!listed.quorum() || listed.node().isEmpty()) {
            return false;
        }
        String uid = listed.node().get().uid();
        kubelet.learn(listed.node().get().kubelet());
        if (uid().equals(Optional.of(uid))) {
            return true;
        }
        if (listsWhatRuns(listed, runtime)) {
            LOG.info("the API server knows this node as {}", uid);
            remember(uid);
            return true;
        }
        return false;
    }

    private static boolean listsWhatRuns(Listed listed, RuntimeSight runtime) {
        return runtime instanceof RuntimeSight.Known here
                && here.runs().values().stream()
                        .anyMatch(run -> !run.uid().isEmpty() && listed.uids().contains(run.uid()));
    }

    private Optional<String> uid() {
        if (!read) {
            try {
                Optional<ObjectNode> document = writer.readDocument(layout.node());
                known = document.map(one -> one.path("uid").asString(""));
                document.ifPresent(one -> kubelet.learn(one.path("kubelet").asString("")));
                read = true;
            } catch (IOException e) {
                return Optional.empty();
            }
        }
        return known;
    }

    private void remember(String uid) {
        known = Optional.of(uid);
        try {
            writer.writeDocument(
                    layout.node(),
                    Trees.empty()
                            .put("uid", uid)
                            .put("kubelet", kubelet.version().toString()));
        } catch (IOException e) {
            LOG.warn("{} cannot be written: {}", layout.node(), e.getMessage());
        }
    }
}
