package dev.kip.checkpointer;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.sanitise.ManifestCheck;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** The kubelet of this node: of the version that was given, or that the API server says; until it is known, of the newest. */
final class NodeKubelet implements ManifestCheck {

    private static final Logger LOG = LoggerFactory.getLogger(NodeKubelet.class);

    private final boolean given;
    private final Function<KubeletVersion, ManifestCheck> kubelets;
    private KubeletVersion version;
    private String learned = "";

    NodeKubelet(Optional<KubeletVersion> given, Function<KubeletVersion, ManifestCheck> kubelets) {
        this.given = given.isPresent();
        this.kubelets = kubelets;
        this.version = given.orElseGet(KubeletVersion::newest);
    }

    KubeletVersion version() {
        return version;
    }

    void learn(String text) {
        if (given || text.isEmpty() || text.equals(learned)) {
            return;
        }
        learned = text;
        try {
            version = KubeletVersion.parse(text);
        } catch (IllegalArgumentException e) {
            LOG.warn("{}; judged as {}", e.getMessage(), version);
        }
    }

    @Override
    public ImmutableList<Objection> objections(ObjectNode manifest) {
        return kubelets.apply(version).objections(manifest);
    }
}
