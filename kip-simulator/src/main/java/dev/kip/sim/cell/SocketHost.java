package dev.kip.sim.cell;

import dev.kip.cell.wire.SelfSigned;
import dev.kip.cell.wire.UserData;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpService;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.ServerTls;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.Loop;
import dev.kip.sim.cell.CellAddresses.Where;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cells on real sockets with mutual TLS, a thousand in one process: one loop and one set of network threads for all. */
public final class SocketHost implements CellHost {

    /** A bundle holds secrets and config maps of 1 MiB each, in base64. */
    private static final int MAX_BODY_BYTES = 32 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(SocketHost.class);

    private final Vertx vertx;
    private final Loop loop;
    private final Entropy entropy;
    private final CellAddresses addresses;

    public SocketHost(Vertx vertx, Loop loop, Entropy entropy, CellAddresses addresses) {
        this.vertx = vertx;
        this.loop = loop;
        this.entropy = entropy;
        this.addresses = addresses;
    }

    @Override
    public Machine power(CellInstance instance, CellDisk disk) {
        SelfSigned key = disk.key.orElseGet(() -> SelfSigned.create(entropy, loop.now(), instance.instanceId()));
        disk.key = Optional.of(key);
        return new Socketed(instance, key);
    }

    private final class Socketed implements Machine {
        private final CellInstance instance;
        private final SelfSigned key;
        private final PoweredLoop own = new PoweredLoop(loop);
        private Optional<VertxHttpServer> server = Optional.empty();

        Socketed(CellInstance instance, SelfSigned key) {
            this.instance = instance;
            this.key = key;
        }

        @Override
        public Loop loop() {
            return own;
        }

        @Override
        public String fingerprint() {
            return key.fingerprint();
        }

        @Override
        public void serve(HttpService agent) throws IOException {
            UserData userData = UserData.parse(instance.userData());
            ServerTls tls = ServerTls.mutual(
                    key.certificatePem(), key.keyPem(), SelfSigned.certificatePem(userData.controller()));
            Where where = addresses.open(instance);
            ServerBinding binding =
                    ServerBinding.secure(where.host(), where.port(), tls).maxBodyBytes(MAX_BODY_BYTES);
            VertxHttpServer started = VertxHttpServer.start(vertx, binding, own, agent);
            server = Optional.of(started);
            addresses.listening(instance, started.port());
            LOG.info("Cell {} answers at {}:{}", instance.instanceId(), where.host(), started.port());
        }

        /** The agent's own: both are one service under one certificate. */
        @Override
        public int kubeletPort() {
            return server.map(VertxHttpServer::port).orElse(0);
        }

        @Override
        public void off() {
            own.off();
            server.ifPresent(VertxHttpServer::close);
            addresses.closed(instance);
        }
    }
}
