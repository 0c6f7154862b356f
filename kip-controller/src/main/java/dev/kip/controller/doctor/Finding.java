package dev.kip.controller.doctor;

/**
 * What one look came to.
 *
 * @param area what it belongs to, one word
 * @param text object, expectation, what was found
 * @param remedy what to do about it, a command where there is one; empty if nothing is to be done
 */
public record Finding(Level level, String area, String text, String remedy) {

    /** How bad it is. */
    public enum Level {
        OK,
        /** It could not be looked at, which says nothing. */
        UNKNOWN,
        /** It works, and will not for ever. */
        WARNING,
        /** Something does not work. */
        ERROR
    }

    public static Finding ok(String area, String text) {
        return new Finding(Level.OK, area, text, "");
    }

    public static Finding unknown(String area, String text, String remedy) {
        return new Finding(Level.UNKNOWN, area, text, remedy);
    }

    public static Finding warning(String area, String text, String remedy) {
        return new Finding(Level.WARNING, area, text, remedy);
    }

    public static Finding error(String area, String text, String remedy) {
        return new Finding(Level.ERROR, area, text, remedy);
    }
}
