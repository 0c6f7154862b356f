package dev.kip.sim.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** The four ports of a world, looked at before anything is started. */
final class Ports {

    static final int COUNT = 4;
    private static final int HIGHEST = 65_535;

    private Ports() {}

    /**
     * @param first of four; 0 for free ones
     * @throws IOException naming the port and what to do
     */
    static void check(int first) throws IOException {
        if (first < 0 || first > HIGHEST - COUNT + 1) {
            throw new IOException("--ports " + first + " is out of range: four ports from N on are taken, so N is 1 to "
                    + (HIGHEST - COUNT + 1) + ", or 0 for free ones.");
        }
        for (int port = first; first > 0 && port < first + COUNT; port++) {
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                probe.setReuseAddress(true);
            } catch (IOException e) {
                throw taken(port, e);
            }
        }
    }

    /** That a port cannot be had, and what to do. */
    static IOException taken(int port, IOException cause) {
        return new IOException(
                "port " + port + " of 127.0.0.1 cannot be had: " + cause.getMessage()
                        + ". Stop what uses it, or choose others with --ports N, or --ports 0 for free ones.",
                cause);
    }
}
