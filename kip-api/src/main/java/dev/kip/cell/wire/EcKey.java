package dev.kip.cell.wire;

import dev.kip.entropy.Entropy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECNamedDomainParameters;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.signers.DSADigestSigner;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.HMacDSAKCalculator;
import org.bouncycastle.crypto.util.PrivateKeyInfoFactory;
import org.bouncycastle.crypto.util.SubjectPublicKeyInfoFactory;
import org.bouncycastle.operator.ContentSigner;

/** An EC P-256 key. What it signs depends on the key and the content alone (RFC 6979). Immutable. */
public final class EcKey {

    private static final ECDomainParameters P256 =
            new ECNamedDomainParameters(X9ObjectIdentifiers.prime256v1, CustomNamedCurves.getByName("secp256r1"));

    private final ECPrivateKeyParameters key;
    private final ECPublicKeyParameters publicKey;

    private EcKey(ECPrivateKeyParameters key, ECPublicKeyParameters publicKey) {
        this.key = key;
        this.publicKey = publicKey;
    }

    /** A new key, from 48 bytes of entropy. */
    public static EcKey create(Entropy entropy) {
        // 128 bits more than the order, so that the remainder is uniform for all that can be told.
        BigInteger scalar = new BigInteger(1, entropy.bytes(48))
                .mod(P256.getN().subtract(BigInteger.ONE))
                .add(BigInteger.ONE);
        return new EcKey(
                new ECPrivateKeyParameters(scalar, P256),
                new ECPublicKeyParameters(P256.getG().multiply(scalar).normalize(), P256));
    }

    public SubjectPublicKeyInfo publicKeyInfo() {
        try {
            return SubjectPublicKeyInfoFactory.createSubjectPublicKeyInfo(publicKey);
        } catch (IOException e) {
            throw new IllegalStateException("encoding in memory failed", e);
        }
    }

    /** PKCS #8, DER. */
    public byte[] privateDer() {
        try {
            return PrivateKeyInfoFactory.createPrivateKeyInfo(key).getEncoded();
        } catch (IOException e) {
            throw new IllegalStateException("encoding in memory failed", e);
        }
    }

    /** PKCS #8, PEM. */
    public byte[] privatePem() {
        return pem("PRIVATE KEY", privateDer());
    }

    /** @param type for example {@code CERTIFICATE REQUEST} */
    public static byte[] pem(String type, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return ("-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** ECDSA with SHA-256. Bouncy Castle's own builder draws from a global random source. */
    public ContentSigner signer() {
        return new DeterministicSigner(key);
    }

    private static final class DeterministicSigner implements ContentSigner {
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private final ECPrivateKeyParameters key;

        DeterministicSigner(ECPrivateKeyParameters key) {
            this.key = key;
        }

        @Override
        public AlgorithmIdentifier getAlgorithmIdentifier() {
            return new AlgorithmIdentifier(X9ObjectIdentifiers.ecdsa_with_SHA256);
        }

        @Override
        public OutputStream getOutputStream() {
            return content;
        }

        @Override
        public byte[] getSignature() {
            DSADigestSigner signer = new DSADigestSigner(
                    new ECDSASigner(new HMacDSAKCalculator(new SHA256Digest())), new SHA256Digest());
            signer.init(true, key);
            byte[] bytes = content.toByteArray();
            signer.update(bytes, 0, bytes.length);
            return signer.generateSignature();
        }
    }
}
