package dev.kip.cell.wire;

/**
 * An agent's answer to the question who it is.
 *
 * @param fingerprint of the certificate that it serves, as {@link SelfSigned#fingerprint}
 * @param by which secret the proof is made with
 * @param template of its user data
 * @param epoch of its user data
 * @param proof {@link #mac} with that secret
 */
public record Identity(String instanceId, String fingerprint, By by, String template, long epoch, String proof) {

    /** The secret behind a proof. */
    public enum By {
        /** Of the template: the cell is inert. */
        ENROLMENT,
        /** Of this cell, handed over with its grant. */
        CELL
    }

    /** HMAC-SHA256 over nonce, instance id and fingerprint, lower-case hex. */
    public static String mac(Secret secret, String nonce, String instanceId, String fingerprint) {
        return secret.mac(nonce, instanceId, fingerprint);
    }

    /** What an agent answers that holds {@code secret}. */
    public static Identity prove(
            Secret secret, By by, String nonce, String instanceId, String fingerprint, String template, long epoch) {
        return new Identity(instanceId, fingerprint, by, template, epoch, mac(secret, nonce, instanceId, fingerprint));
    }
}
