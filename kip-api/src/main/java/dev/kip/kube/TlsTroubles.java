package dev.kip.kube;

import com.google.common.base.Throwables;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Why two do not come to terms by TLS, in words that say what to do. */
final class TlsTroubles {

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
            if (cause instanceof CertPathBuilderException) {
                return Optional.of("the server's certificate is signed by nobody whom this client trusts ("
                        + cause.getMessage() + ")");
            }
            tls |= cause instanceof SSLException;
        }
        String message = String.valueOf(thrown.getMessage());
        if (tls && (message.contains("certificate_expired") || message.contains("bad_certificate"))) {
            return Optional.of("the server does not take this client's certificate (" + message + "): renew it");
        }
        return Optional.empty();
    }
}
