package dev.kip.sim.world;

/** Where the services of a world are. */
final class Places {

    static final String EC2_HOST = "ec2.sim";
    static final int EC2_PORT = 4566;

    static final String QUEUE_HOST = "queue.sim";
    static final int QUEUE_PORT = 9324;

    /** The queue that EC2's events go into. */
    static final String QUEUE = "kip-events";

    private Places() {}
}
