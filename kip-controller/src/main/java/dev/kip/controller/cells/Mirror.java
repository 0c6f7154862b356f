package dev.kip.controller.cells;

import dev.kip.controller.podstatus.StatusView;
import dev.kip.controller.store.PodFacts;
import java.time.Duration;

/**
 * How the status that the pod has in the API server comes to be what the cell reports. Others write it too: the node
 * controller takes readiness away while the node is silent, and nobody but us gives it back (virtual-kubelet/virtual-kubelet
 * issue 899). So it is the pod that tells what is to be written, and not the memory of what was.
 *
 * @param sent digest of the status that was written last; empty if none was
 * @param became digest of the status that the pod had then. What lies between may change what it is sent, always in the same
 *     way: that is not worth another write.
 * @param written when that was
 * @param departed when the pod's status was last seen to become another than that
 * @param again how often in a row the same was written anew
 */
record Mirror(String sent, String became, long written, long departed, int again) {

    static final Mirror BLANK = new Mirror("", "", 0, 0, 0);

    /** Before the first answer to another writer: a watch that lags shows what was there before our own write. */
    private static final Duration FIRST = Duration.ofSeconds(1);

    /** Two that write against each other cost little. */
    private static final Duration MOST = Duration.ofMinutes(1);

    /** Others that left ours alone for so long do not write against it. */
    private static final Duration CALM = Duration.ofMinutes(10);

    /** The pod's status is what the cell reports. */
    boolean shows(StatusView view, PodFacts pod) {
        return view.digest().equals(pod.statusDigest())
                || (view.digest().equals(sent) && pod.statusDigest().equals(became));
    }

    /** It was, and another writer has changed it. */
    boolean overwritten(StatusView view, PodFacts pod) {
        return view.digest().equals(sent) && !shows(view, pod);
    }

    /** When what another writer has changed is to be written anew. */
    long dueAnew() {
        Duration pause = FIRST.multipliedBy(1L << Math.min(again, 20));
        return departed + (pause.compareTo(MOST) < 0 ? pause : MOST).toNanos();
    }

    /** A status was written, and {@code pod} is the answer. */
    Mirror after(String digest, PodFacts pod, long now) {
        return new Mirror(digest, pod.statusDigest(), now, now, digest.equals(sent) ? again + 1 : 0);
    }

    Mirror seen(PodFacts before, PodFacts after, long now) {
        return before.statusDigest().equals(became) && !after.statusDigest().equals(became)
                ? new Mirror(sent, became, written, now, now - written < CALM.toNanos() ? again : 0)
                : this;
    }
}
