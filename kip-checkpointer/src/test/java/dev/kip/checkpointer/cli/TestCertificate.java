package dev.kip.checkpointer.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Keys with certificates of any time, signed by an authority that has always been good. */
final class TestCertificate {

    private static final int P256_BITS = 256;
    private static final Instant LONG_AGO = Instant.parse("2000-01-01T00:00:00Z");
    private static final Instant FAR_AWAY = Instant.parse("2100-01-01T00:00:00Z");

    private final KeyPair authority = pair();
    private final X509Certificate root = certificate("CN=ca", authority, LONG_AGO, FAR_AWAY, true);

    /**
     * As PEM.
     *
     * @param key as servers read it (PKCS #8)
     * @param clientKey as kubelet writes its own, and as fabric8 reads it (SEC 1)
     */
    record Signed(byte[] certificate, byte[] key, byte[] clientKey) {}

    byte[] authorityPem() {
        return pem("CERTIFICATE", der(root));
    }

    Signed good(String name) {
        return signed(name, LONG_AGO, FAR_AWAY);
    }

    Signed expired(String name) {
        return signed(name, LONG_AGO, Instant.parse("2001-01-01T00:00:00Z"));
    }

    /** As every certificate is for one whose clock shows 1970. */
    Signed notYetValid(String name) {
        return signed(name, Instant.parse("2099-01-01T00:00:00Z"), FAR_AWAY);
    }

    private Signed signed(String name, Instant from, Instant until) {
        KeyPair pair = pair();
        X509Certificate certificate = certificate("CN=" + name, pair, from, until, false);
        return new Signed(
                pem("CERTIFICATE", der(certificate)),
                pem("PRIVATE KEY", pair.getPrivate().getEncoded()),
                pem("EC PRIVATE KEY", sec1(pair)));
    }

    private static KeyPair pair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private X509Certificate certificate(String name, KeyPair pair, Instant from, Instant until, boolean isAuthority) {
        try {
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    new X500Name("CN=ca"),
                    BigInteger.valueOf(System.nanoTime()),
                    Date.from(from),
                    Date.from(until),
                    new X500Name(name),
                    pair.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(new GeneralName(GeneralName.iPAddress, "127.0.0.1")));
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(
                            new JcaContentSignerBuilder("SHA256withECDSA").build(authority.getPrivate())));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** With the public key in it, as Go and OpenSSL write it. */
    private static byte[] sec1(KeyPair pair) {
        try {
            PrivateKeyInfo info = PrivateKeyInfo.getInstance(pair.getPrivate().getEncoded());
            SubjectPublicKeyInfo publicKey =
                    SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded());
            BigInteger secret = ECPrivateKey.getInstance(info.parsePrivateKey()).getKey();
            return new ECPrivateKey(
                            P256_BITS,
                            secret,
                            publicKey.getPublicKeyData(),
                            info.getPrivateKeyAlgorithm().getParameters())
                    .getEncoded();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] der(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] pem(String type, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return ("-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n").getBytes(US_ASCII);
    }
}
