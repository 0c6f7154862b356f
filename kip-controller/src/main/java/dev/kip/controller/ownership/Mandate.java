package dev.kip.controller.ownership;

/**
 * The right to mutate, as long as it lasts. Every effect that mutates asks it last of all.
 *
 * @param epoch of the incarnation that decided
 * @param notAfter by {@link dev.kip.loop.Loop#nanos}: the end of the lease less the time that the call may take
 */
public record Mandate(long epoch, long notAfter) {

    public boolean expired(long now) {
        return now - notAfter > 0;
    }
}
