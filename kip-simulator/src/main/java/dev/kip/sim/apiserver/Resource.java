package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.apiserver.kinds.CustomResources;
import dev.kip.sim.apiserver.kinds.Strategy;
import dev.kip.sim.apiserver.schema.ModelFields;
import dev.kip.sim.apiserver.selector.SelectableFields;
import dev.kip.sim.apiserver.store.Shelf;
import dev.kip.sim.apiserver.store.Versioned;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One served version of a kind: where its objects lie and how they are read and written.
 *
 * @param apiVersion of {@code type}
 * @param storedApiVersion the version in which objects are kept, whichever version they are written in
 * @param toStored from this version to the stored one; may change its argument
 * @param fromStored from the stored version to this one; must not change its argument
 * @param definedVersion the element of {@code spec.versions} that defines a custom resource; missing for built-in kinds
 * @param scalePaths of a custom resource with a scale subresource
 */
record Resource(
        ResourceType type,
        Shelf shelf,
        String apiVersion,
        String storedApiVersion,
        Strategy strategy,
        Optional<ModelFields> model,
        UnaryOperator<ObjectNode> toStored,
        UnaryOperator<ObjectNode> fromStored,
        ImmutableMap<String, Function<JsonNode, String>> fields,
        JsonNode definedVersion,
        Optional<JsonNode> scalePaths) {

    static Resource builtin(ResourceType type, Shelf shelf, Strategy strategy) {
        return new Resource(
                type,
                shelf,
                type.apiVersion(),
                type.apiVersion(),
                strategy,
                ModelFields.of(type),
                UnaryOperator.identity(),
                UnaryOperator.identity(),
                SelectableFields.of(shelf.name(), type.namespaced()),
                MissingNode.getInstance(),
                Optional.empty());
    }

    /** The same shelf in another version. */
    Resource inVersion(
            ResourceType other,
            UnaryOperator<ObjectNode> toStoredVersion,
            UnaryOperator<ObjectNode> fromStoredVersion) {
        return new Resource(
                other,
                shelf,
                other.apiVersion(),
                storedApiVersion,
                strategy,
                ModelFields.of(other),
                toStoredVersion,
                fromStoredVersion,
                fields,
                definedVersion,
                scalePaths);
    }

    boolean custom() {
        return strategy instanceof CustomResources;
    }

    /** Compiled into the server, unlike custom resources and their definitions. */
    boolean core() {
        return !custom() && !type.group().equals("apiextensions.k8s.io");
    }

    boolean serves(String verb) {
        return type.verbs().contains(verb);
    }

    Optional<ResourceType.Subresource> subresource(String name) {
        return type.subresources().stream()
                .filter(each -> each.name().equals(name))
                .findFirst();
    }

    String key(String namespace, String name) {
        return type.namespaced() ? namespace + "/" + name : name;
    }

    Optional<Versioned> find(String namespace, String name) {
        return shelf.get(key(namespace, name));
    }

    Versioned existing(String namespace, String name) {
        return find(namespace, name).orElseThrow(() -> Failures.notFound(type, name));
    }

    /** A stored object as this version shows it. */
    Versioned shown(Versioned stored) {
        return apiVersion.equals(storedApiVersion) ? stored : stored.as(fromStored);
    }

    /** {@code PodList} for pods. */
    String listKind() {
        return type.kind() + "List";
    }
}
