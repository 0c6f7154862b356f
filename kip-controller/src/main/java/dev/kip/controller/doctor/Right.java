package dev.kip.controller.doctor;

import com.google.common.collect.ImmutableList;
import dev.kip.yaml.Yaml;
import dev.kip.yaml.YamlProblem;
import dev.kip.yaml.YamlReader;

/**
 * One thing that the controller must be allowed to do in the cluster.
 *
 * @param group empty for the core group
 * @param resource with its subresource, for example {@code pods/status}
 * @param name of the one object that it is about; empty for all
 * @param namespace that it is confined to; empty for the whole cluster
 */
public record Right(String verb, String group, String resource, String name, String namespace) {

    /** {@code "can patch pods/status"}. */
    public String text() {
        return verb + " " + resource + (group.isEmpty() ? "" : "." + group)
                + (name.isEmpty() ? "" : " " + name)
                + (namespace.isEmpty() ? "" : " in namespace " + namespace);
    }

    public String plainResource() {
        int slash = resource.indexOf('/');
        return slash < 0 ? resource : resource.substring(0, slash);
    }

    public String subresource() {
        int slash = resource.indexOf('/');
        return slash < 0 ? "" : resource.substring(slash + 1);
    }

    /**
     * What the roles of a manifest grant, in its order.
     *
     * @param ours the namespace that the controller is configured for; takes the place of the manifest's own, which
     *     bindings of a Role may be moved to. Roles in {@code kube-} namespaces stay where they are.
     * @throws IllegalArgumentException if it is no such manifest
     */
    public static ImmutableList<Right> in(String file, String manifest, String ours) {
        ImmutableList<Yaml> documents;
        try {
            documents = YamlReader.readAll(file, manifest);
        } catch (YamlProblem e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        ImmutableList.Builder<Right> rights = ImmutableList.builder();
        for (Yaml document : documents) {
            String kind = text(document, "kind");
            if (!kind.equals("ClusterRole") && !kind.equals("Role")) {
                continue;
            }
            String found = text(child(document, "metadata"), "namespace");
            String namespace = kind.equals("ClusterRole") ? "" : found.startsWith("kube-") ? found : ours;
            for (Yaml rule : items(document, "rules")) {
                addAll(rights, rule, namespace);
            }
        }
        return rights.build();
    }

    private static void addAll(ImmutableList.Builder<Right> rights, Yaml rule, String namespace) {
        ImmutableList<String> names = words(rule, "resourceNames");
        for (String group : words(rule, "apiGroups")) {
            for (String resource : words(rule, "resources")) {
                for (String verb : words(rule, "verbs")) {
                    for (String name : names.isEmpty() ? ImmutableList.of("") : names) {
                        rights.add(new Right(verb, group, resource, name, namespace));
                    }
                }
            }
        }
    }

    private static Yaml child(Yaml parent, String key) {
        Yaml empty = new Yaml.Scalar(parent.line(), "", true);
        return parent instanceof Yaml.Mapping mapping ? mapping.entries().getOrDefault(key, empty) : empty;
    }

    private static String text(Yaml parent, String key) {
        return child(parent, key) instanceof Yaml.Scalar scalar ? scalar.text() : "";
    }

    private static ImmutableList<Yaml> items(Yaml parent, String key) {
        return child(parent, key) instanceof Yaml.Sequence sequence ? sequence.items() : ImmutableList.of();
    }

    private static ImmutableList<String> words(Yaml parent, String key) {
        return items(parent, key).stream()
                .map(item -> item instanceof Yaml.Scalar scalar ? scalar.text() : "")
                .collect(ImmutableList.toImmutableList());
    }
}
