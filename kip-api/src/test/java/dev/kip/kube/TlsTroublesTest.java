package dev.kip.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class TlsTroublesTest {

    private static Throwable handshake(Exception cause) {
        SSLHandshakeException failed = new SSLHandshakeException("PKIX path validation failed: " + cause.getMessage());
        failed.initCause(cause);
        return failed;
    }

    @Test
    void a_certificate_whose_time_is_over_or_has_not_come_is_said_with_the_remedy() {
        assertThat(TlsTroubles.explain(handshake(new CertificateExpiredException("NotAfter: then"))))
                .contains(
                        "the server's certificate has expired (NotAfter: then): renew it, unless this machine's clock is"
                                + " wrong");
        assertThat(TlsTroubles.explain(
                        new IOException(handshake(new CertificateNotYetValidException("NotBefore: then")))))
                .contains(
                        "the server's certificate is not valid yet (NotBefore: then): this machine's clock is wrong, or"
                                + " the server's was");
    }

    @Test
    void a_stranger_s_certificate_and_one_of_ours_that_is_refused_are_told_apart() {
        assertThat(TlsTroubles.explain(handshake(new CertPathBuilderException("no path"))))
                .contains("the server's certificate is signed by nobody whom this client trusts (no path)");
        assertThat(TlsTroubles.explain(new SSLHandshakeException("Received fatal alert: certificate_expired")))
                .contains("the server does not take this client's certificate (Received fatal alert:"
                        + " certificate_expired): renew it");
    }

    @Test
    void what_is_nothing_of_tls_stays_as_it_is() {
        assertThat(TlsTroubles.explain(new IOException("bad_certificate is the name of my file")))
                .isEmpty();
    }

    @Test
    void another_failure_of_tls_is_said_by_its_root() {
        assertThat(TlsTroubles.explain(
                        new IOException("Failed to create SSL connection", handshake(new IOException("why")))))
                .contains("no TLS with the server: why");
    }
}
