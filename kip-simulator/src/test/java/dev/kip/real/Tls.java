package dev.kip.real;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** The certificates that {@code real-parts/cluster} makes, as Java wants them. */
final class Tls {
    private Tls() {}

    /** Trusts the authority alone. */
    static SSLContext client(Path authority) {
        try {
            KeyStore trusted = emptyStore();
            trusted.setCertificateEntry("authority", certificate(authority));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("cannot read " + authority, e);
        }
    }

    /** Shows this certificate. */
    static SSLContext server(Path certificate, Path key) {
        try {
            KeyStore own = emptyStore();
            own.setKeyEntry("own", privateKey(key), new char[0], new Certificate[] {certificate(certificate)});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("cannot read " + certificate + " and " + key, e);
        }
    }

    /** The certificate that a server shows; empty if the authority has not signed it, or nobody answers. */
    static Optional<X509Certificate> shown(URI server, Path authority) {
        try (SSLSocket socket =
                (SSLSocket) client(authority).getSocketFactory().createSocket(server.getHost(), server.getPort())) {
            socket.startHandshake();
            return Optional.of((X509Certificate) socket.getSession().getPeerCertificates()[0]);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, new char[0]);
        return store;
    }

    private static Certificate certificate(Path pem) throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(read(pem).getBytes(StandardCharsets.US_ASCII)));
    }

    /** An EC key in PKCS 8. */
    private static PrivateKey privateKey(Path pem) throws GeneralSecurityException {
        String base64 = read(pem).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        return KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
