package dev.kip.sim.selfhosted;

import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.net.ssl.SSLHandshakeException;

/** Who proves what he is with which certificate, and for how long it is good. Confined to the kernel's thread. */
final class Credentials {

    private static final Duration BEFORE = Duration.ofHours(1);
    private static final Duration GOOD = Duration.ofDays(3650);

    private final Map<String, Validity> held = new TreeMap<>();

    private record Validity(Instant from, Instant until) {}

    /** Signed now, by a clock that is right. */
    void issue(String whose, Instant now) {
        held.put(whose, new Validity(now.minus(BEFORE), now.plus(GOOD)));
    }

    /** Its time was over a minute ago. */
    void expire(String whose, Instant now) {
        held.put(whose, new Validity(now.minus(GOOD), now.minus(Duration.ofMinutes(1))));
    }

    /** Whether who has this clock takes it; one that was never issued is not asked for. */
    boolean good(String whose, Instant clock) {
        return objection(whose, clock).isEmpty();
    }

    /** What TLS says to whom the other side shows it. */
    Optional<SSLHandshakeException> objection(String whose, Instant clock) {
        Validity validity = held.get(whose);
        if (validity == null) {
            return Optional.empty();
        }
        if (clock.isBefore(validity.from())) {
            return Optional.of(failed(new CertificateNotYetValidException("NotBefore: " + validity.from())));
        }
        return clock.isAfter(validity.until())
                ? Optional.of(failed(new CertificateExpiredException("NotAfter: " + validity.until())))
                : Optional.empty();
    }

    private static SSLHandshakeException failed(Exception cause) {
        SSLHandshakeException failed =
                new SSLHandshakeException("PKIX path validation failed: validity check failed: " + cause.getMessage());
        failed.initCause(cause);
        return failed;
    }
}
