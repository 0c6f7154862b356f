package dev.kip.checkpointer.kubelet;

/** How far a static pod has come when something is amiss, in kubelet's order. */
public enum Stage {
    /** The file is no pod. */
    DECODE(Fate.NOT_LOADED),
    /** The pod is invalid. */
    VALIDATE(Fate.NOT_LOADED),
    /** It refers to an object of the API server. */
    REFER(Fate.NOT_LOADED),
    /** Kubelet marks it Failed and never tries again until the file changes or kubelet restarts. */
    ADMIT(Fate.REJECTED),
    /** It is admitted and never runs while the API server is away. */
    START(Fate.STUCK),
    /** Kubelet itself dies of it. */
    CRASH(Fate.CRASHES_KUBELET),
    /** It runs, but the API server does not show it. */
    MIRROR(Fate.UNSEEN),
    /** It runs, but something may not be as its owner expects. */
    RISK(Fate.COMES_BACK);

    private final Fate fate;

    Stage(Fate fate) {
        this.fate = fate;
    }

    /** What becomes of the pod if this is as far as it comes. */
    public Fate fate() {
        return fate;
    }
}
