package dev.kip.sim.mock;

import dev.kip.sim.apiserver.Failures;
import dev.kip.sim.apiserver.ResourceType;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Deletions: preconditions, the time that pods are given, and finalizers, which hold an object until they are taken off. */
final class Deletion {

    private static final long GRACE = 30;

    private final Objects objects;
    private final Clock clock = Clock.systemUTC();

    Deletion(Objects objects) {
        this.objects = objects;
    }

    /** @param options a {@code DeleteOptions}; may be empty */
    ObjectNode delete(ResourceType type, Target target, ObjectNode options) {
        if (target.name().isEmpty()) {
            for (ObjectNode item : objects.list(target)) {
                delete(
                        type,
                        target.in(item.at("/metadata/namespace").asString(""))
                                .named(item.at("/metadata/name").asString("")),
                        options);
            }
            return Lists.of(type, target, objects.list(target), objects.revision());
        }
        ObjectNode present = objects.existing(type, target);
        check(type, target, present, options.path("preconditions"));
        long grace = graceOf(target, present, options);
        List<String> finalizers = finalizers(present, options);
        boolean deleting = present.path("metadata").has("deletionTimestamp");
        if (deleting
                && grace >= present.at("/metadata/deletionGracePeriodSeconds").asLong(0)
                && !finalizers.isEmpty()) {
            return present; // once is enough
        }
        if (grace == 0 && finalizers.isEmpty()) {
            objects.remove(target, present);
            return present;
        }
        if (deleting
                && grace >= present.at("/metadata/deletionGracePeriodSeconds").asLong(0)) {
            return present;
        }
        ObjectNode marked = present.deepCopy();
        ObjectNode metadata = marked.withObjectProperty("metadata");
        metadata.put(
                "deletionTimestamp",
                clock.instant()
                        .truncatedTo(ChronoUnit.SECONDS)
                        .plusSeconds(grace)
                        .toString());
        metadata.put("deletionGracePeriodSeconds", grace);
        if (!finalizers.isEmpty()) {
            metadata.putArray("finalizers").removeAll();
            finalizers.forEach(metadata.withArrayProperty("finalizers")::add);
        }
        return objects.replaceWhole(type, target, marked);
    }

    private static void check(ResourceType type, Target target, ObjectNode present, JsonNode preconditions) {
        for (String field : new String[] {"uid", "resourceVersion"}) {
            String wanted = preconditions.path(field).asString("");
            String found = present.path("metadata").path(field).asString("");
            if (!wanted.isEmpty() && !wanted.equals(found)) {
                throw Failures.conflict(
                        type,
                        target.name(),
                        "the " + field + " in the precondition (" + wanted + ") does not match the " + field
                                + " in record (" + found + "). The object might have been deleted and then recreated");
            }
        }
    }

    /** Only pods that are on a node and have not finished are given time. */
    private static long graceOf(Target target, ObjectNode present, ObjectNode options) {
        boolean pod = target.kindKey().equals("pods");
        if (!pod || present.at("/spec/nodeName").asString("").isEmpty()) {
            return 0;
        }
        String phase = present.at("/status/phase").asString("");
        if (phase.equals("Succeeded") || phase.equals("Failed")) {
            return 0;
        }
        return options.path("gracePeriodSeconds")
                .asLong(present.at("/spec/terminationGracePeriodSeconds").asLong(GRACE));
    }

    private static List<String> finalizers(ObjectNode present, ObjectNode options) {
        List<String> finalizers = new ArrayList<>();
        present.at("/metadata/finalizers").forEach(one -> finalizers.add(one.asString("")));
        String propagation = options.path("propagationPolicy").asString("");
        if (propagation.equals("Foreground") && !finalizers.contains("foregroundDeletion")) {
            finalizers.add("foregroundDeletion");
        }
        if (propagation.equals("Orphan") && !finalizers.contains("orphan")) {
            finalizers.add("orphan");
        }
        return finalizers;
    }
}
