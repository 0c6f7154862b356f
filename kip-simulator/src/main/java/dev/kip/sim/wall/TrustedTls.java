package dev.kip.sim.wall;

import dev.kip.sim.embedded.LoopbackCertificate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** One certificate for all servers of a world on loopback: shown by those that serve, trusted by those that ask. */
record TrustedTls(LoopbackCertificate certificate, SSLContext context) {

    static TrustedTls of(LoopbackCertificate certificate) {
        try {
            Certificate own = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(certificate.certificatePem()));
            String key = new String(certificate.keyPem(), StandardCharsets.US_ASCII)
                    .replaceAll("-----[A-Z ]+-----", "")
                    .replaceAll("\\s", "");
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, new char[0]);
            store.setCertificateEntry("trusted", own);
            store.setKeyEntry(
                    "own",
                    KeyFactory.getInstance("EC")
                            .generatePrivate(
                                    new PKCS8EncodedKeySpec(Base64.getDecoder().decode(key))),
                    new char[0],
                    new Certificate[] {own});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return new TrustedTls(certificate, context);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this JDK takes no EC certificate: " + e.getMessage(), e);
        }
    }
}
