package dev.kip.checkpointer.kubelet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** The kinds of volumes, and since when kubelet knows them: one that it does not know is none to it. */
public final class VolumeKinds {

    private static final String OLDEST = "1.11";

    /** Each kind and the first release that has it. */
    static final ImmutableSortedMap<String, String> SINCE = ImmutableSortedMap.<String, String>naturalOrder()
            .putAll(oldest(
                    "awsElasticBlockStore",
                    "azureDisk",
                    "azureFile",
                    "cephfs",
                    "cinder",
                    "configMap",
                    "downwardAPI",
                    "emptyDir",
                    "fc",
                    "flexVolume",
                    "flocker",
                    "gcePersistentDisk",
                    "gitRepo",
                    "glusterfs",
                    "hostPath",
                    "iscsi",
                    "nfs",
                    "persistentVolumeClaim",
                    "photonPersistentDisk",
                    "portworxVolume",
                    "projected",
                    "quobyte",
                    "rbd",
                    "scaleIO",
                    "secret",
                    "storageos",
                    "vsphereVolume"))
            .put("csi", "1.16")
            .put("ephemeral", "1.19")
            .put("image", "1.31")
            .buildOrThrow();

    /** Those that need the node attached to something by a controller, so through the API server. */
    static final ImmutableSet<String> ATTACHED = ImmutableSet.of(
            "awsElasticBlockStore",
            "azureDisk",
            "cinder",
            "fc",
            "gcePersistentDisk",
            "iscsi",
            "photonPersistentDisk",
            "portworxVolume",
            "scaleIO",
            "storageos",
            "vsphereVolume");

    /** Those that kubelet once had a plugin for, and since when it has none. */
    static final ImmutableSortedMap<String, String> WITHOUT_PLUGIN_SINCE = ImmutableSortedMap.of(
            "cephfs", "1.31", "flocker", "1.25", "glusterfs", "1.26", "quobyte", "1.25", "rbd", "1.31");

    private VolumeKinds() {}

    private static Map<String, String> oldest(String... kinds) {
        ImmutableMap.Builder<String, String> map = ImmutableMap.builder();
        for (String kind : kinds) {
            map.put(kind, OLDEST);
        }
        return map.buildOrThrow();
    }

    /** All kinds that some release knows, sorted. */
    public static ImmutableSet<String> all() {
        return SINCE.keySet();
    }

    /** How many kinds a volume gives that this kubelet knows. */
    static long known(ObjectNode volume, KubeletVersion version) {
        return volume.properties().stream()
                .filter(field -> !field.getValue().isNull())
                .map(Map.Entry::getKey)
                .filter(field -> knows(version, field))
                .count();
    }

    static boolean knows(KubeletVersion version, String kind) {
        return SINCE.containsKey(kind) && version.isAtLeast(SINCE.getOrDefault(kind, OLDEST));
    }
}
