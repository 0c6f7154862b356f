package dev.kip.sim.world;

/** Where the services of a world are. */
final class Places {

    static final String EC2_HOST = "ec2.sim";
    static final int EC2_PORT = 4566;

    private Places() {}
}
