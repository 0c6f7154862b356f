package dev.kip.kube;

import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** One event of a watch, decoded off the loop, delivered on it. */
sealed interface WatchFrame<T> {

    static <T> WatchFrame<T> decode(String what, ResourceKind<T> kind, byte[] json) {
        ObjectNode event = KubeJson.object(json).orElse(null);
        if (event == null) {
            return new End<>(
                    new KubeError.Garbled(200, what + ": wanted a watch event, found " + KubeJson.excerpt(json)));
        }
        String type = event.path("type").asString("");
        if (type.isEmpty() && event.path("kind").asString("").equals("Status")) {
            return new End<>(Statuses.read(what, event));
        }
        if (type.equals("ERROR")) {
            return new End<>(Statuses.read(what, event.path("object")));
        }
        ObjectNode object = KubeJson.child(event, "object").orElse(null);
        if (object == null) {
            return new End<>(new KubeError.Garbled(200, what + ": event without object: " + KubeJson.excerpt(json)));
        }
        return type.equals("BOOKMARK")
                ? new Bookmark<>(object.path("metadata").path("resourceVersion").asString(""))
                : change(what, kind, type, object);
    }

    private static <T> WatchFrame<T> change(String what, ResourceKind<T> kind, String type, ObjectNode object) {
        if (!type.equals("ADDED") && !type.equals("MODIFIED") && !type.equals("DELETED")) {
            return new End<>(new KubeError.Garbled(200, what + ": unknown event type \"" + type + "\""));
        }
        ObjectRef ref = KubeJson.refOf(object);
        try {
            T decoded = Bodies.decode(kind, object);
            return switch (type) {
                case "ADDED" -> new Added<>(decoded);
                case "MODIFIED" -> new Modified<>(decoded);
                default -> new Deleted<>(decoded);
            };
        } catch (RuntimeException e) {
            return new Refused<>(ref, type + ": " + e.getMessage());
        }
    }

    /** @param end called in place of the listener when the frame ends the watch */
    void deliver(WatchListener<T> listener, Consumer<KubeError> end);

    record Added<T>(T object) implements WatchFrame<T> {
        @Override
        public void deliver(WatchListener<T> listener, Consumer<KubeError> end) {
            listener.added(object);
        }
    }

    record Modified<T>(T object) implements WatchFrame<T> {
        @Override
        public void deliver(WatchListener<T> listener, Consumer<KubeError> end) {
            listener.modified(object);
        }
    }

    record Deleted<T>(T object) implements WatchFrame<T> {
        @Override
        public void deliver(WatchListener<T> listener, Consumer<KubeError> end) {
            listener.deleted(object);
        }
    }

    record Bookmark<T>(String resourceVersion) implements WatchFrame<T> {
        @Override
        public void deliver(WatchListener<T> listener, Consumer<KubeError> end) {
            listener.bookmark(resourceVersion);
        }
    }

    record Refused<T>(ObjectRef ref, String problem) implements WatchFrame<T> {
        @Override
        public void deliver(WatchListener<T> listener, Consumer<KubeError> end) {
            listener.refused(ref, problem);
        }
    }

    record End<T>(KubeError reason) implements WatchFrame<T> {
        @Override
        public void deliver(WatchListener<T> listener, Consumer<KubeError> end) {
            end.accept(reason);
        }
    }
}
