package dev.kip.bundle;

import com.google.common.collect.ImmutableList;
import com.google.common.net.HostAndPort;
import dev.kip.bundle.PodBundle.BundleFile;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The way to a cell: it is the pod's alone, and its files lie in memory. */
final class Cell implements Destination {

    private static final int READABLE = 0444;

    private final Materials materials;
    private final boolean shared;

    /** Kubelet gives tokens to the user that the pod names. */
    private final boolean users;

    private final Map<String, BundleFile> files = new LinkedHashMap<>();

    Cell(ObjectNode pod, Materials materials) {
        this.materials = materials;
        this.shared = pod.path("spec").path("securityContext").has("fsGroup");
        this.users = ImmutableList.of(
                        "spec.securityContext.runAsUser",
                        "spec.containers[*].securityContext.runAsUser",
                        "spec.initContainers[*].securityContext.runAsUser")
                .stream()
                .anyMatch(path -> !Site.find(pod, path).isEmpty());
    }

    ImmutableList<BundleFile> files() {
        return ImmutableList.copyOf(files.values());
    }

    /** The pod's credentials of registries, as docker's {@code config.json}. */
    void registries(byte[] config) {
        files.put(
                PodBundle.REGISTRIES,
                new BundleFile(PodBundle.REGISTRIES, Base64.getEncoder().encodeToString(config), 0400));
    }

    @Override
    public String name() {
        return "to a cell";
    }

    @Override
    public Optional<ObjectNode> find(Reference reference) {
        return materials.find(reference.kind(), reference.name());
    }

    @Override
    public String directory(String volume) {
        return PodBundle.DIRECTORY + "/" + relative(volume);
    }

    private static String relative(String volume) {
        return "volumes/" + volume;
    }

    @Override
    public String directoryType() {
        return "DirectoryOrCreate"; // an optional object may be missing
    }

    @Override
    public void volume(String volume) {
        // made by kubelet when it is missing
    }

    @Override
    public void file(String volume, String path, byte[] content, int mode) {
        String where = relative(volume) + "/" + path;
        // Kubelet would give the files to the group. The cell is the pod's alone, so that all may read comes to the
        // same.
        files.put(
                where,
                new BundleFile(where, Base64.getEncoder().encodeToString(content), shared ? mode | READABLE : mode));
    }

    @Override
    public Optional<String> variable(ObjectNode pod, String fieldPath) {
        // A static pod's own name has the cell's suffix, and the account and the node are the cluster's.
        return switch (fieldPath) {
            case "metadata.name" ->
                Optional.of(pod.path("metadata").path("name").asString(""));
            case "spec.serviceAccountName" ->
                Optional.of(pod.path("spec").path("serviceAccountName").asString(""));
            case "spec.nodeName" ->
                Optional.of(pod.path("spec").path("nodeName").asString(""));
            default -> Optional.empty();
        };
    }

    @Override
    public boolean differs(String fieldPath) {
        return fieldPath.equals("metadata.name");
    }

    @Override
    public Optional<String> item(ObjectNode pod, String fieldPath) {
        return DownwardValues.of(pod, fieldPath);
    }

    @Override
    public Optional<HostAndPort> apiServer() {
        return materials.apiServer();
    }

    @Override
    public void source(String volume, String kind, JsonNode source, int defaultMode, String path, Workpiece piece) {
        if (kind.equals("serviceAccountToken")) {
            Optional<String> token = Optional.ofNullable(materials.tokens().get(BundleBuilder.token(source)));
            token.ifPresentOrElse(
                    value -> file(
                            volume,
                            source.path("path").asString(""),
                            value.getBytes(StandardCharsets.UTF_8),
                            users ? defaultMode | READABLE : defaultMode),
                    () -> piece.refuse(
                            Refusal.Kind.MISSING,
                            path,
                            "no token of service account \"" + piece.text("spec", "serviceAccountName") + "\""));
        } else {
            piece.refuse(
                    Refusal.Kind.REFUSED, path, "a projected source of kind " + kind + " cannot be carried to a cell");
        }
    }
}
