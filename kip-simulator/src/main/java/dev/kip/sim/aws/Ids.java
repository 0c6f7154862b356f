package dev.kip.sim.aws;

import com.google.common.io.BaseEncoding;
import dev.kip.entropy.Entropy;

/** EC2's names for resources: a prefix and 17 hexadecimal digits. */
public final class Ids {

    private static final BaseEncoding HEX = BaseEncoding.base16().lowerCase();

    private final Entropy entropy;

    public Ids(Entropy entropy) {
        this.entropy = entropy;
    }

    public String next(String prefix) {
        return prefix + "-0" + HEX.encode(entropy.bytes(8));
    }

    /** A request id: hexadecimal in groups, as a UUID is written. */
    public String request() {
        String hex = HEX.encode(entropy.bytes(16));
        return hex.substring(0, 8) + "-" + hex.substring(8, 12) + "-" + hex.substring(12, 16) + "-"
                + hex.substring(16, 20) + "-" + hex.substring(20);
    }

    public static boolean wellFormed(String prefix, String id) {
        return id.matches(prefix + "-([0-9a-f]{8}|[0-9a-f]{17})");
    }
}
