package dev.kip.kube;

/** Called on the loop. */
public interface WatchListener<T> {

    /** The server has accepted the watch. Told once, first, unless the watch never opens. */
    default void opened() {}

    void added(T object);

    void modified(T object);

    /** Carries the object's last state. Always apply it, whatever its version (facts: linkerd/linkerd#1818). */
    void deleted(T object);

    void bookmark(String resourceVersion);

    /** An event whose object the codec refused; the watch goes on. */
    void refused(ObjectRef ref, String problem);

    /** The watch is over: nothing follows. {@link KubeError.Expired} asks for a new list. A clean end is {@link KubeError.Closed}. */
    void ended(KubeError reason);
}
