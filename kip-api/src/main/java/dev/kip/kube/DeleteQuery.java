package dev.kip.kube;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * How to delete.
 *
 * @param uid only the object with this uid; a namesake answers {@link KubeError.Conflict}
 * @param resourceVersion only the object at this version
 * @param gracePeriodSeconds the object's own grace if empty; 0 removes a pod at once
 */
public record DeleteQuery(Optional<String> uid, Optional<String> resourceVersion, OptionalInt gracePeriodSeconds) {

    public static final DeleteQuery PLAIN = new DeleteQuery(Optional.empty(), Optional.empty(), OptionalInt.empty());

    public static DeleteQuery of(String uid) {
        return new DeleteQuery(Optional.of(uid), Optional.empty(), OptionalInt.empty());
    }

    public DeleteQuery now() {
        return new DeleteQuery(uid, resourceVersion, OptionalInt.of(0));
    }
}
