package dev.kip.cell.wire;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509KeyManager;

/** Trusts a server that shows exactly one certificate, whatever its names and dates, and shows the same to it. */
public final class OneCertificate extends ServerTrust {

    private final String fingerprint;

    private OneCertificate(String fingerprint) {
        this.fingerprint = fingerprint;
    }

    /** For a peer on this machine that serves with {@code key}, to which the caller proves itself by the same. */
    public static SSLContext context(SelfSigned key) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                new KeyManager[] {new OneKey(key)}, new TrustManager[] {new OneCertificate(key.fingerprint())}, null);
        return context;
    }

    /** For servers that serve with {@code certificate}. */
    public static TrustManager trust(SelfSigned certificate) {
        return new OneCertificate(certificate.fingerprint());
    }

    /** To be shown by a client, whatever it is asked for. */
    public static X509KeyManager key(SelfSigned own) {
        return new OneKey(own);
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        if (!SelfSigned.fingerprint(chain[0]).equals(fingerprint)) {
            throw new CertificateException("another certificate is served than the expected one, " + fingerprint);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        check(chain);
    }
}
