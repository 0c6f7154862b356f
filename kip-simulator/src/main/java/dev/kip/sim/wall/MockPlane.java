package dev.kip.sim.wall;

import dev.kip.sim.mock.MockServer;
import java.net.URI;

/** fabric8's mock server in this process. */
final class MockPlane implements Plane {

    private static final String TOKEN = "mock";

    private final MockServer server;
    private final TrustedTls tls;

    private MockPlane(MockServer server, TrustedTls tls) {
        this.server = server;
        this.tls = tls;
    }

    static MockPlane start(TrustedTls tls) {
        return new MockPlane(MockServer.start(), tls);
    }

    @Override
    public URI server() {
        return server.address();
    }

    @Override
    public AdminApi admin() {
        return new AdminApi(server(), tls.context(), TOKEN);
    }

    @Override
    public String token() {
        return TOKEN;
    }

    @Override
    public boolean socketsOnly() {
        return true;
    }

    @Override
    public void backup(String name) {
        server.backup(name);
    }

    @Override
    public void restore(String name) {
        server.restore(name);
    }

    @Override
    public void recreate() {
        server.recreate();
    }

    @Override
    public void close() {
        server.close();
    }
}
