package dev.kip.sim.wall;

import dev.kip.sim.embedded.PrivateFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Locale;

/** Files that say where an API server is and who asks, mode 0600. */
final class Kubeconfig {

    private Kubeconfig() {}

    static void write(Path file, URI server, TrustedTls tls, String token) throws IOException {
        Files.createDirectories(file.getParent());
        PrivateFiles.write(
                file,
                String.format(
                        Locale.ROOT,
                        """
                        apiVersion: v1
                        kind: Config
                        clusters:
                        - name: world
                          cluster: {server: "%s", certificate-authority-data: "%s"}
                        users:
                        - name: user
                          user: {token: "%s"}
                        contexts:
                        - name: world
                          context: {cluster: world, user: user}
                        current-context: world
                        """,
                        server,
                        Base64.getEncoder().encodeToString(tls.certificate().certificatePem()),
                        token));
    }
}
