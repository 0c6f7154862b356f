package dev.kip.sim.scenario;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What users do to objects: steps that take no time. */
final class Actions {

    private Actions() {}

    /** {@code apply}: creates objects. */
    record Apply(String cluster, String what, ImmutableList<ObjectNode> objects) implements Step {
        @Override
        public String describe() {
            return "apply " + what;
        }

        @Override
        public void begin(World world) {
            objects.forEach(object -> world.create(cluster, object.deepCopy()));
        }
    }

    /** {@code apply: {definitions: kip}}. */
    record ApplyDefinitions(String cluster) implements Step {
        @Override
        public String describe() {
            return "apply Kip's definitions";
        }

        @Override
        public void begin(World world) {
            world.installDefinitions(cluster);
        }
    }

    /**
     * {@code delete}: as kubectl does, by name or by glob.
     *
     * @param force finalizers are taken off first
     */
    record Delete(String kind, Ref ref, Optional<Long> grace, boolean force) implements Step {
        @Override
        public String describe() {
            return "delete " + kind + " " + ref
                    + grace.map(s -> " with grace " + s + "s").orElse("");
        }

        @Override
        public void begin(World world) {
            for (ObjectNode object : Objects.named(world.objects(ref.cluster(), kind), ref.namespace(), ref.name())) {
                boolean held =
                        object.at("/metadata/finalizers") instanceof ArrayNode finalizers && !finalizers.isEmpty();
                if (force && held) {
                    ObjectNode bare = object.deepCopy();
                    ((ObjectNode) bare.path("metadata")).putArray("finalizers");
                    world.update(ref.cluster(), kind, bare);
                    if (object.path("metadata").has("deletionTimestamp")) {
                        continue; // it has gone with its last finalizer
                    }
                }
                world.delete(ref.cluster(), kind, ref.namespace(), Objects.name(object), grace);
            }
        }
    }

    /** {@code delete: {cellOf: POD}}: someone removes Cells by hand, finalizers and all. */
    record DeleteCell(Ref pod) implements Step {
        @Override
        public String describe() {
            return "delete the Cell of " + pod;
        }

        @Override
        public void begin(World world) {
            for (ObjectNode cell : world.objects(pod.cluster(), "cell")) {
                if (Bindings.isOf(cell, pod.namespace(), pod.name())) {
                    new Delete("cell", Ref.clusterScoped(pod.cluster(), Objects.name(cell)), Optional.empty(), true)
                            .begin(world);
                }
            }
        }
    }

    /**
     * {@code scale}.
     *
     * @param ifPresent whether it is fine that there is none
     */
    record Scale(String kind, Ref ref, int replicas, boolean ifPresent) implements Step {
        @Override
        public String describe() {
            return "scale " + kind + " " + ref + " to " + replicas;
        }

        @Override
        public void begin(World world) {
            if (!ifPresent
                    || !Objects.named(world.objects(ref.cluster(), kind), ref.namespace(), ref.name())
                            .isEmpty()) {
                world.scale(ref.cluster(), kind, ref.namespace(), ref.name(), replicas);
            }
        }
    }

    /**
     * {@code edit}: someone edits objects by hand.
     *
     * @param pointer of the field, {@code /status/instanceID}
     */
    record Edit(String kind, Ref ref, String pointer, Value value) implements Step {
        @Override
        public String describe() {
            return "edit " + kind + " " + ref + " " + pointer;
        }

        @Override
        public void begin(World world) {
            for (ObjectNode object : world.objects(ref.cluster(), kind)) {
                boolean meant = kind.equals("cell")
                        ? Bindings.isOf(object, ref.namespace(), ref.name())
                        : Objects.isNamed(object, ref.namespace(), ref.name());
                if (meant) {
                    ObjectNode edited = object.deepCopy();
                    int last = pointer.lastIndexOf('/');
                    ObjectNode parent = last <= 0 ? edited : edited.withObject(pointer.substring(0, last));
                    value.putInto(world, parent, pointer.substring(last + 1));
                    world.update(ref.cluster(), kind, edited);
                }
            }
        }
    }

    /** What a field becomes. */
    interface Value {
        void putInto(World world, ObjectNode parent, String field);

        /** As written: a truth value, a number or a list where it looks like one. */
        static Value text(String text) {
            JsonNode value = text.matches("true|false|[0-9]{1,15}|\\[.*\\]")
                    ? JsonMapper.shared().readTree(text)
                    : JsonNodeFactory.instance.stringNode(text);
            return (world, parent, field) -> parent.set(field, value);
        }

        /** The first instance for which no Cell of a pod stands. */
        static Value unaccounted(String cluster) {
            return (world, parent, field) -> parent.put(
                    field,
                    Countable.UNACCOUNTED.in(world, cluster).stream()
                            .findFirst()
                            .map(text -> text.substring(0, text.indexOf(' ')))
                            .orElseThrow(() -> new IllegalStateException("every instance is accounted for")));
        }

        /** The instance of a pod. */
        static Value instanceOf(Ref pod) {
            return (world, parent, field) -> parent.put(
                    field,
                    Bindings.instanceOf(world, pod.cluster(), pod.namespace(), pod.name())
                            .orElseThrow(() -> new IllegalStateException("pod " + pod + " has no Cell")));
        }
    }
}
