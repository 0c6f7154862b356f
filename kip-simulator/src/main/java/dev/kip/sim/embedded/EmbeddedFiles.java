package dev.kip.sim.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The files of an embedded world, all of them private. */
final class EmbeddedFiles {

    /** In the world's S3. */
    static final String ANCHOR_BUCKET = "kip-anchor";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path folder;
    private Optional<FileChannel> held = Optional.empty();

    private static final class LivesThere extends Exception {
        private static final long serialVersionUID = 1L;
    }

    EmbeddedFiles(Path folder) {
        this.folder = folder.toAbsolutePath().normalize();
    }

    Path kubeconfig() {
        return folder.resolve("kubeconfig");
    }

    Path endpoints() {
        return folder.resolve("endpoints.json");
    }

    Path providerYaml() {
        return folder.resolve("provider.yaml");
    }

    Path controllerKubeconfig() {
        return folder.resolve("controller.kubeconfig");
    }

    /** The disks of real cells. */
    Path machines() {
        return folder.resolve("machines");
    }

    Path addressMap() {
        return folder.resolve("addresses.json");
    }

    /** In a folder of its own, which nobody else may enter even if the data folder was there before. */
    WorldFile world() throws IOException {
        Path kept = folder.resolve("kept");
        PrivateFiles.makeFolder(kept);
        return new WorldFile(kept.resolve("world.json"));
    }

    /**
     * Makes the folder and takes it for this process, for as long as it lives.
     *
     * @throws IOException if another world lives there, or it cannot be written
     */
    void take() throws IOException {
        try {
            PrivateFiles.makeFolder(folder);
            FileChannel lock = PrivateFiles.openLock(folder.resolve(".lock"));
            if (lock.tryLock() == null) {
                lock.close();
                throw new LivesThere();
            }
            held = Optional.of(lock);
            // What promises that something answers is not there until it does.
            Files.deleteIfExists(kubeconfig());
            Files.deleteIfExists(endpoints());
        } catch (OverlappingFileLockException | LivesThere e) {
            throw new IOException(
                    "another world lives in " + folder
                            + ". End it, or give this one a folder of its own with --data DIR.",
                    e);
        } catch (IOException e) {
            throw new IOException(
                    "the data folder " + folder + " cannot be written: " + e.getMessage()
                            + ". Choose another with --data DIR.",
                    e);
        }
    }

    void writeControllerFiles(
            String kubernetes,
            String ec2,
            String token,
            LoopbackCertificate certificate,
            boolean taint,
            boolean realCells,
            NodeCertificates node)
            throws IOException {
        PrivateFiles.write(
                folder.resolve("kubelet-clients.pem"), text(node.client().certificatePem()));
        PrivateFiles.write(folder.resolve("kubelet.pem"), text(node.server().certificatePem()));
        PrivateFiles.write(folder.resolve("kubelet.key"), text(node.server().keyPem()));
        PrivateFiles.write(controllerKubeconfig(), kubeconfig(kubernetes, "kip-controller", token, certificate));
        PrivateFiles.write(providerYaml(), """
                # The controller's configuration in the embedded world. See: kip config explain
                cloud:
                  aws:
                    region: us-east-1
                    endpointURL: %s
                    accessKeyID: embedded
                    secretAccessKey: embedded
                    consistencyWindow: 30s
                cells:
                  bootImageSpec:
                    owners: amazon
                    filters: name=al2023-ami-*
                  defaultInstanceType: t3.nano
                %s
                kubelet:
                  port: 0
                  clientCAFile: %6$s/kubelet-clients.pem
                  tlsCertFile: %6$s/kubelet.pem
                  tlsPrivateKeyFile: %6$s/kubelet.key
                  capacity:
                    cpu: "1000"
                    memory: 4Ti
                    pods: "1000"
                node:
                  taint: %s
                ownership:
                  anchor: s3://%s/kip
                  anchorEndpointURL: %s
                """.formatted(
                        ec2, realCells ? "" : "  addressMap: " + addressMap(), taint, ANCHOR_BUCKET, ec2, folder));
    }

    private static String text(byte[] pem) {
        return new String(pem, StandardCharsets.US_ASCII);
    }

    void publish(EmbeddedWorld.Endpoints endpoints, String kubernetes, String token, LoopbackCertificate certificate)
            throws IOException {
        ObjectNode urls = JSON.createObjectNode();
        urls.put("kubernetes", endpoints.kubernetes());
        urls.put("ec2", endpoints.ec2());
        urls.put("metrics", endpoints.metrics());
        urls.put("health", endpoints.health());
        PrivateFiles.write(kubeconfig(), kubeconfig(kubernetes, "kip", token, certificate));
        PrivateFiles.write(endpoints(), urls.toPrettyString() + "\n");
    }

    /** Removes what promises that something answers. */
    void withdraw() {
        try {
            Files.deleteIfExists(kubeconfig());
            Files.deleteIfExists(endpoints());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Leaves the folder to another world. */
    void leave() {
        try {
            if (held.isPresent()) {
                held.get().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String kubeconfig(String server, String user, String token, LoopbackCertificate certificate) {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                - name: kip
                  cluster:
                    server: %s
                    certificate-authority-data: %s
                users:
                - name: %s
                  user:
                    token: %s
                contexts:
                - name: kip
                  context:
                    cluster: kip
                    user: %s
                    namespace: default
                current-context: kip
                """.formatted(
                        server, Base64.getEncoder().encodeToString(certificate.certificatePem()), user, token, user);
    }
}
