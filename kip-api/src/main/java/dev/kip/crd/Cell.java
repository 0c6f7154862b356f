package dev.kip.crd;

/**
 * The binding of one pod attempt to one instance. Named from the pod's uid and the attempt, so that the API server's name
 * uniqueness makes it at most once. Cluster-scoped. Everything is in {@code status}, as in the original, so that one POST
 * writes it; columns read it from there.
 *
 * @param metadata name, uid and version as the API server has them
 */
public record Cell(ObjectMetadata metadata, CellStatus status) {

    public static String nameOf(String podUid, int attempt) {
        return podUid + "-" + attempt;
    }
}
