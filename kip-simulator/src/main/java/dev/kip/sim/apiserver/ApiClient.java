package dev.kip.sim.apiserver;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The API from inside the server's process, for the built-in controllers: the same admission, defaulting, validation,
 * versions and events as over HTTP. Objects handed out are copies. Called on the server's loop.
 */
public interface ApiClient {

    /** @throws IllegalArgumentException if no such resource is served */
    ResourceType resource(String group, String plural);

    /** All that is served now, custom resources too; of each kind only the preferred version. */
    ImmutableList<ResourceType> resources();

    /** Calls {@code listener} on the loop after a resource type has come or gone. */
    void onResources(Runnable listener);

    Optional<ObjectNode> get(ResourceType type, String namespace, String name);

    /** @param namespace empty for all */
    ImmutableList<ObjectNode> list(ResourceType type, String namespace);

    /** @throws ApiFailure as the server would answer */
    ObjectNode create(ResourceType type, String namespace, ObjectNode object);

    /**
     * POSTs to a subresource, such as {@code binding} or {@code eviction} of a pod.
     *
     * @return the answer, for these a {@code Status}
     */
    ObjectNode createSubresource(ResourceType type, String namespace, String name, String subresource, ObjectNode body);

    /**
     * Replaces the object, or its subresource; a {@code metadata.resourceVersion} in it must still be current.
     *
     * @param subresource for example {@code status}; empty for the object itself
     */
    ObjectNode update(ResourceType type, String subresource, ObjectNode object);

    /** Deletes as a DELETE with this body would; {@code options} is a {@code DeleteOptions}. */
    void delete(ResourceType type, String namespace, String name, ObjectNode options);

    /** Calls {@code listener} on the loop after each change of an object of this type. */
    void onChange(ResourceType type, ChangeListener listener);

    /** Hears of changes. */
    interface ChangeListener {

        /** @param event {@code ADDED}, {@code MODIFIED} or {@code DELETED} */
        void changed(String event, ObjectNode object);
    }
}
