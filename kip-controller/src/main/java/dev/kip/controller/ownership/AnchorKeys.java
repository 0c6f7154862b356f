package dev.kip.controller.ownership;

/** Keys of the anchor's objects. */
public final class AnchorKeys {

    /** Everything of every installation in this store begins with it. */
    public static final String INSTALLATIONS = "installations/";

    private AnchorKeys() {}

    /** {@link Identity}. */
    public static String identity(String installationId) {
        return INSTALLATIONS + installationId + "/identity";
    }

    /** {@link ShardAnchor} of one virtual node. */
    public static String shard(String installationId, String node) {
        return shards(installationId) + node;
    }

    /** All shards of an installation begin with it. */
    public static String shards(String installationId) {
        return INSTALLATIONS + installationId + "/shards/";
    }

    /** Holds the id of the installation of that name in the cluster whose kube-system has this uid. */
    public static String byCluster(String clusterUid, String installation) {
        return "clusters/" + clusterUid + "/" + installation;
    }

    /** Holds the id of the installation of that name that last had this node. A pointer only: it proves nothing. */
    public static String byName(String installation, String node) {
        return "names/" + installation + "/" + node;
    }
}
