package dev.kip.crd;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.kube.Codec;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Objects of ours as JSON, by the components of their record. Reading tolerates fields that the record lacks, and reads an
 * absent or null field as empty, 0 or false unless it is {@link Required}. Writing leaves out what is empty and not required.
 * Pure and safe from any thread.
 */
final class RecordCodec<T extends Record> implements Codec<T> {

    private final String apiVersion;
    private final String kind;
    private final Shape shape;
    private final Class<T> type;

    RecordCodec(String apiVersion, String kind, Class<T> type) {
        this.apiVersion = apiVersion;
        this.kind = kind;
        this.type = type;
        this.shape = Shape.of(type);
    }

    @Override
    public T decode(ObjectNode object) {
        String name = object.path("metadata").path("name").asString("");
        return type.cast(shape.read(object, new Place(name.isEmpty() ? kind : kind + " " + name, "")));
    }

    @Override
    public ObjectNode encode(T value) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", apiVersion);
        object.put("kind", kind);
        shape.write(value, object);
        return object;
    }

    /** Where in which object, for messages. */
    private record Place(String object, String path) {

        Place at(String field) {
            return new Place(object, path.isEmpty() ? field : path + "." + field);
        }

        Place at(int index) {
            return new Place(object, path + "[" + index + "]");
        }

        IllegalArgumentException refuse(String wanted, @Nullable JsonNode found) {
            return new IllegalArgumentException(object + ": " + path + ": wanted " + wanted + ", found "
                    + (found == null || found.isNull() ? "nothing" : abbreviated(found.toString())));
        }

        private static String abbreviated(String json) {
            return json.length() <= 80 ? json : json.substring(0, 77) + "...";
        }
    }

    /** How one type of value is read and written. */
    private sealed interface Form {

        /** @param node null if the field is absent */
        Object read(@Nullable JsonNode node, Place place);

        /** @return null if there is nothing worth writing */
        @Nullable JsonNode write(Object value);

        JsonNode writeAlways(Object value);

        static Form of(Type type, long least) {
            if (type == String.class) {
                return new Text();
            }
            if (type == boolean.class) {
                return new Flag();
            }
            if (type == int.class) {
                return new Whole(least, Integer.MAX_VALUE);
            }
            if (type == long.class) {
                return new Whole(least, Long.MAX_VALUE);
            }
            if (type instanceof Class<?> named && named.isRecord()) {
                return Shape.of(named.asSubclass(Record.class));
            }
            if (type instanceof ParameterizedType generic && generic.getRawType() == ImmutableList.class) {
                return new ListOf(of(generic.getActualTypeArguments()[0], Long.MIN_VALUE));
            }
            if (type instanceof ParameterizedType generic && generic.getRawType() == ImmutableMap.class) {
                return new TextMap();
            }
            throw new IllegalStateException("no JSON form for " + type);
        }
    }

    private record Text() implements Form {
        @Override
        public Object read(@Nullable JsonNode node, Place place) {
            if (node == null || node.isNull()) {
                return "";
            }
            if (!node.isString()) {
                throw place.refuse("a string", node);
            }
            return node.stringValue();
        }

        @Override
        public @Nullable JsonNode write(Object value) {
            return ((String) value).isEmpty() ? null : writeAlways(value);
        }

        @Override
        public JsonNode writeAlways(Object value) {
            return JsonNodeFactory.instance.stringNode((String) value);
        }
    }

    private record Flag() implements Form {
        @Override
        public Object read(@Nullable JsonNode node, Place place) {
            if (node == null || node.isNull()) {
                return false;
            }
            if (!node.isBoolean()) {
                throw place.refuse("true or false", node);
            }
            return node.booleanValue();
        }

        @Override
        public @Nullable JsonNode write(Object value) {
            return ((Boolean) value) ? writeAlways(value) : null;
        }

        @Override
        public JsonNode writeAlways(Object value) {
            return JsonNodeFactory.instance.booleanNode((Boolean) value);
        }
    }

    private record Whole(long least, long most) implements Form {
        @Override
        public Object read(@Nullable JsonNode node, Place place) {
            if (node == null || node.isNull()) {
                return boxed(0);
            }
            if (!node.isIntegralNumber() || !node.canConvertToLong()) {
                throw place.refuse("a whole number", node);
            }
            long value = node.longValue();
            if (value < least || value > most) {
                throw place.refuse("a whole number from " + least + " to " + most, node);
            }
            return boxed(value);
        }

        private Object boxed(long value) {
            return most == Integer.MAX_VALUE ? (Object) (int) value : (Object) value;
        }

        @Override
        public JsonNode write(Object value) {
            return writeAlways(value);
        }

        @Override
        public JsonNode writeAlways(Object value) {
            return JsonNodeFactory.instance.numberNode(((Number) value).longValue());
        }
    }

    private record ListOf(Form element) implements Form {
        @Override
        public Object read(@Nullable JsonNode node, Place place) {
            if (node == null || node.isNull()) {
                return ImmutableList.of();
            }
            if (!node.isArray()) {
                throw place.refuse("a list", node);
            }
            ImmutableList.Builder<Object> items = ImmutableList.builderWithExpectedSize(node.size());
            int index = 0;
            for (JsonNode item : node) {
                items.add(element.read(item, place.at(index++)));
            }
            return items.build();
        }

        @Override
        public @Nullable JsonNode write(Object value) {
            return ((List<?>) value).isEmpty() ? null : writeAlways(value);
        }

        @Override
        public JsonNode writeAlways(Object value) {
            var array = JsonNodeFactory.instance.arrayNode();
            ((List<?>) value).forEach(item -> array.add(element.writeAlways(item)));
            return array;
        }
    }

    private record TextMap() implements Form {
        @Override
        public Object read(@Nullable JsonNode node, Place place) {
            if (node == null || node.isNull()) {
                return ImmutableMap.of();
            }
            if (!node.isObject()) {
                throw place.refuse("an object", node);
            }
            ImmutableMap.Builder<String, String> entries = ImmutableMap.builderWithExpectedSize(node.size());
            node.forEachEntry((key, value) -> entries.put(key, (String) new Text().read(value, place.at(key))));
            return entries.buildOrThrow();
        }

        @Override
        public @Nullable JsonNode write(Object value) {
            return ((Map<?, ?>) value).isEmpty() ? null : writeAlways(value);
        }

        @Override
        public JsonNode writeAlways(Object value) {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            ((Map<?, ?>) value).forEach((key, text) -> object.put((String) key, (String) text));
            return object;
        }
    }

    /** A record: its components by name. */
    private record Shape(Constructor<?> constructor, ImmutableList<Field> fields) implements Form {

        private record Field(String name, Method accessor, boolean required, Form form) {}

        static Shape of(Class<? extends Record> type) {
            List<Field> fields = new ArrayList<>();
            List<Class<?>> parameters = new ArrayList<>();
            for (RecordComponent component : type.getRecordComponents()) {
                var field = CrdFields.fieldOf(component);
                Min min = field.getAnnotation(Min.class);
                Method accessor = component.getAccessor();
                accessor.setAccessible(true);
                parameters.add(component.getType());
                fields.add(new Field(
                        component.getName(),
                        accessor,
                        field.isAnnotationPresent(Required.class),
                        Form.of(component.getGenericType(), min == null ? Long.MIN_VALUE : (long) min.value())));
            }
            try {
                return new Shape(
                        type.getDeclaredConstructor(parameters.toArray(Class<?>[]::new)), ImmutableList.copyOf(fields));
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Object read(@Nullable JsonNode node, Place place) {
            if (node != null && !node.isNull() && !node.isObject()) {
                throw place.refuse("an object", node);
            }
            Object[] values = new Object[fields.size()];
            for (int i = 0; i < values.length; i++) {
                Field field = fields.get(i);
                JsonNode found = node == null ? null : node.get(field.name());
                if (field.required() && (found == null || found.isNull())) {
                    throw place.at(field.name()).refuse("a value", found);
                }
                values[i] = field.form().read(found, place.at(field.name()));
            }
            try {
                return constructor.newInstance(values);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public @Nullable JsonNode write(Object value) {
            JsonNode object = writeAlways(value);
            return object.isEmpty() ? null : object;
        }

        @Override
        public JsonNode writeAlways(Object value) {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            write(value, object);
            return object;
        }

        void write(Object value, ObjectNode into) {
            for (Field field : fields) {
                Object component;
                try {
                    component = field.accessor().invoke(value);
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
                JsonNode written = field.required()
                        ? field.form().writeAlways(component)
                        : field.form().write(component);
                if (written != null) {
                    into.set(field.name(), written);
                }
            }
        }
    }
}
