package dev.kip.bench.adopt;

import com.google.common.collect.ImmutableMap;
import dev.kip.cell.wire.SelfSigned;
import dev.kip.cell.wire.UserData;
import dev.kip.cell.wire.Wire;
import dev.kip.entropy.Entropy;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.ServerTls;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.Loop;
import dev.kip.sim.cell.CellDisk;
import dev.kip.sim.cell.CellHost;
import dev.kip.sim.cell.CellInstance;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/**
 * Thousands of agents behind one listening socket: each has an address of its own, and all of them show the same
 * certificate, so that making keys is no part of what is measured. Confined to the loop, but for {@link #close}.
 */
public final class AgentsBehindOnePort implements CellHost, AutoCloseable {

    private static final int PER_PART = 250;
    private static final int LARGEST_BODY = 32 << 20;

    /** Where agents are. */
    public enum At {
        /** Each at a loopback address; the controller finds them by a file of addresses. */
        LOOPBACK,
        /** Each at its instance's private address, on the usual port; all of these must be this machine's. */
        PRIVATE_ADDRESS
    }

    private final Vertx vertx;
    private final Loop loop;
    private final SelfSigned key;
    private final At at;
    private final Map<String, HttpService> byHost = new LinkedHashMap<>();
    private final Map<String, String> hosts = new LinkedHashMap<>();
    private final Set<String> heard = new HashSet<>();
    private Optional<VertxHttpServer> server = Optional.empty();

    public AgentsBehindOnePort(Vertx vertx, Loop loop, Entropy entropy, At at) {
        this.vertx = vertx;
        this.loop = loop;
        this.key = SelfSigned.create(entropy, loop.now(), "agents");
        this.at = at;
    }

    @Override
    public Machine power(CellInstance instance, CellDisk disk) {
        String host = at == At.LOOPBACK ? loopback(hosts.size()) : instance.privateIp();
        hosts.put(instance.instanceId(), host);
        return new Machine() {
            @Override
            public Loop loop() {
                return loop;
            }

            @Override
            public String fingerprint() {
                return key.fingerprint();
            }

            @Override
            public void serve(HttpService agent) throws IOException {
                if (server.isEmpty()) {
                    server = Optional.of(listen(UserData.parse(instance.userData())));
                }
                byHost.put(host, agent);
            }

            @Override
            public void off() {
                byHost.remove(host);
            }
        };
    }

    private static String loopback(int number) {
        return "127." + (1 + number / (PER_PART * PER_PART)) + "." + number / PER_PART % PER_PART + "."
                + (1 + number % PER_PART);
    }

    private VertxHttpServer listen(UserData userData) throws IOException {
        ServerTls tls =
                ServerTls.mutual(key.certificatePem(), key.keyPem(), SelfSigned.certificatePem(userData.controller()));
        return VertxHttpServer.start(
                vertx,
                ServerBinding.secure("0.0.0.0", at == At.LOOPBACK ? 0 : Wire.PORT, tls)
                        .maxBodyBytes(LARGEST_BODY),
                loop,
                this::handle);
    }

    private void handle(HttpCall call) {
        String authority = call.header("host").orElse("");
        String host = authority.substring(0, Math.max(0, authority.lastIndexOf(':')));
        Optional<HttpService> agent = Optional.ofNullable(byHost.get(host));
        if (agent.isEmpty()) {
            call.respond(503, ImmutableMap.of(), ("no agent at " + authority).getBytes(StandardCharsets.UTF_8));
            return;
        }
        if (call.rawPath().equals(Wire.STATE)) {
            heard.add(host);
        }
        agent.get().handle(call);
    }

    /** Writes where each agent is dialled. All must be served by then. */
    void writeMap(Path file) {
        Map<String, String> targets = new LinkedHashMap<>();
        server.ifPresent(open -> hosts.forEach((id, host) -> targets.put(id, host + ":" + open.port())));
        try {
            Files.writeString(file, JsonMapper.builder().build().writeValueAsString(targets));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many agents have been asked for their state since {@link #forgetHeard}. */
    int heard() {
        return heard.size();
    }

    void forgetHeard() {
        heard.clear();
    }

    int serving() {
        return byHost.size();
    }

    @Override
    public void close() {
        server.ifPresent(VertxHttpServer::close);
    }
}
