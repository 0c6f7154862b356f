package dev.kip.kube;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** Codecs for what the API serves. Thread-safe. */
public final class Codecs {

    private static final Codec<ObjectNode> TREE = new Codec<>() {
        @Override
        public ObjectNode decode(ObjectNode object) {
            return object;
        }

        @Override
        public ObjectNode encode(ObjectNode value) {
            return value;
        }
    };

    private Codecs() {}

    /** The JSON itself, every field of it but {@code metadata.managedFields}. Whoever is handed a tree may change it. */
    public static Codec<ObjectNode> tree() {
        return TREE;
    }

    /** A model class of fabric8, or any class that its Jackson configuration can read. Unknown fields are kept where the class can. */
    public static <T> Codec<T> model(Class<T> type) {
        return new Model<>(type);
    }

    private record Model<T>(Class<T> type) implements Codec<T> {

        @Override
        public T decode(ObjectNode object) {
            try {
                return Fabric8.MAPPER.treeToValue(object, type);
            } catch (JacksonException e) {
                throw new IllegalArgumentException(
                        "no " + type.getSimpleName() + ": " + e.getOriginalMessage() + " at " + e.getPathReference(),
                        e);
            }
        }

        @Override
        public ObjectNode encode(T value) {
            return Fabric8.MAPPER.valueToTree(value);
        }
    }

    /** Made when first needed: it costs some 100 ms. */
    private static final class Fabric8 extends KubernetesSerialization {

        static final ObjectMapper MAPPER = new Fabric8().configureMapper(KubeJson.MAPPER);

        Fabric8() {
            super(KubeJson.MAPPER, false);
        }
    }
}
