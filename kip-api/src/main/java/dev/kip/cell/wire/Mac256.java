package dev.kip.cell.wire;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC-SHA256 over named parts, and SHA-256. Pure. */
final class Mac256 {

    private static final String ALGORITHM = "HmacSHA256";

    private Mac256() {}

    /** The parts are separated by a line feed and may contain none, so that two lists never read alike. */
    static byte[] of(byte[] key, String... parts) {
        for (String part : parts) {
            if (part.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("a part of a MAC contains a line feed: " + part.strip());
            }
        }
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(String.join("\n", parts).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    static boolean same(byte[] left, byte[] right) {
        return MessageDigest.isEqual(left, right);
    }

    /** Lower-case hex. */
    static String digest(byte[] data) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
