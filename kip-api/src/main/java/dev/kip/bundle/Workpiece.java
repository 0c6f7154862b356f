package dev.kip.bundle;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.PodBundle.BundleFile;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A manifest in the making: the pod as it was, what it becomes, its files, and what could not be carried. */
final class Workpiece {

    private final ObjectNode original;
    private final ObjectNode manifest;
    private final Materials materials;
    private final Map<String, BundleFile> files = new LinkedHashMap<>();
    private final TreeSet<String> readOnlyVolumes = new TreeSet<>();
    private final List<Refusal> refusals = new ArrayList<>();

    Workpiece(ObjectNode original, Materials materials) {
        this.original = original;
        this.manifest = original.deepCopy();
        this.materials = materials;
    }

    /** The pod of the API server; not to be changed. */
    ObjectNode original() {
        return original;
    }

    ObjectNode manifest() {
        return manifest;
    }

    void refuse(Refusal.Kind kind, String field, String message) {
        refusals.add(new Refusal(kind, field, message));
    }

    /** Once for the pod, however many places it is at. */
    void refuseOnce(Refusal.Kind kind, String field, String message) {
        if (refusals.stream().noneMatch(refusal -> refusal.message().equals(message))) {
            refuse(kind, field, message);
        }
    }

    ImmutableList<Refusal> refusals() {
        return ImmutableList.copyOf(refusals);
    }

    ImmutableList<BundleFile> files() {
        return ImmutableList.copyOf(files.values());
    }

    /** A later file of the same path replaces the earlier one, as in a projected volume. */
    void file(String path, byte[] content, int mode) {
        files.put(path, new BundleFile(path, Base64.getEncoder().encodeToString(content), mode));
    }

    void readOnlyVolume(String name) {
        readOnlyVolumes.add(name);
    }

    boolean isReadOnlyVolume(String name) {
        return readOnlyVolumes.contains(name);
    }

    /** The object referred to; if it is missing and not optional, that is noted. */
    Optional<ObjectNode> material(Reference reference, String field) {
        Optional<ObjectNode> found = materials.find(reference.kind(), reference.name());
        if (found.isEmpty() && !reference.optional()) {
            refuse(Refusal.Kind.MISSING, field, reference.kind().text() + " \"" + reference.name() + "\" not found");
        }
        return found;
    }

    String text(String... path) {
        JsonNode node = original;
        for (String field : path) {
            node = node.path(field);
        }
        return node.asString("");
    }
}
