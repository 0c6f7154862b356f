package dev.kip.checkpointer.kubelet;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What kubelet makes of a pod that it reads from a file, before it looks at it. */
public final class StaticPodDefaults {

    private StaticPodDefaults() {}

    /** The file's own uid, or one made of content, node and file: any change of the content is another pod. */
    public static String uid(ObjectNode manifest, String node, String file) {
        String given = manifest.path("metadata").path("uid").asString("");
        return given.isEmpty()
                ? Hashing.murmur3_128()
                        .hashString(manifest + "host:" + node + "file:" + file, StandardCharsets.UTF_8)
                        .toString()
                : given;
    }

    /** A pod as kubelet has it from a file: with its uid, the node in its name, and the marks of its source. */
    public static ObjectNode apply(ObjectNode manifest, NodeFacts node, String file) {
        ObjectNode pod = manifest.deepCopy();
        String uid = uid(manifest, node.name(), file);
        ObjectNode metadata = pod.withObject("/metadata");
        metadata.put("name", metadata.path("name").asString("") + node.suffix());
        metadata.put("uid", uid);
        if (metadata.path("namespace").asString("").isEmpty()) {
            metadata.put("namespace", "default");
        }
        ObjectNode annotations = metadata.withObject("/annotations");
        annotations.put("kubernetes.io/config.hash", uid);
        annotations.put("kubernetes.io/config.source", "file");
        ObjectNode spec = pod.withObject("/spec");
        spec.put("nodeName", node.name());
        if (!toleratesNoExecute(spec)) {
            spec.withArray("/tolerations").addObject().put("operator", "Exists").put("effect", "NoExecute");
        }
        pod.putObject("status").put("phase", "Pending");
        return pod;
    }

    private static boolean toleratesNoExecute(JsonNode spec) {
        for (JsonNode toleration : spec.path("tolerations")) {
            boolean any = toleration.path("operator").asString("").equals("Exists")
                    && toleration.path("key").asString("").isEmpty()
                    && toleration.path("effect").asString("").equals("NoExecute");
            if (any) {
                return true;
            }
        }
        return false;
    }
}
