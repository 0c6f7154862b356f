package dev.kip.checkpointer.agent;

import dev.kip.cell.wire.OneCertificate;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.checkpointer.generation.Trees;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/** This machine's kubelet over its authenticated API: it serves with the agent's key, and obeys it. Safe from any thread. */
public final class HttpKubelet implements KubeletPods {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final URI pods;
    private final SSLContext tls;

    public HttpKubelet(int port, SelfSigned key) {
        this.pods = URI.create("https://127.0.0.1:" + port + "/pods");
        try {
            tls = OneCertificate.context(key);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }

    @Override
    public ObjectNode pods() throws IOException {
        HttpsURLConnection connection = (HttpsURLConnection) pods.toURL().openConnection();
        connection.setSSLSocketFactory(tls.getSocketFactory());
        connection.setHostnameVerifier((host, session) -> true); // the certificate itself is what counts
        connection.setConnectTimeout((int) TIMEOUT.toMillis());
        connection.setReadTimeout((int) TIMEOUT.toMillis());
        connection.setUseCaches(false);
        int code = connection.getResponseCode();
        if (code != HttpsURLConnection.HTTP_OK) {
            throw new IOException("kubelet answers " + code + " to " + pods);
        }
        // Read to its end, so that the connection can be used again.
        try (InputStream body = connection.getInputStream()) {
            return Trees.object(body.readAllBytes());
        } catch (JacksonException | IllegalArgumentException e) {
            throw new IOException("kubelet does not answer with a list of pods: " + e.getMessage(), e);
        }
    }
}
