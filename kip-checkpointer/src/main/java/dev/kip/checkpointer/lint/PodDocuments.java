package dev.kip.checkpointer.lint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.yaml.Suggestion;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import dev.kip.yaml.YamlReader;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Finds the pods of a file: pods, lists of them as kubectl prints them, and the templates of what makes pods. */
final class PodDocuments {

    private static final ImmutableSet<String> WITH_TEMPLATES =
            ImmutableSet.of("DaemonSet", "Deployment", "StatefulSet", "ReplicaSet", "ReplicationController");

    private PodDocuments() {}

    /**
     * @param file its name, for messages
     * @throws YamlProblem naming the line
     */
    static ImmutableList<PodDocument> read(String file, String text) throws YamlProblem {
        ImmutableList.Builder<PodDocument> pods = ImmutableList.builder();
        for (Yaml document : YamlReader.readAll(file, text)) {
            add(file, document, pods);
        }
        ImmutableList<PodDocument> found = pods.build();
        if (found.isEmpty()) {
            throw new YamlProblem(file, 1, "there is no pod in it");
        }
        return found;
    }

    private static void add(String file, Yaml document, ImmutableList.Builder<PodDocument> pods) throws YamlProblem {
        if (!(GoYaml.json(document) instanceof ObjectNode object) || !(document instanceof Yaml.Mapping mapping)) {
            throw new YamlProblem(file, document.line(), "a pod expected, found " + document.found());
        }
        String kind = object.path("kind").asString("");
        if (kind.endsWith("List") && mapping.entries().get("items") instanceof Yaml.Sequence items) {
            for (Yaml item : items.items()) {
                addItem(file, item, kind, pods);
            }
        } else if (WITH_TEMPLATES.contains(kind)) {
            pods.add(template(file, object, mapping));
        } else if (kind.equals("Pod") || kind.isEmpty()) {
            pods.add(new PodDocument(file, object, Optional.of(mapping), false));
        } else {
            throw new YamlProblem(
                    file,
                    mapping.keyLines().getOrDefault("kind", mapping.line()),
                    "kind " + kind + " has no pod in it." + Suggestion.didYouMean(kind, known()));
        }
    }

    /** An item of a typed list has no kind of its own. */
    private static void addItem(String file, Yaml item, String listKind, ImmutableList.Builder<PodDocument> pods)
            throws YamlProblem {
        if (listKind.equals("PodList") && GoYaml.json(item) instanceof ObjectNode pod) {
            pod.put("apiVersion", "v1");
            pod.put("kind", "Pod");
            pods.add(new PodDocument(file, pod, Optional.of(item), false));
        } else {
            add(file, item, pods);
        }
    }

    private static ImmutableSet<String> known() {
        return ImmutableSet.<String>builder()
                .add("Pod")
                .add("List")
                .add("PodList")
                .addAll(WITH_TEMPLATES)
                .build();
    }

    private static PodDocument template(String file, ObjectNode owner, Yaml.Mapping mapping) {
        ObjectNode pod = owner.objectNode();
        pod.put("apiVersion", "v1");
        pod.put("kind", "Pod");
        JsonNode template = owner.path("spec").path("template");
        ObjectNode metadata =
                template.path("metadata") instanceof ObjectNode given ? given.deepCopy() : owner.objectNode();
        metadata.set("name", owner.path("metadata").path("name"));
        metadata.set("namespace", owner.path("metadata").path("namespace"));
        pod.set("metadata", metadata);
        pod.set(
                "spec",
                template.path("spec").isMissingNode()
                        ? owner.objectNode()
                        : template.path("spec").deepCopy());
        return new PodDocument(file, pod, Optional.of(templateLines(mapping)), true);
    }

    private static Yaml templateLines(Yaml.Mapping owner) {
        return child(owner, "spec").flatMap(spec -> child(spec, "template")).orElse(owner);
    }

    private static Optional<Yaml.Mapping> child(Yaml.Mapping parent, String key) {
        return parent.entries().get(key) instanceof Yaml.Mapping mapping ? Optional.of(mapping) : Optional.empty();
    }
}
