package dev.kip.sim.scenario;

/** Names with stars, as in a shell. */
public final class Globs {

    private Globs() {}

    /** Whether {@code name} is one that {@code glob} means. */
    public static boolean matches(String glob, String name) {
        int star = glob.indexOf('*');
        if (star < 0) {
            return glob.equals(name);
        }
        String prefix = glob.substring(0, star);
        if (!name.startsWith(prefix)) {
            return false;
        }
        String rest = glob.substring(star + 1);
        if (rest.isEmpty()) {
            return true;
        }
        for (int i = prefix.length(); i <= name.length(); i++) {
            if (matches(rest, name.substring(i))) {
                return true;
            }
        }
        return false;
    }
}
