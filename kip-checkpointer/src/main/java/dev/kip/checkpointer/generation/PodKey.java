package dev.kip.checkpointer.generation;

import java.util.Comparator;

/** Names a pod, whatever its uid: a checkpoint outlives the pods of one name. */
public record PodKey(String namespace, String name) implements Comparable<PodKey> {

    private static final Comparator<PodKey> ORDER =
            Comparator.comparing(PodKey::namespace).thenComparing(PodKey::name);

    /** As one path segment. No name of Kubernetes has an underscore, so that no two keys share one. */
    public String segment() {
        return namespace + "_" + name;
    }

    @Override
    public int compareTo(PodKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
