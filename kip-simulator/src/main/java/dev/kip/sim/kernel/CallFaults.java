package dev.kip.sim.kernel;

/** Decides what becomes of each request on the simulated network. Asked once, when the request is sent. */
public interface CallFaults {

    /** No faults. */
    CallFaults NONE = call -> Fate.ARRIVES;

    Fate fateOf(Call call);

    /**
     * A request about to be sent.
     *
     * @param from name of the sending process
     * @param to name of the service, for example {@code kubernetes}, {@code ec2}
     * @param action what is asked, for example {@code POST cells}, {@code RunInstances}
     * @param target the object, as far as the request names it
     * @param mutating whether it is meant to change something
     */
    record Call(String from, String to, String action, String target, boolean mutating) {}

    /** What becomes of it. */
    enum Fate {
        ARRIVES,
        /** The sender is killed before the request leaves. */
        SENDER_DIES_BEFORE,
        /** The request has its effect; the sender is killed before the answer arrives. */
        SENDER_DIES_AFTER,
        /** The request never arrives; the connection breaks. */
        REQUEST_LOST,
        /** The request has its effect; the connection breaks before the answer arrives. */
        REPLY_LOST,
        /** The request arrives nowhere and nothing ever comes back; the sender's own deadline must end it. */
        SILENCE
    }
}
