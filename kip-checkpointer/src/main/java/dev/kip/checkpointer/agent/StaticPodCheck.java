package dev.kip.checkpointer.agent;

import com.google.common.collect.ImmutableList;
import dev.kip.checkpointer.kubelet.ApiServer;
import dev.kip.checkpointer.kubelet.Circumstances;
import dev.kip.checkpointer.kubelet.KubeletModel;
import dev.kip.checkpointer.kubelet.KubeletVersion;
import dev.kip.checkpointer.kubelet.NodeFacts;
import dev.kip.checkpointer.kubelet.Trouble;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a cell's kubelet, which has no API server, refuses in a manifest, or crashes on. The agent checks it before it writes. */
public final class StaticPodCheck {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final KubeletModel KUBELET = KubeletModel.of(KubeletVersion.parse("1.34"));
    private static final Circumstances ALONE =
            new Circumstances(ApiServer.NONE, NodeFacts.named("cell"), ImmutableList.of());

    private StaticPodCheck() {}

    /** @throws IllegalArgumentException if the text is no JSON object */
    public static ObjectNode parse(String manifest) {
        try {
            if (JSON.readTree(manifest) instanceof ObjectNode object) {
                return object;
            }
            throw new IllegalArgumentException("the manifest is no JSON object");
        } catch (JacksonException e) {
            throw new IllegalArgumentException("the manifest is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** Why kubelet would not run it, or not as the pod that was granted; empty if it would. */
    public static Optional<String> problem(ObjectNode manifest, String podUid) {
        JsonNode metadata = manifest.path("metadata");
        if (!metadata.path("uid").asString("").equals(podUid)) {
            return Optional.of("metadata.uid must be the granted pod's, " + podUid);
        }
        for (String name : ImmutableList.of("/metadata/name", "/metadata/namespace", "/spec/hostname")) {
            if (manifest.at(name).asString("").isEmpty()) {
                return Optional.of(name.substring(1).replace('/', '.') + ": Required value");
            }
        }
        return KUBELET.judge(manifest, ALONE).stopping().stream().findFirst().map(Trouble::message);
    }
}
