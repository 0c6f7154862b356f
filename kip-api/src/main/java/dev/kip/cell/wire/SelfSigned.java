package dev.kip.cell.wire;

import dev.kip.entropy.Entropy;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
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
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.X509v3CertificateBuilder;

/**
 * An EC P-256 key with a certificate that it signed itself. Both ends of the protocol pin the other's certificate, so
 * nothing in it matters but its key: it names no authority, and its dates are wide, because a cell whose clock is wrong
 * must still be reachable.
 */
public record SelfSigned(PrivateKey key, X509Certificate certificate) {

    private static final Duration SKEW = Duration.ofDays(2);
    private static final Duration VALIDITY = Duration.ofDays(36_500);

    /**
     * A new key. The result depends on the arguments alone: the signature is deterministic (RFC 6979).
     *
     * @param commonName the subject, letters, digits, dots, colons and dashes, 64 at most
     */
    public static SelfSigned create(Entropy entropy, Instant now, String commonName) {
        if (!commonName.matches("[A-Za-z0-9.:-]{1,64}")) {
            throw new IllegalArgumentException("\"" + commonName + "\" is no common name for a certificate");
        }
        EcKey key = EcKey.create(entropy);
        try {
            X500Name name = new X500Name("CN=" + commonName);
            byte[] certificate = new X509v3CertificateBuilder(
                            name,
                            new BigInteger(1, entropy.bytes(16)).add(BigInteger.ONE),
                            Date.from(now.minus(SKEW)),
                            Date.from(now.plus(VALIDITY)),
                            name,
                            key.publicKeyInfo())
                    .build(key.signer())
                    .getEncoded();
            return fromDer(key.privateDer(), certificate);
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
        return EcKey.pem("CERTIFICATE", der(certificate));
    }

    /** The key as PEM, PKCS #8. */
    public byte[] keyPem() {
        return EcKey.pem("PRIVATE KEY", keyDer());
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
}
