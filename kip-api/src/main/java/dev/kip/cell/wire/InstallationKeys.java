package dev.kip.cell.wire;

import com.google.common.collect.ImmutableMap;
import com.google.common.io.BaseEncoding;
import dev.kip.entropy.Entropy;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What all controllers of one installation share, kept in a Secret of the cluster: one key, from which every secret of a
 * cell is derived, and the controller's own certificate. With it any later controller can talk to every cell of the
 * installation, without state of its own. Immutable; safe on any thread.
 */
public final class InstallationKeys {

    /** Keys of the Secret's {@code data}. */
    private static final String KEY = "installation.key";

    private static final String CERTIFICATE = "controller.crt.der";
    private static final String PRIVATE_KEY = "controller.key.der";
    private static final int KEY_BYTES = 32;
    private static final String CONTROLLER_NAME = "kip-controller";

    private final Secret key;
    private final SelfSigned controller;

    private InstallationKeys(Secret key, SelfSigned controller) {
        this.key = key;
        this.controller = controller;
    }

    /** New keys. They depend on the arguments alone. */
    public static InstallationKeys create(Entropy entropy, Instant now) {
        return new InstallationKeys(
                Secret.of(entropy.bytes(KEY_BYTES)), SelfSigned.create(entropy, now, CONTROLLER_NAME));
    }

    /** @param data as in a Secret's {@code data}: base64 by key
     * @throws IllegalArgumentException naming the key that is missing or cannot be read */
    public static InstallationKeys fromSecretData(ImmutableMap<String, String> data) {
        Secret key = Secret.of(decode(data, KEY));
        if (key.length() != KEY_BYTES) {
            throw new IllegalArgumentException("data[" + KEY + "] of the installation's Secret must be " + KEY_BYTES
                    + " bytes, not " + key.length());
        }
        return new InstallationKeys(key, SelfSigned.fromDer(decode(data, PRIVATE_KEY), decode(data, CERTIFICATE)));
    }

    /** As it belongs in a Secret's {@code data}: base64 by key. */
    public ImmutableMap<String, String> toSecretData() {
        Base64.Encoder base64 = Base64.getEncoder();
        return ImmutableMap.of(
                KEY, key.toBase64(),
                CERTIFICATE, base64.encodeToString(controller.certificateDer()),
                PRIVATE_KEY, base64.encodeToString(controller.keyDer()));
    }

    /** The certificate with which the controller dials cells; the only one that an agent accepts. */
    public X509Certificate controllerCertificate() {
        return controller.certificate();
    }

    SelfSigned controller() {
        return controller;
    }

    /** The secret that the user data of this template and epoch carries. */
    public Secret enrolmentSecret(String template, long epoch) {
        return key.derive("enrol", template, Long.toString(epoch));
    }

    /** The secret that the grant hands to this cell, and to no other. */
    public Secret cellSecret(String instanceId) {
        return key.derive("cell", instanceId);
    }

    /**
     * The MAC that the instance carries as a tag beside the installation's id and the virtual node's name, over these, its
     * place and its own client token: who cannot compute it cannot pass an instance off as one of this installation, nor as
     * another node's.
     */
    public String ownershipProof(String installationId, String region, String vpc, String node, String clientToken) {
        return key.mac("own", installationId, region, vpc, node, clientToken);
    }

    /** The client token of a launch call: 52 ASCII characters that nobody without the key can make. */
    public String launchToken(String nonce, String parametersDigest) {
        byte[] mac = BaseEncoding.base16().lowerCase().decode(key.mac("launch", nonce, parametersDigest));
        return BaseEncoding.base32().lowerCase().omitPadding().encode(mac);
    }

    /**
     * Why {@code identity} does not prove that the cell {@code instanceId} answers; empty if it does.
     *
     * @param nonce the one of this very question
     */
    public Optional<String> doubt(String instanceId, String nonce, Identity identity) {
        if (!identity.instanceId().equals(instanceId)) {
            return Optional.of("it says that it is " + identity.instanceId());
        }
        Secret secret = identity.by() == Identity.By.CELL
                ? cellSecret(instanceId)
                : enrolmentSecret(identity.template(), identity.epoch());
        String expected = Identity.mac(secret, nonce, instanceId, identity.fingerprint());
        return Mac256.same(
                        expected.getBytes(StandardCharsets.US_ASCII),
                        identity.proof().getBytes(StandardCharsets.US_ASCII))
                ? Optional.empty()
                : Optional.of("its proof does not match: it does not hold the secret of this installation");
    }

    @Override
    public String toString() {
        return "InstallationKeys[controller " + controller.fingerprint() + "]";
    }

    private static byte[] decode(ImmutableMap<String, String> data, String name) {
        @Nullable String value = data.get(name);
        if (value == null) {
            throw new IllegalArgumentException("data[" + name + "] is missing in the installation's Secret");
        }
        try {
            return Base64.getDecoder().decode(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("data[" + name + "] of the installation's Secret is not base64", e);
        }
    }
}
