package dev.kip.checkpointer.lint;

import com.google.common.base.Strings;

/** The version that the jar's manifest says. */
final class Version {

    private Version() {}

    /** {@code dev} when run from classes. */
    static String current() {
        String version = Version.class.getPackage().getImplementationVersion();
        return Strings.isNullOrEmpty(version) ? "dev" : version;
    }
}
