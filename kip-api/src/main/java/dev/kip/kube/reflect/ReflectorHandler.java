package dev.kip.kube.reflect;

import com.google.common.collect.ImmutableList;

/**
 * Hears of objects as they come, change and go. An object is known by its name and its uid: one that was deleted and made
 * again while nobody looked is told as {@link #deleted} and then {@link #upserted}. What a method throws is logged and
 * does not keep the rest from being told. Called on the loop.
 */
public interface ReflectorHandler<T> {

    /** New, or at another version than the last one told. States in between may have been skipped. */
    void upserted(T object);

    /** Gone for certain. Carries the last state known, in which no mark of deletion need ever have been seen. */
    void deleted(T last);

    /**
     * Absent from a full list, though its deletion was not seen: it happened while no watch was open, or the API's storage
     * was set back to an earlier state. Whoever destroys something for it should wait and look again.
     */
    default void vanished(T last) {
        deleted(last);
    }

    /**
     * A full list has come, and is told next.
     *
     * @param resourceVersion of the list: lower than that of an earlier one only if the API's storage was set back
     */
    default void listed(String resourceVersion) {}

    /** A full list has been told, difference by difference; {@code all} is what exists. The first time, the picture is whole. */
    default void replaced(ImmutableList<T> all) {}
}
