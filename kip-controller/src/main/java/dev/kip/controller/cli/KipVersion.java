package dev.kip.controller.cli;

import com.google.common.base.Strings;
import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest says. */
public final class KipVersion implements IVersionProvider {

    /** {@code dev} when run from classes. */
    public static String current() {
        String version = KipVersion.class.getPackage().getImplementationVersion();
        return Strings.isNullOrEmpty(version) ? "dev" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"kip " + current()};
    }
}
