package dev.kip.controller.store;

/**
 * resourceVersions, as far as their order shows. They count the changes of one storage, so that a lower one after a higher
 * one means that the storage was set back. Pure.
 */
public final class Versions {

    private Versions() {}

    /** Whether {@code one} is certainly earlier than {@code other}; false if either is no number. */
    public static boolean earlier(String one, String other) {
        return isNumber(one) && isNumber(other) && Long.parseLong(one) < Long.parseLong(other);
    }

    public static String later(String one, String other) {
        if (!isNumber(one)) {
            return isNumber(other) ? other : "";
        }
        return earlier(one, other) ? other : one;
    }

    private static boolean isNumber(String version) {
        return version.matches("[0-9]{1,18}");
    }
}
