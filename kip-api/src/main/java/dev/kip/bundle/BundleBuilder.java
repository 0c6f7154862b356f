package dev.kip.bundle;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.kip.bundle.PodBundle.BundleFile;
import dev.kip.bundle.Reference.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes a pod self-contained: the API server's pod and what it refers to become a static pod that kubelet accepts, and
 * files. What is done to which field is said in {@link SanitisingTable} alone. Pure.
 */
public final class BundleBuilder {

    /** The API server's own default. */
    private static final long DEFAULT_TOKEN_SECONDS = 3600;

    private BundleBuilder() {}

    /** What must be fetched before {@link #build}, each object once, sorted; optional only if every use of it is. */
    public static ImmutableList<Reference> references(ObjectNode pod) {
        Map<String, Reference> found = new TreeMap<>();
        for (String containers : ImmutableList.of("spec.containers[*]", "spec.initContainers[*]")) {
            collect(pod, containers + ".env[*].valueFrom.secretKeyRef", Kind.SECRET, "name", found);
            collect(pod, containers + ".env[*].valueFrom.configMapKeyRef", Kind.CONFIG_MAP, "name", found);
            collect(pod, containers + ".envFrom[*].secretRef", Kind.SECRET, "name", found);
            collect(pod, containers + ".envFrom[*].configMapRef", Kind.CONFIG_MAP, "name", found);
        }
        collect(pod, "spec.volumes[*].secret", Kind.SECRET, "secretName", found);
        collect(pod, "spec.volumes[*].configMap", Kind.CONFIG_MAP, "name", found);
        collect(pod, "spec.volumes[*].projected.sources[*].secret", Kind.SECRET, "name", found);
        collect(pod, "spec.volumes[*].projected.sources[*].configMap", Kind.CONFIG_MAP, "name", found);
        return ImmutableList.sortedCopyOf(found.values());
    }

    /** The secrets by which its images are pulled. */
    public static ImmutableList<Reference> pullSecrets(ObjectNode pod) {
        Map<String, Reference> found = new TreeMap<>();
        for (JsonNode named : pod.path("spec").path("imagePullSecrets")) {
            String name = named.path("name").asString("");
            found.put(name, new Reference(Kind.SECRET, name, true));
        }
        return ImmutableList.copyOf(found.values());
    }

    /** The tokens that its projected volumes have, each once, sorted. */
    public static ImmutableList<TokenReference> tokens(ObjectNode pod) {
        TreeSet<TokenReference> found = new TreeSet<>();
        for (Site site : Site.find(pod, "spec.volumes[*].projected.sources[*].serviceAccountToken")) {
            found.add(token(site.value()));
        }
        return ImmutableList.copyOf(found);
    }

    static TokenReference token(JsonNode source) {
        return new TokenReference(
                source.path("audience").asString(""),
                source.path("expirationSeconds").asLong(DEFAULT_TOKEN_SECONDS));
    }

    private static void collect(
            ObjectNode pod, String pattern, Kind kind, String nameField, Map<String, Reference> found) {
        for (Site site : Site.find(pod, pattern)) {
            Reference reference = reference(kind, site.value().path(nameField), site.value());
            found.merge(
                    kind + "/" + reference.name(),
                    reference,
                    (one, other) -> new Reference(kind, one.name(), one.optional() && other.optional()));
        }
    }

    static Reference reference(Kind kind, JsonNode name, JsonNode source) {
        return new Reference(kind, name.asString(""), source.path("optional").asBoolean(false));
    }

    /**
     * @param pod as the API server gave it; not changed
     * @param materials what was found of {@link #references}
     * @param generation of the bundle; must grow whenever {@link #digest} changes
     */
    public static Bundled build(ObjectNode pod, Materials materials, long generation) {
        Cell cell = new Cell(pod, materials);
        Workpiece piece = new Workpiece(pod, cell);
        for (Rule row : SanitisingTable.ROWS) {
            row.apply(piece);
        }
        PullSecrets.config(piece).ifPresent(cell::registries);
        ImmutableList<Refusal> refusals = piece.refusals();
        if (refusals.stream().anyMatch(refusal -> refusal.kind().stopsThePod())) {
            return new Bundled(Optional.empty(), refusals);
        }
        ObjectNode manifest = piece.manifest();
        manifest.put("apiVersion", "v1"); // an item of a list has neither
        manifest.put("kind", "Pod");
        return new Bundled(Optional.of(new PodBundle(generation, manifest.toString(), cell.files())), refusals);
    }

    /** SHA-256 over manifest and files, lower-case hex: equal exactly when there is nothing new to hand over. */
    public static String digest(PodBundle bundle) {
        Hasher hasher = Hashing.sha256().newHasher();
        text(hasher, bundle.manifest());
        for (BundleFile file : bundle.files()) {
            text(hasher, file.path());
            text(hasher, file.contentBase64());
            hasher.putInt(file.mode());
        }
        return hasher.hash().toString();
    }

    private static void text(Hasher hasher, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        hasher.putInt(bytes.length).putBytes(bytes);
    }
}
