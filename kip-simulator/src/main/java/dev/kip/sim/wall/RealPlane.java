package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.BaseEncoding;
import dev.kip.crd.CrdManifests;
import dev.kip.entropy.Entropy;
import dev.kip.sim.embedded.LoopbackCertificate;
import dev.kip.sim.embedded.PrivateFiles;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;

/** etcd, kube-apiserver, kube-controller-manager and kube-scheduler on loopback, as processes; needs no root. */
final class RealPlane implements Plane {

    private static final String HOST = "127.0.0.1";

    /** Told to clients of the service "kubernetes", of which there are none: it must not be loopback. */
    private static final String ADVERTISED = "10.250.0.1";

    private static final int TOKEN_BYTES = 24;
    private static final int KEY_BITS = 2048;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final WallParts parts;
    private final Path folder;
    private final TrustedTls tls;
    private final URI server;
    private final String token;
    private final List<Program> programs = new ArrayList<>();

    private RealPlane(WallParts parts, Path folder, TrustedTls tls, URI server, String token) {
        this.parts = parts;
        this.folder = folder;
        this.tls = tls;
        this.server = server;
        this.token = token;
    }

    /** Starts them in a folder of their own, and waits until each answers and Kip's kinds are defined. */
    static RealPlane start(WallParts parts, Path folder, TrustedTls tls, Entropy entropy) throws IOException {
        String token = BaseEncoding.base16().lowerCase().encode(entropy.bytes(TOKEN_BYTES));
        int port = FreePort.take();
        RealPlane plane = new RealPlane(parts, folder, tls, URI.create("https://" + HOST + ":" + port), token);
        try {
            plane.startAll(port);
            return plane;
        } catch (IOException | RuntimeException e) {
            plane.close();
            throw e;
        }
    }

    private void startAll(int port) throws IOException {
        LoopbackCertificate certificate = tls.certificate();
        write("server.crt", text(certificate.certificatePem()));
        write("server.key", text(certificate.keyPem()));
        write("accounts.key", accountsKey());
        write("tokens.csv", token + ",admin,admin,\"system:masters\"\n");
        Kubeconfig.write(folder.resolve("kubeconfig"), server, tls, token);
        int etcd = FreePort.take();
        int peers = FreePort.take();
        start(
                "etcd",
                "--data-dir",
                folder.resolve("etcd").toString(),
                "--unsafe-no-fsync",
                "--log-level",
                "warn",
                "--listen-client-urls",
                "http://" + HOST + ":" + etcd,
                "--advertise-client-urls",
                "http://" + HOST + ":" + etcd,
                "--listen-peer-urls",
                "http://" + HOST + ":" + peers,
                "--initial-advertise-peer-urls",
                "http://" + HOST + ":" + peers,
                "--initial-cluster",
                "default=http://" + HOST + ":" + peers);
        Program apiServer = start(
                "kube-apiserver",
                "--etcd-servers",
                "http://" + HOST + ":" + etcd,
                "--bind-address",
                HOST,
                "--advertise-address",
                ADVERTISED,
                "--secure-port",
                Integer.toString(port),
                "--tls-cert-file",
                folder.resolve("server.crt").toString(),
                "--tls-private-key-file",
                folder.resolve("server.key").toString(),
                "--authorization-mode",
                "RBAC",
                "--token-auth-file",
                folder.resolve("tokens.csv").toString(),
                "--service-account-issuer",
                "https://kubernetes.default.svc",
                "--service-cluster-ip-range",
                "10.0.0.0/24",
                "--service-account-signing-key-file",
                folder.resolve("accounts.key").toString(),
                "--service-account-key-file",
                folder.resolve("accounts.key").toString(),
                "--allow-privileged");
        AdminApi admin = admin();
        Patience.await("kube-apiserver", PATIENCE, apiServer, () -> admin.answers("/readyz"));
        start(
                "kube-controller-manager",
                "--kubeconfig",
                folder.resolve("kubeconfig").toString(),
                "--leader-elect=false",
                "--service-account-private-key-file",
                folder.resolve("accounts.key").toString(),
                "--root-ca-file",
                folder.resolve("server.crt").toString(),
                "--bind-address",
                HOST,
                "--secure-port",
                Integer.toString(FreePort.take()));
        start(
                "kube-scheduler",
                "--kubeconfig",
                folder.resolve("kubeconfig").toString(),
                "--leader-elect=false",
                "--bind-address",
                HOST,
                "--secure-port",
                Integer.toString(FreePort.take()));
        CrdManifests.all().forEach(admin::createOnce);
        // Pods of a namespace are admitted once its default account exists.
        for (String namespace : ImmutableList.of("default", "kube-system")) {
            Patience.await(
                    "the default account of " + namespace,
                    PATIENCE,
                    apiServer,
                    () -> admin.get("serviceaccount", namespace, "default").isPresent());
        }
    }

    private Program start(String name, String... arguments) {
        Program started = Program.start(
                name,
                folder.resolve("logs/" + name + ".log"),
                ImmutableMap.of(),
                ImmutableList.<String>builder()
                        .add(parts.program(name))
                        .add(arguments)
                        .build());
        programs.add(started);
        return started;
    }

    private void write(String name, String content) throws IOException {
        Files.createDirectories(folder);
        PrivateFiles.write(folder.resolve(name), content);
    }

    private static String text(byte[] pem) {
        return new String(pem, StandardCharsets.US_ASCII);
    }

    private static String accountsKey() throws IOException {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(KEY_BITS);
            StringWriter pem = new StringWriter();
            try (JcaPEMWriter writer = new JcaPEMWriter(pem)) {
                writer.writeObject(generator.generateKeyPair().getPrivate());
            }
            return pem.toString();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK makes no RSA key: " + e.getMessage(), e);
        }
    }

    @Override
    public URI server() {
        return server;
    }

    @Override
    public AdminApi admin() {
        return new AdminApi(server, tls.context(), token);
    }

    @Override
    public String token() {
        return token;
    }

    @Override
    public boolean socketsOnly() {
        return false;
    }

    /** etcd last: the others need it to take their leave. */
    @Override
    public void close() {
        for (int i = programs.size() - 1; i >= 0; i--) {
            programs.get(i).close();
        }
    }
}
