package dev.kip.controller.world;

import dev.kip.cloud.CloudApi.Offering;
import java.util.Optional;

/** Instance types for tests. */
public final class Offerings {

    private Offerings() {}

    public static Offering of(String type, int vcpus, long memoryMib, double price) {
        return new Offering(
                type, "x86_64", vcpus, memoryMib, 0, "", type.startsWith("t"), false, true, Optional.of(price));
    }
}
