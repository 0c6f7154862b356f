package dev.kip.sim.wall;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** For programs that cannot choose a port themselves and say which. */
final class FreePort {

    private FreePort() {}

    /** One of loopback that nobody had a moment ago. */
    static int take() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }
}
