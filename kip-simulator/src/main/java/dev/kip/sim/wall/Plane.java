package dev.kip.sim.wall;

import java.io.IOException;
import java.net.URI;

/** An API server that answers over the network, with what works on it: scheduler, Deployments, garbage collection. */
interface Plane extends AutoCloseable {

    /** Where it answers. */
    URI server();

    /** What its admin may ask of it. */
    AdminApi admin();

    /** The admin's token, which the controller uses too. */
    String token();

    /** Whether it tells watches over WebSocket only. */
    boolean socketsOnly();

    /** Keeps all that is stored now under a name. */
    void backup(String name) throws IOException;

    /** What is stored becomes what was kept under the name; whoever watches must list again. */
    void restore(String name) throws IOException;

    /** All that was stored is gone; Kip's kinds are defined again. */
    void recreate() throws IOException;

    @Override
    void close();
}
