package dev.kip.cell.wire;

import dev.kip.entropy.Entropy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.cert.X509v3CertificateBuilder;
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

/**
 * An EC P-256 key with a certificate that it signed itself. Both ends of the protocol pin the other's certificate, so
 * nothing in it matters but its key: it names no authority, and its dates are wide, because a cell whose clock is wrong
 * must still be reachable.
 */
public record SelfSigned(PrivateKey key, X509Certificate certificate) {

    private static final Duration SKEW = Duration.ofDays(2);
    private static final Duration VALIDITY = Duration.ofDays(36_500);
    private static final ECDomainParameters P256 =
            new ECNamedDomainParameters(X9ObjectIdentifiers.prime256v1, CustomNamedCurves.getByName("secp256r1"));

    /**
     * A new key. The result depends on the arguments alone: the signature is deterministic (RFC 6979).
     *
     * @param commonName the subject, letters, digits, dots, colons and dashes, 64 at most
     */
    public static SelfSigned create(Entropy entropy, Instant now, String commonName) {
        if (!commonName.matches("[A-Za-z0-9.:-]{1,64}")) {
            throw new IllegalArgumentException("\"" + commonName + "\" is no common name for a certificate");
        }
        // 128 bits more than the order, so that the remainder is uniform for all that can be told.
        BigInteger scalar = new BigInteger(1, entropy.bytes(48))
                .mod(P256.getN().subtract(BigInteger.ONE))
                .add(BigInteger.ONE);
        ECPrivateKeyParameters key = new ECPrivateKeyParameters(scalar, P256);
        ECPublicKeyParameters publicKey =
                new ECPublicKeyParameters(P256.getG().multiply(scalar).normalize(), P256);
        try {
            SubjectPublicKeyInfo spki = SubjectPublicKeyInfoFactory.createSubjectPublicKeyInfo(publicKey);
            X500Name name = new X500Name("CN=" + commonName);
            byte[] certificate = new X509v3CertificateBuilder(
                            name,
                            new BigInteger(1, entropy.bytes(16)).add(BigInteger.ONE),
                            Date.from(now.minus(SKEW)),
                            Date.from(now.plus(VALIDITY)),
                            name,
                            spki)
                    .build(new DeterministicSigner(key))
                    .getEncoded();
            return fromDer(PrivateKeyInfoFactory.createPrivateKeyInfo(key).getEncoded(), certificate);
        } catch (IOException e) {
            throw new IllegalStateException("encoding in memory failed", e);
        }
    }

    /**
     * @param privateKey PKCS #8, DER
     * @param certificate X.509, DER
     * @throws IllegalArgumentException if either cannot be read
     */
    public static SelfSigned fromDer(byte[] privateKey, byte[] certificate) {
        try {
            return new SelfSigned(
                    KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(privateKey)),
                    certificate(certificate));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("this is no EC private key in PKCS #8 (DER): " + e.getMessage(), e);
        }
    }

    /** @throws IllegalArgumentException if it cannot be read */
    static X509Certificate certificate(byte[] der) {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException e) {
            throw new IllegalArgumentException("this is no X.509 certificate (DER): " + e.getMessage(), e);
        }
    }

    /** What a certificate is pinned by: SHA-256 over its DER, lower-case hex. */
    public static String fingerprint(X509Certificate certificate) {
        return Mac256.digest(der(certificate));
    }

    public String fingerprint() {
        return fingerprint(certificate);
    }

    /** The certificate as PEM: what a server shows, and what the other side takes as the only authority. */
    public byte[] certificatePem() {
        return certificatePem(certificate);
    }

    public static byte[] certificatePem(X509Certificate certificate) {
        return pem("CERTIFICATE", der(certificate));
    }

    /** The key as PEM, PKCS #8. */
    public byte[] keyPem() {
        return pem("PRIVATE KEY", keyDer());
    }

    private static byte[] pem(String type, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return ("-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    public byte[] keyDer() {
        return key.getEncoded();
    }

    public byte[] certificateDer() {
        return der(certificate);
    }

    /** DER of a certificate. */
    static byte[] der(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate that was parsed can be encoded", e);
        }
    }

    @Override
    public String toString() {
        return "SelfSigned[" + certificate.getSubjectX500Principal() + ", " + fingerprint() + "]";
    }

    /** ECDSA with SHA-256 and the nonce of RFC 6979. Bouncy Castle's own builder draws from a global random source. */
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
