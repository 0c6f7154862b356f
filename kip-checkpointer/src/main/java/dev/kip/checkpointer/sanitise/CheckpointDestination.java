package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.Destination;
import dev.kip.bundle.DownwardValues;
import dev.kip.bundle.Reference;
import dev.kip.bundle.Refusal;
import dev.kip.bundle.Workpiece;
import dev.kip.checkpointer.sanitise.StaticPod.File;
import dev.kip.checkpointer.sanitise.StaticPod.Volume;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The way into a checkpoint: files on the node's disk, owned as the pod needs them, and a name with the node's suffix. */
final class CheckpointDestination implements Destination {

    private final Supplies supplies;
    private final Sanitiser.Site site;
    private final FileOwner owner;
    private final String serviceAccount;
    private final Map<String, Map<String, File>> volumes = new LinkedHashMap<>();

    CheckpointDestination(ObjectNode pod, Supplies supplies, Sanitiser.Site site) {
        this.supplies = supplies;
        this.site = site;
        this.owner = FileOwner.of(pod);
        this.serviceAccount = Needs.serviceAccount(pod);
    }

    FileOwner owner() {
        return owner;
    }

    Supplies supplies() {
        return supplies;
    }

    ImmutableList<Volume> volumes() {
        return volumes.entrySet().stream()
                .map(volume -> new Volume(
                        volume.getKey(), ImmutableList.copyOf(volume.getValue().values())))
                .collect(ImmutableList.toImmutableList());
    }

    @Override
    public String name() {
        return "into a checkpoint";
    }

    @Override
    public Optional<ObjectNode> find(Reference reference) {
        return supplies.find(Needs.of(reference))
                .or(() -> supplies.find(
                        Needs.of(new Reference(reference.kind(), reference.name(), !reference.optional()))));
    }

    @Override
    public String directory(String volume) {
        return site.volumes() + "/" + volume;
    }

    @Override
    public String directoryType() {
        return "Directory"; // one that is missing must not become an empty one without a word
    }

    @Override
    public void volume(String volume) {
        volumes.computeIfAbsent(volume, name -> new LinkedHashMap<>());
    }

    @Override
    public void file(String volume, String path, byte[] content, int mode) {
        volume(volume);
        String text = Base64.getEncoder().encodeToString(content);
        Map<String, File> files = volumes.computeIfAbsent(volume, name -> new LinkedHashMap<>());
        files.put(path, new File(path, text, owner.mode(mode), owner.uid(), owner.gid()));
    }

    /** The account is taken out of the manifest; the name may stay its own: two copies are two. */
    @Override
    public Optional<String> variable(ObjectNode pod, String fieldPath) {
        return fieldPath.equals("spec.serviceAccountName") ? Optional.of(serviceAccount) : Optional.empty();
    }

    @Override
    public boolean differs(String fieldPath) {
        return false;
    }

    @Override
    public Optional<String> item(ObjectNode pod, String fieldPath) {
        return fieldPath.equals("metadata.name")
                ? Optional.of(pod.path("metadata").path("name").asString("") + "-"
                        + site.node().toLowerCase(Locale.ROOT))
                : DownwardValues.of(pod, fieldPath);
    }

    @Override
    public void source(String volume, String kind, JsonNode source, int defaultMode, String path, Workpiece piece) {
        switch (kind) {
            case "serviceAccountToken" -> token(volume, source, defaultMode, path, piece);
            case "clusterTrustBundle" -> trustBundle(volume, source, defaultMode, path, piece);
            case "podCertificate" ->
                piece.refuse(
                        Refusal.Kind.REFUSED,
                        path,
                        "the certificate is issued for one pod, and a checkpoint is another");
            default ->
                piece.refuse(
                        Refusal.Kind.REFUSED,
                        path,
                        "a projected source of kind " + kind + " cannot be carried into a checkpoint");
        }
    }

    private void token(String volume, JsonNode source, int defaultMode, String path, Workpiece piece) {
        Need.Token need = Needs.token(serviceAccount, source);
        Optional<String> token = supplies.find(need);
        if (token.isPresent()) {
            file(
                    volume,
                    source.path("path").asString("token"),
                    token.get().getBytes(StandardCharsets.UTF_8),
                    defaultMode);
        } else {
            piece.refuse(
                    Refusal.Kind.MISSING,
                    path,
                    "no token of service account \"" + serviceAccount + "\" could be had yet");
        }
    }

    private void trustBundle(String volume, JsonNode source, int defaultMode, String path, Workpiece piece) {
        String name = source.path("name").asString("");
        boolean optional = source.path("optional").asBoolean(false);
        if (name.isEmpty()) {
            piece.refuse(
                    Refusal.Kind.REFUSED,
                    path,
                    "trust bundles chosen by signer and labels cannot be carried into a checkpoint: name one");
            return;
        }
        Optional<ObjectNode> bundle = supplies.find(new Need.Thing(Need.Kind.CLUSTER_TRUST_BUNDLE, name, optional));
        if (bundle.isPresent()) {
            String certificates = bundle.get().path("spec").path("trustBundle").asString("");
            file(volume, source.path("path").asString(""), certificates.getBytes(StandardCharsets.UTF_8), defaultMode);
        } else if (!optional) {
            piece.refuse(Refusal.Kind.MISSING, path, "clustertrustbundle \"" + name + "\" not found");
        }
    }
}
