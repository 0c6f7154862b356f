package dev.kip.kube;

import com.google.common.base.Throwables;
import com.google.common.collect.ImmutableList;
import java.security.SignatureException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Why two do not come to terms by TLS, in words that say what to do. */
final class TlsTroubles {

    /** Alerts by which servers refuse a client's certificate. */
    private static final ImmutableList<String> OWN = ImmutableList.of(
            "certificate_expired", "certificate_unknown", "bad_certificate", "certificate_required", "unknown_ca");

    private TlsTroubles() {}

    /** Empty if it is nothing of TLS. */
    static Optional<String> explain(Throwable thrown) {
        boolean tls = false;
        for (Throwable cause : Throwables.getCausalChain(thrown)) {
            if (cause instanceof CertificateExpiredException) {
                return Optional.of("the server's certificate has expired (" + cause.getMessage()
                        + "): renew it, unless this machine's clock is wrong");
            }
            if (cause instanceof CertificateNotYetValidException) {
                return Optional.of("the server's certificate is not valid yet (" + cause.getMessage()
                        + "): this machine's clock is wrong, or the server's was");
            }
            if (cause instanceof CertPathBuilderException || cause instanceof SignatureException) {
                return Optional.of("the server's certificate is signed by nobody whom this client trusts ("
                        + cause.getMessage() + ")");
            }
            tls |= cause instanceof SSLException;
        }
        if (!tls) {
            return Optional.empty();
        }
        String root = String.valueOf(Throwables.getRootCause(thrown).getMessage());
        return Optional.of(
                OWN.stream().anyMatch(root::contains)
                        ? "the server does not take this client's certificate (" + root + "): renew it"
                        : "no TLS with the server: " + root);
    }
}
