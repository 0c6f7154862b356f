package dev.kip.checkpointer.agent;

import com.google.common.collect.ImmutableList;
import dev.kip.cell.wire.InstallationKeys;
import dev.kip.cell.wire.OneCertificate;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.cell.wire.UserData;
import dev.kip.cell.wire.Wire;
import dev.kip.checkpointer.cri.GrpcCri;
import dev.kip.disk.DurableFiles;
import dev.kip.disk.nio.NioDisk;
import dev.kip.entropy.SecureEntropy;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.ServerTls;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every part of the agent once, with nobody around it, so that its classes are loaded. */
final class Rehearsal {

    private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);
    private static final String HOST = "127.0.0.1";

    private Rehearsal() {}

    static void run() throws IOException {
        Path scratch = Files.createTempDirectory("kip-agent");
        try (SystemLoop loop = SystemLoop.start("agent")) {
            rehearse(scratch, loop);
        } finally {
            new DurableFiles(new NioDisk()).removeTree(scratch);
        }
    }

    private static void rehearse(Path scratch, SystemLoop loop) throws IOException {
        InstallationKeys keys = InstallationKeys.create(new SecureEntropy(), loop.now());
        AgentSettings settings = new AgentSettings(
                "i-0",
                HOST,
                UserData.parseFile(UserData.file(
                        UserData.of(keys, "rehearsal", "node", "template", 1).toCloudConfig())),
                new AgentPlaces(scratch.resolve("state"), scratch.resolve("run")),
                Wire.KUBELET_PORT);
        Path socket = scratch.resolve("containerd.sock");
        Agent agent = AgentProcess.start(settings, socket, loop, ImmutableList.of("true"));
        SelfSigned key = agent.key();
        // The agent's own certificate is the controller's here: nobody has the key of the other.
        ServerTls tls = ServerTls.mutual(key.certificatePem(), key.keyPem(), key.certificatePem());
        try (VertxHttpServer server = VertxHttpServer.start(ServerBinding.secure(HOST, 0, tls), loop, agent);
                GrpcCri runtime = new GrpcCri(socket, Duration.ofSeconds(1))) {
            HttpsURLConnection connection = (HttpsURLConnection)
                    URI.create("https://" + HOST + ":" + server.port() + Wire.IDENTITY + "?nonce=" + "0".repeat(32))
                            .toURL()
                            .openConnection();
            connection.setSSLSocketFactory(OneCertificate.context(key).getSocketFactory());
            connection.setHostnameVerifier((host, session) -> true);
            LOG.info("the agent answers itself with {}", connection.getResponseCode());
            try {
                runtime.sandboxes();
            } catch (IOException nobody) {
                LOG.info("as it must be: {}", nobody.getMessage());
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }
}
