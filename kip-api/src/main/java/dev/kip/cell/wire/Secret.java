package dev.kip.cell.wire;

import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/** Secret bytes: compared in constant time, never printed. Immutable. */
public final class Secret {

    private final byte[] bytes;

    private Secret(byte[] bytes) {
        this.bytes = bytes;
    }

    public static Secret of(byte[] bytes) {
        return new Secret(bytes.clone());
    }

    /** @throws IllegalArgumentException if it is not base64 */
    public static Secret ofBase64(String text) {
        return new Secret(Base64.getDecoder().decode(text));
    }

    public String toBase64() {
        return Base64.getEncoder().encodeToString(bytes);
    }

    int length() {
        return bytes.length;
    }

    /** HMAC-SHA256 under this secret, lower-case hex. No part may contain a line feed. */
    String mac(String... parts) {
        return HexFormat.of().formatHex(Mac256.of(bytes, parts));
    }

    /** A secret derived from this one. */
    Secret derive(String... parts) {
        return new Secret(Mac256.of(bytes, parts));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && Mac256.same(bytes, secret.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "Secret[" + bytes.length + " bytes]";
    }
}
