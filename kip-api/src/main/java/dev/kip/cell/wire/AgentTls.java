package dev.kip.cell.wire;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;

/** The agent's side of mutual TLS: its own key, and trust in the one certificate of the installation's controller. */
public final class AgentTls {

    private final X509KeyManager key;
    private final X509TrustManager trust;

    public AgentTls(SelfSigned agent, X509Certificate controller) {
        this.key = new OneKey(agent);
        this.trust = new OnlyClient(SelfSigned.fingerprint(controller));
    }

    public X509KeyManager keyManager() {
        return key;
    }

    /** Refuses, in the handshake, every client but the controller. */
    public X509TrustManager trustManager() {
        return trust;
    }

    private static final class OnlyClient extends X509ExtendedTrustManager {
        private final String fingerprint;

        OnlyClient(String fingerprint) {
            this.fingerprint = fingerprint;
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            String found = SelfSigned.fingerprint(chain[0]);
            if (!found.equals(fingerprint)) {
                throw new CertificateException("the client's certificate " + found
                        + " is not the one of this installation's controller, " + fingerprint);
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            checkClientTrusted(chain, authType);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            checkClientTrusted(chain, authType);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException("for servers only");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            throw new CertificateException("for servers only");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            throw new CertificateException("for servers only");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
