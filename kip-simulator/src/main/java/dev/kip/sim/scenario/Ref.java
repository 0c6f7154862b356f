package dev.kip.sim.scenario;

import com.google.common.base.Splitter;
import java.util.List;

/**
 * An object that a word names: {@code name} in the default namespace, or {@code namespace/name}.
 *
 * @param name may have stars
 */
record Ref(String cluster, String namespace, String name) {

    static Ref parse(String cluster, String text) {
        List<String> parts = Splitter.on('/').limit(2).splitToList(text);
        return parts.size() == 2 ? new Ref(cluster, parts.get(0), parts.get(1)) : new Ref(cluster, "default", text);
    }

    static Ref clusterScoped(String cluster, String name) {
        return new Ref(cluster, "", name);
    }

    @Override
    public String toString() {
        return (cluster.equals(World.FIRST_CLUSTER) ? "" : cluster + ": ") + namespace + "/" + name;
    }
}
