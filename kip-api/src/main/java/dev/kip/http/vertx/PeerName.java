package dev.kip.http.vertx;

import com.google.common.collect.ImmutableList;
import io.vertx.core.http.HttpServerRequest;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** The common name in a client's certificate, which the TLS handshake has verified. */
final class PeerName {

    private PeerName() {}

    static Optional<String> of(HttpServerRequest request) {
        return all(request, "CN").stream().findFirst();
    }

    /** Its organisations, which Kubernetes takes for groups. */
    static ImmutableList<String> groups(HttpServerRequest request) {
        return all(request, "O");
    }

    private static ImmutableList<String> all(HttpServerRequest request, String type) {
        SSLSession session = request.sslSession();
        if (session == null) {
            return ImmutableList.of();
        }
        try {
            return session.getPeerCertificates()[0] instanceof X509Certificate certificate
                    ? parts(certificate.getSubjectX500Principal().getName(), type)
                    : ImmutableList.of();
        } catch (SSLPeerUnverifiedException e) {
            return ImmutableList.of(); // it showed none
        }
    }

    private static ImmutableList<String> parts(String subject, String type) {
        try {
            ImmutableList.Builder<String> found = ImmutableList.builder();
            for (Rdn rdn : new LdapName(subject).getRdns()) {
                NamingEnumeration<? extends Attribute> attributes =
                        rdn.toAttributes().getAll(); // one part may have several
                while (attributes.hasMore()) {
                    Attribute attribute = attributes.next();
                    if (attribute.getID().equalsIgnoreCase(type)) {
                        for (int at = 0; at < attribute.size(); at++) {
                            found.add(attribute.get(at).toString());
                        }
                    }
                }
            }
            return found.build();
        } catch (NamingException e) {
            return ImmutableList.of();
        }
    }
}
