package dev.kip.sim.world;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ApiServerSettings;
import dev.kip.sim.kernel.Kernel;
import dev.kip.sim.kernel.SimNetwork;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** The clusters of a world, through all their lives. */
final class Clusters {

    private final Kernel kernel;
    private final SimNetwork network;
    private final ApiServerSettings settings;
    private final Listener listener;
    private final TreeMap<String, SimCluster> living = new TreeMap<>();
    private final Map<String, Integer> lives = new LinkedHashMap<>();
    private final Map<String, SimCluster.Backup> backups = new LinkedHashMap<>();
    private final Map<String, String> installations = new LinkedHashMap<>();
    private long versionsBefore;

    Clusters(Kernel kernel, SimNetwork network, ApiServerSettings settings, Listener listener) {
        this.kernel = kernel;
        this.network = network;
        this.settings = settings;
        this.listener = listener;
    }

    /** Hears of each change of an object. */
    interface Listener {
        void changed(String cluster, String event, String kind, ObjectNode object);
    }

    /** @param from what is in its store when it starts; nothing but Kip's definitions if empty */
    void add(String name, Optional<SimCluster.Backup> from) {
        if (living.containsKey(name)) {
            throw new IllegalStateException("there is a cluster " + name + " already");
        }
        int life = lives.merge(name, 1, Integer::sum) - 1;
        SimCluster cluster = new SimCluster(kernel, network, settings, name, life, from, (event, kind, object) -> {
            if (kind.equals("installation") && !event.equals("DELETED")) {
                remember(name, object);
            }
            listener.changed(name, event, kind, object);
        });
        living.put(name, cluster);
        cluster.objects("installation").forEach(installation -> remember(name, installation));
    }

    private void remember(String cluster, ObjectNode installation) {
        installations.put(cluster, installation.at("/spec/installationID").asString(""));
    }

    SimCluster get(String name) {
        SimCluster cluster = living.get(name);
        if (cluster == null) {
            throw new IllegalStateException("there is no cluster " + name + ", only " + living.keySet());
        }
        return cluster;
    }

    ImmutableList<String> names() {
        return ImmutableList.copyOf(living.keySet());
    }

    long version() {
        long version = versionsBefore;
        for (SimCluster cluster : living.values()) {
            version += cluster.version();
        }
        return version;
    }

    void backup(String cluster, String as) {
        backups.put(as, get(cluster).backup());
    }

    void restore(String cluster, String from) {
        SimCluster.Backup backup = backups.get(from);
        if (backup == null) {
            throw new IllegalStateException("there is no backup " + from + ", only " + backups.keySet());
        }
        destroy(cluster);
        add(cluster, Optional.of(backup));
    }

    void recreate(String cluster) {
        destroy(cluster);
        installations.remove(cluster);
        add(cluster, Optional.empty());
    }

    void destroy(String name) {
        SimCluster cluster = get(name);
        versionsBefore += cluster.version() + 1;
        living.remove(name);
        cluster.destroy();
    }

    /** The id in the record, or the last one that was there; a re-created cluster has had none. */
    Optional<String> installationOf(String cluster) {
        return Optional.ofNullable(installations.get(cluster));
    }
}
