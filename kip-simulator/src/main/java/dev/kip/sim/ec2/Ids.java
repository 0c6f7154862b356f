package dev.kip.sim.ec2;

import com.google.common.io.BaseEncoding;
import dev.kip.entropy.Entropy;

/** EC2's names for resources: a prefix and 17 hexadecimal digits. */
final class Ids {

    private static final BaseEncoding HEX = BaseEncoding.base16().lowerCase();

    private final Entropy entropy;

    Ids(Entropy entropy) {
        this.entropy = entropy;
    }

    String next(String prefix) {
        return prefix + "-0" + HEX.encode(entropy.bytes(8));
    }

    /** A request id: hexadecimal in groups, as a UUID is written. */
    String request() {
        String hex = HEX.encode(entropy.bytes(16));
        return hex.substring(0, 8) + "-" + hex.substring(8, 12) + "-" + hex.substring(12, 16) + "-"
                + hex.substring(16, 20) + "-" + hex.substring(20);
    }

    static boolean wellFormed(String prefix, String id) {
        return id.matches(prefix + "-([0-9a-f]{8}|[0-9a-f]{17})");
    }
}
