package dev.kip.checkpointer.kubelet;

import dev.kip.bundle.Site;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a rule looks at: a manifest, not yet changed by kubelet, and where it is to run. */
record Look(ObjectNode pod, KubeletVersion version, Circumstances circumstances) {

    NodeFacts node() {
        return circumstances.node();
    }

    ApiServer api() {
        return circumstances.api();
    }

    JsonNode metadata() {
        return pod.path("metadata");
    }

    JsonNode spec() {
        return pod.path("spec");
    }

    /** The name that kubelet gives the pod. */
    String name() {
        return metadata().path("name").asString("") + node().suffix();
    }

    String namespace() {
        String namespace = metadata().path("namespace").asString("");
        return namespace.isEmpty() ? "default" : namespace;
    }

    List<Site> sites(String pattern) {
        return Site.find(pod, pattern);
    }

    /** The elements of a list of objects below {@code spec}, with their paths. */
    List<Element> each(String field) {
        List<Element> elements = new ArrayList<>();
        JsonNode list = spec().path(field);
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i) instanceof ObjectNode object) {
                elements.add(new Element(object, "spec." + field + "[" + i + "]"));
            }
        }
        return elements;
    }

    /** Init containers, then ordinary ones. */
    List<Element> containers() {
        List<Element> containers = each("initContainers");
        containers.addAll(each("containers"));
        return containers;
    }

    /** An element of a list. */
    record Element(ObjectNode node, String path) {
        String text(String field) {
            return node.path(field).asString("");
        }

        boolean isSidecar() {
            return text("restartPolicy").equals("Always");
        }
    }
}
