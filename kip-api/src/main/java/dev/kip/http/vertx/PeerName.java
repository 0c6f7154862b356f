package dev.kip.http.vertx;

import io.vertx.core.http.HttpServerRequest;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** The common name in a client's certificate, which the TLS handshake has verified. */
final class PeerName {

    private PeerName() {}

    static Optional<String> of(HttpServerRequest request) {
        SSLSession session = request.sslSession();
        if (session == null) {
            return Optional.empty();
        }
        try {
            return session.getPeerCertificates()[0] instanceof X509Certificate certificate
                    ? commonName(certificate.getSubjectX500Principal().getName())
                    : Optional.empty();
        } catch (SSLPeerUnverifiedException e) {
            return Optional.empty(); // it showed none
        }
    }

    private static Optional<String> commonName(String subject) {
        try {
            for (Rdn part : new LdapName(subject).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    return Optional.of(part.getValue().toString());
                }
            }
            return Optional.empty();
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
    }
}
