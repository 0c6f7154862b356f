package dev.kip.http.vertx;

import io.vertx.core.Future;

/** How much has been written to a client and not yet sent. Confined to the socket's thread. */
final class SendQueue {

    /** A client that falls so far behind is cut off, as kube-apiserver does with slow watchers. */
    private static final long MAX_BYTES = 64L << 20;

    private long waiting;

    /** Whether {@code bytes} more may be written. */
    boolean admits(int bytes) {
        return waiting + bytes <= MAX_BYTES;
    }

    void track(int bytes, Future<Void> write) {
        waiting += bytes;
        write.onComplete(done -> waiting -= bytes);
    }
}
