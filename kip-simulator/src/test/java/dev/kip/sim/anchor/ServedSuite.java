package dev.kip.sim.anchor;

import com.google.common.collect.ImmutableList;
import dev.kip.http.HttpService;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.Loop;
import dev.kip.loop.system.SystemLoop;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The suite on a simulated service that listens on a socket. */
abstract class ServedSuite extends SocketSuite {

    private ImmutableList<AutoCloseable> open = ImmutableList.of();
    private Optional<VertxHttpServer> server = Optional.empty();

    abstract HttpService service(Loop loop);

    @BeforeEach
    void serve() throws IOException {
        SystemLoop loop = SystemLoop.start("anchor-test");
        VertxHttpServer started = VertxHttpServer.start(ServerBinding.plain("127.0.0.1", 0), loop, service(loop));
        server = Optional.of(started);
        open = ImmutableList.of(started, loop);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    @Override
    String endpoint() {
        return "http://127.0.0.1:" + server.orElseThrow().port();
    }
}
