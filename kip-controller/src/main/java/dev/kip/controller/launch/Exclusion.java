package dev.kip.controller.launch;

import java.util.Optional;

/** Why something that is offered is not launched for a pod. In the order in which it is asked. */
public enum Exclusion {
    MARKET("for the market that the pod is not for"),
    CPU("too few vCPUs"),
    MEMORY("too little memory besides what the cell itself needs"),
    GPUS("too few GPUs"),
    GPU_KIND("GPUs of another kind"),
    NAME("not the instance type that the pod names"),
    OLD_GENERATION("an earlier generation, and not named"),
    BARE_METAL("bare metal, and not named"),
    BURSTABLE("burstable, and neither named nor allowed by cells.burstable"),
    NO_PRICE("no known price"),
    ARCHITECTURE("another architecture"),
    NO_IMAGE("no image of the cells for the architecture"),
    OPT_IN_ZONE("only in a local or wavelength zone, and that is not named"),
    NOT_IN_ZONE("the zone does not have it"),
    SELECTION("not what node selector and affinity ask for"),
    DEARER_SPOT("spot, and not cheaper than on demand");

    private final String text;
    private final Optional<Exclusion> reason = Optional.of(this);

    Exclusion(String text) {
        this.text = text;
    }

    /** The answer to "why not?". Made once: thousands of offers are judged for a pod. */
    Optional<Exclusion> reason() {
        return reason;
    }

    /** For people. */
    public String text() {
        return text;
    }
}
