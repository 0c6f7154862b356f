package dev.kip.controller.cli;

import dev.kip.cell.wire.SelfSigned;
import dev.kip.controller.kubelet.KubeletSettings;
import dev.kip.controller.kubelet.KubeletSettings.Serving;
import dev.kip.controller.kubelet.ServingCertificates.Issued;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpService;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.ServerTls;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.Loop;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the kubelet API on a socket. Certificates in files are looked at again and again: a change is taken up without a
 * restart, and what is open stays open.
 */
final class KubeletServer implements AutoCloseable {

    /** Of a common name (RFC 5280, ub-common-name). */
    private static final int LONGEST_NAME = 64;

    private static final Logger LOG = LoggerFactory.getLogger(KubeletServer.class);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(20);

    private final Loop loop;
    private final KubeletSettings settings;
    private final Optional<SelfSigned> own;
    private final VertxHttpServer server;
    private Material material;
    private Optional<Issued> issued = Optional.empty();
    private boolean closed;

    /** PEM files as they were read. */
    private record Material(byte[] certificate, byte[] key, Optional<byte[]> clients) {

        ServerTls tls() {
            ServerTls tls = ServerTls.of(certificate, key);
            return clients.isPresent() ? tls.clients(clients.get(), false) : tls;
        }

        boolean same(Material other) {
            return Arrays.equals(certificate, other.certificate)
                    && Arrays.equals(key, other.key)
                    && clients.isPresent() == other.clients.isPresent()
                    && Arrays.equals(clients.orElse(new byte[0]), other.clients.orElse(new byte[0]));
        }
    }

    private KubeletServer(
            Vertx vertx,
            Loop loop,
            Entropy entropy,
            String host,
            KubeletSettings settings,
            String node,
            HttpService service)
            throws IOException {
        this.loop = loop;
        this.settings = settings;
        this.own =
                settings.serving().isPresent() ? Optional.empty() : Optional.of(selfSigned(entropy, loop.now(), node));
        this.material = read();
        this.server = VertxHttpServer.start(
                vertx, ServerBinding.secure(host, settings.port(), material.tls()), loop, service);
        LOG.info(
                "the node's kubelet API answers at port {}, with {}",
                server.port(),
                settings.serving()
                        .map(files -> "the certificate " + files.certificate())
                        .orElse(
                                settings.requested()
                                        ? "a certificate that it has signed itself, until the cluster has given one"
                                        : "a certificate that it has signed itself: an API server that is told to verify"
                                                + " kubelets refuses it. Set kubelet.tlsCertFile and"
                                                + " kubelet.tlsPrivateKeyFile, or kubelet.serverTLSBootstrap"));
        if (settings.clientAuthority().isEmpty()) {
            LOG.warn("kubelet.clientCAFile is not set: only bearer tokens are accepted, so kubectl logs and exec fail"
                    + " unless the API server has such a token for kubelets");
        }
        loop.post(this::look);
    }

    /** Named as kubelets name theirs; a name that a certificate has no room for is cut, since nobody can verify this one. */
    static SelfSigned selfSigned(Entropy entropy, Instant now, String node) {
        String name = "system:node:" + node;
        return SelfSigned.create(entropy, now, name.substring(0, Math.min(name.length(), LONGEST_NAME)));
    }

    /** @throws IOException if a file cannot be read or the port cannot be had; it says which */
    static KubeletServer start(
            Vertx vertx,
            Loop loop,
            Entropy entropy,
            String host,
            KubeletSettings settings,
            String node,
            HttpService service)
            throws IOException {
        return new KubeletServer(vertx, loop, entropy, host, settings, node, service);
    }

    int port() {
        return server.port();
    }

    /** Not on the loop. */
    @Override
    public void close() {
        loop.post(() -> closed = true);
        server.close();
    }

    /** Serves with this certificate from the next connection on. Called on the loop. */
    void show(Issued certificate) {
        issued = Optional.of(certificate);
        takeUp();
    }

    private void look() {
        if (!closed) {
            takeUp();
            loop.after(LOOK_AGAIN, this::look);
        }
    }

    /** Looks at the files now. Called on the loop. */
    void takeUp() {
        try {
            Material now = read();
            if (!now.same(material)) {
                server.renew(now.tls());
                material = now;
                LOG.info("the kubelet API's certificates have changed: the new ones are in use");
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("the kubelet API's certificates cannot be taken up, the old ones are in use: {}", e.getMessage());
        }
    }

    private Material read() throws IOException {
        Optional<byte[]> clients = settings.clientAuthority().isPresent()
                ? Optional.of(
                        file("kubelet.clientCAFile", settings.clientAuthority().get()))
                : Optional.empty();
        if (issued.isPresent()) {
            return new Material(issued.get().certificates(), issued.get().key(), clients);
        }
        if (own.isPresent()) {
            return new Material(own.get().certificatePem(), own.get().keyPem(), clients);
        }
        Serving serving = settings.serving().orElseThrow();
        return new Material(
                file("kubelet.tlsCertFile", serving.certificate()),
                file("kubelet.tlsPrivateKeyFile", serving.key()),
                clients);
    }

    private static byte[] file(String key, String path) throws IOException {
        try {
            return Files.readAllBytes(Path.of(path));
        } catch (IOException e) {
            throw new IOException(key + ": " + path + " cannot be read: " + e.getMessage(), e);
        }
    }
}
