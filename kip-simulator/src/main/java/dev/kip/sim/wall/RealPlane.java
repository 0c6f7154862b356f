package dev.kip.sim.wall;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.BaseEncoding;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
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
    private static final String ETCD = "etcd";

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
    private final int etcd;
    private final int peers;
    private final List<Program> programs = new ArrayList<>();

    private RealPlane(WallParts parts, Path folder, TrustedTls tls, URI server, String token, int etcd, int peers) {
        this.parts = parts;
        this.folder = folder;
        this.tls = tls;
        this.server = server;
        this.token = token;
        this.etcd = etcd;
        this.peers = peers;
    }

    /** Starts them in a folder of their own, and waits until each answers and Kip's kinds are defined. */
    static RealPlane start(WallParts parts, Path folder, TrustedTls tls, Entropy entropy) throws IOException {
        String token = BaseEncoding.base16().lowerCase().encode(entropy.bytes(TOKEN_BYTES));
        RealPlane plane = new RealPlane(
                parts,
                folder,
                tls,
                URI.create("https://" + HOST + ":" + FreePort.take()),
                token,
                FreePort.take(),
                FreePort.take());
        try {
            plane.startAll();
            return plane;
        } catch (IOException | RuntimeException e) {
            plane.close();
            throw e;
        }
    }

    private void startAll() throws IOException {
        LoopbackCertificate certificate = tls.certificate();
        write("server.crt", text(certificate.certificatePem()));
        write("server.key", text(certificate.keyPem()));
        write("accounts.key", accountsKey());
        write("tokens.csv", token + ",admin,admin,\"system:masters\"\n");
        Kubeconfig.write(folder.resolve("kubeconfig"), server, tls, token);
        startStore();
        startServers();
    }

    private void startStore() {
        start(
                ETCD,
                "--data-dir",
                store().toString(),
                "--unsafe-no-fsync",
                "--log-level",
                "warn",
                "--listen-client-urls",
                url(etcd),
                "--advertise-client-urls",
                url(etcd),
                "--listen-peer-urls",
                url(peers),
                "--initial-advertise-peer-urls",
                url(peers),
                "--initial-cluster",
                "default=" + url(peers));
    }

    private Path store() {
        return folder.resolve("etcd");
    }

    private static String url(int port) {
        return "http://" + HOST + ":" + port;
    }

    /** Returns when pods are taken. */
    private void startServers() throws IOException {
        Program apiServer = start(
                "kube-apiserver",
                "--etcd-servers",
                url(etcd),
                "--bind-address",
                HOST,
                "--advertise-address",
                ADVERTISED,
                "--secure-port",
                Integer.toString(server.getPort()),
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
        startManager(
                "kube-controller-manager",
                "--service-account-private-key-file",
                folder.resolve("accounts.key").toString(),
                "--root-ca-file",
                folder.resolve("server.crt").toString());
        startManager("kube-scheduler");
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

    private void startManager(String name, String... more) throws IOException {
        start(
                name,
                ImmutableList.<String>builder()
                        .add("--kubeconfig", folder.resolve("kubeconfig").toString())
                        .add("--leader-elect=false")
                        .add("--bind-address", HOST)
                        .add("--secure-port", Integer.toString(FreePort.take()))
                        .add(more)
                        .build()
                        .toArray(String[]::new));
    }

    @Override
    public void backup(String name) {
        Program.run(
                        ImmutableMap.of(),
                        Path.of("/dev/null"),
                        ImmutableList.of(
                                parts.program("etcdctl"),
                                "--endpoints",
                                url(etcd),
                                "snapshot",
                                "save",
                                kept(name).toString()))
                .orFail();
    }

    private Path kept(String name) {
        return folder.resolve("backup-" + name);
    }

    /** All of the control plane stops, and starts with what was kept; its revision is that of the backup. */
    @Override
    public void restore(String name) throws IOException {
        close();
        programs.clear();
        MoreFiles.deleteRecursively(store(), RecursiveDeleteOption.ALLOW_INSECURE);
        Program.run(
                        ImmutableMap.of(),
                        Path.of("/dev/null"),
                        ImmutableList.of(
                                parts.program("etcdutl"),
                                "snapshot",
                                "restore",
                                kept(name).toString(),
                                "--data-dir",
                                store().toString(),
                                "--name",
                                "default",
                                "--initial-cluster",
                                "default=" + url(peers),
                                "--initial-advertise-peer-urls",
                                url(peers)))
                .orFail();
        startStore();
        startServers();
    }

    @Override
    public void recreate() throws IOException {
        close();
        programs.clear();
        MoreFiles.deleteRecursively(store(), RecursiveDeleteOption.ALLOW_INSECURE);
        startStore();
        startServers();
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
