package dev.kip.sim.cell;

import java.io.IOException;

/** Where cells listen on real sockets. Called on the loop. */
public interface CellAddresses {

    /** @throws IOException if the address cannot be had */
    Where open(CellInstance instance) throws IOException;

    /** The cell listens. @throws IOException if that cannot be made known */
    void listening(CellInstance instance, int port) throws IOException;

    void closed(CellInstance instance);

    /** @param port 0 for a free one */
    record Where(String host, int port) {}
}
