package dev.kip.http.vertx;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority for a test. */
public final class TestAuthority {

    private final AtomicLong serial = new AtomicLong(1);
    private final KeyPair keys = newKeys();
    private final X509Certificate certificate = sign("test authority", keys, keys, true);

    /** PEM of a certificate and of its key. */
    public record Identity(byte[] certificate, byte[] key) {}

    /** Good for 127.0.0.1 and localhost, as a server and as a client. */
    public Identity issue(String commonName) {
        KeyPair own = newKeys();
        return new Identity(
                pem("CERTIFICATE", encoded(sign(commonName, own, keys, false))),
                pem("PRIVATE KEY", own.getPrivate().getEncoded()));
    }

    public byte[] pem() {
        return pem("CERTIFICATE", encoded(certificate));
    }

    private X509Certificate sign(String name, KeyPair subject, KeyPair issuer, boolean authority) {
        Instant now = Instant.now();
        try {
            var builder = new JcaX509v3CertificateBuilder(
                            new X500Principal("CN=test authority"),
                            BigInteger.valueOf(serial.getAndIncrement()),
                            Date.from(now.minus(Duration.ofHours(1))),
                            Date.from(now.plus(Duration.ofHours(1))),
                            new X500Principal("CN=" + name),
                            subject.getPublic())
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
            if (!authority) {
                builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName[] {
                    new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
                    new GeneralName(GeneralName.dNSName, "localhost")
                }));
            }
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(issuer.getPrivate())));
        } catch (GeneralSecurityException | OperatorCreationException | CertIOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] encoded(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] pem(String type, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return ("-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n").getBytes(UTF_8);
    }
}
