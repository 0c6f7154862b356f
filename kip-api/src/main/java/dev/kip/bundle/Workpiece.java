package dev.kip.bundle;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A manifest in the making: the pod as it was, what it becomes, where it goes, and what could not be carried. */
public final class Workpiece {

    private final ObjectNode original;
    private final ObjectNode manifest;
    private final Destination destination;
    private final TreeSet<String> readOnlyVolumes = new TreeSet<>();
    private final List<Refusal> refusals = new ArrayList<>();

    /** @param original not changed */
    public Workpiece(ObjectNode original, Destination destination) {
        this.original = original;
        this.manifest = original.deepCopy();
        this.destination = destination;
    }

    /** The pod of the API server; not to be changed. */
    public ObjectNode original() {
        return original;
    }

    public ObjectNode manifest() {
        return manifest;
    }

    public Destination destination() {
        return destination;
    }

    public void refuse(Refusal.Kind kind, String field, String message) {
        refusals.add(new Refusal(kind, field, message));
    }

    /** Once for the pod, however many places it is at. */
    public void refuseOnce(Refusal.Kind kind, String field, String message) {
        if (refusals.stream().noneMatch(refusal -> refusal.message().equals(message))) {
            refuse(kind, field, message);
        }
    }

    public ImmutableList<Refusal> refusals() {
        return ImmutableList.copyOf(refusals);
    }

    void readOnlyVolume(String name) {
        readOnlyVolumes.add(name);
    }

    boolean isReadOnlyVolume(String name) {
        return readOnlyVolumes.contains(name);
    }

    /** The object referred to; if it is missing and not optional, that is noted. */
    Optional<ObjectNode> material(Reference reference, String field) {
        Optional<ObjectNode> found = destination.find(reference);
        if (found.isEmpty() && !reference.optional()) {
            refuse(Refusal.Kind.MISSING, field, reference.kind().text() + " \"" + reference.name() + "\" not found");
        }
        return found;
    }

    /** A text of the original; empty if it is not there. */
    public String text(String... path) {
        JsonNode node = original;
        for (String field : path) {
            node = node.path(field);
        }
        return node.asString("");
    }
}
