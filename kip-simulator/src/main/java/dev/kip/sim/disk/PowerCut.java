package dev.kip.sim.disk;

/** The power failed at a step of the disk: what runs on the machine is gone at once. Not to be caught but by the world. */
public final class PowerCut extends Error {

    private static final long serialVersionUID = 1L;

    PowerCut(String step) {
        super("power cut before: " + step);
    }
}
