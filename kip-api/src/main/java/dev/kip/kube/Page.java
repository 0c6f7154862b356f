package dev.kip.kube;

import com.google.common.collect.ImmutableList;

/**
 * One page of a list.
 *
 * @param refused items whose JSON the codec refused; the other items are not affected
 * @param resourceVersion of the whole list, opaque: compare for equality only
 * @param continueToken empty on the last page
 */
public record Page<T>(
        ImmutableList<T> items, ImmutableList<Refused> refused, String resourceVersion, String continueToken) {

    /** An item that could not be decoded. */
    public record Refused(ObjectRef ref, String problem) {}
}
