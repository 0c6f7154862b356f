package dev.kip.kube;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/** Writes down what a watch tells. */
final class WatchLog implements WatchListener<ObjectNode> {

    final List<String> lines = new ArrayList<>();
    Optional<KubeError> end = Optional.empty();
    Consumer<String> onLine = line -> {};

    @Override
    public void opened() {
        line("opened");
    }

    @Override
    public void added(ObjectNode object) {
        line("added " + name(object));
    }

    @Override
    public void modified(ObjectNode object) {
        line("modified " + name(object));
    }

    @Override
    public void deleted(ObjectNode object) {
        line("deleted " + name(object));
    }

    @Override
    public void bookmark(String resourceVersion) {
        line("bookmark " + resourceVersion);
    }

    @Override
    public void refused(ObjectRef ref, String problem) {
        line("refused " + ref + ": " + problem);
    }

    @Override
    public void ended(KubeError reason) {
        if (end.isPresent()) {
            throw new AssertionError("ended twice: " + end.get() + ", then " + reason);
        }
        end = Optional.of(reason);
    }

    private void line(String line) {
        lines.add(line);
        onLine.accept(line);
    }

    static String event(String type, String name) {
        return "{\"type\":\"" + type + "\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"" + name
                + "\",\"resourceVersion\":\"1\"}}}";
    }

    private static String name(ObjectNode object) {
        return object.path("metadata").path("name").asString();
    }
}
