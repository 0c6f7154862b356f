package dev.kip.sim.world;

/**
 * Who a replica of the controller is: {@code kip-0} of the first cluster, {@code b/kip-0} of cluster b, {@code kip-0@west}
 * for another virtual node than the story's own.
 *
 * @param text as words write it; the name of its process
 * @param identity what the replica calls itself, its pod's name
 * @param node empty for the story's own
 */
record Actor(String text, String cluster, String identity, String node) {

    /** The name of a replica of that cluster. */
    static String in(String cluster, String identity) {
        return cluster.equals(SimCluster.FIRST) ? identity : cluster + "/" + identity;
    }

    static Actor parse(String text) {
        int slash = text.indexOf('/');
        int at = text.indexOf('@');
        return new Actor(
                text,
                slash < 0 ? SimCluster.FIRST : text.substring(0, slash),
                text.substring(slash + 1, at < 0 ? text.length() : at),
                at < 0 ? "" : text.substring(at + 1));
    }
}
