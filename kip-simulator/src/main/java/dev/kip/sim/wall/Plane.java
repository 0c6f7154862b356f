package dev.kip.sim.wall;

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

    @Override
    void close();
}
