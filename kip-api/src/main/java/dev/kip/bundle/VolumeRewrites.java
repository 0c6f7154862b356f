package dev.kip.bundle;

import dev.kip.bundle.Reference.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Volumes of API objects become directories of the bundle, mounted read-only from the host's disk. */
public final class VolumeRewrites {

    private static final int DEFAULT_MODE = 0644;

    private VolumeRewrites() {}

    public static void secret(Site site, Workpiece piece) {
        Volume volume = new Volume(site, piece, site.value());
        volume.object(Kind.SECRET, site.value().path("secretName"), site.value(), site.path());
        volume.become();
    }

    public static void configMap(Site site, Workpiece piece) {
        Volume volume = new Volume(site, piece, site.value());
        volume.object(Kind.CONFIG_MAP, site.value().path("name"), site.value(), site.path());
        volume.become();
    }

    public static void projected(Site site, Workpiece piece) {
        Volume volume = new Volume(site, piece, site.value());
        JsonNode sources = site.value().path("sources");
        for (int i = 0; i < sources.size(); i++) {
            String path = site.path() + ".sources[" + i + "]";
            for (Map.Entry<String, JsonNode> source : sources.get(i).properties()) {
                volume.source(source.getKey(), source.getValue(), path + "." + source.getKey());
            }
        }
        volume.become();
    }

    /** Kubelet does this well, but for what differs there, as the pod's name. */
    public static void downwardApi(Site site, Workpiece piece) {
        boolean differs = false;
        for (JsonNode item : site.value().path("items")) {
            differs |= piece.destination().differs(fieldPath(item));
        }
        if (differs) {
            Volume volume = new Volume(site, piece, site.value());
            volume.downward(site.value(), site.path());
            volume.become();
        }
    }

    /** At a container's {@code volumeMounts[*].name}: what was read-only by its kind stays so. */
    public static void mount(Site site, Workpiece piece) {
        if (piece.isReadOnlyVolume(site.value().asString(""))) {
            site.parent().put("readOnly", true);
        }
    }

    private static String fieldPath(JsonNode item) {
        return item.path("fieldRef").path("fieldPath").asString("");
    }

    /** One volume on its way. */
    private static final class Volume {
        private final Site site;
        private final Workpiece piece;
        private final String name;
        private final int defaultMode;

        Volume(Site site, Workpiece piece, JsonNode source) {
            this.site = site;
            this.piece = piece;
            this.name = site.parent().path("name").asString("");
            this.defaultMode = source.path("defaultMode").asInt(DEFAULT_MODE);
        }

        void become() {
            site.remove();
            ObjectNode hostPath = site.parent().putObject("hostPath");
            hostPath.put("path", piece.destination().directory(name));
            hostPath.put("type", piece.destination().directoryType());
            piece.destination().volume(name);
            piece.readOnlyVolume(name);
        }

        void source(String kind, JsonNode source, String path) {
            switch (kind) {
                case "secret" -> object(Kind.SECRET, source.path("name"), source, path);
                case "configMap" -> object(Kind.CONFIG_MAP, source.path("name"), source, path);
                case "downwardAPI" -> downward(source, path);
                default -> piece.destination().source(name, kind, source, defaultMode, path, piece);
            }
        }

        void object(Kind kind, JsonNode objectName, JsonNode source, String path) {
            Reference reference = BundleBuilder.reference(kind, objectName, source);
            Optional<ObjectNode> object = piece.material(reference, path);
            if (object.isEmpty()) {
                return;
            }
            Payload payload = new Payload(kind, object.get());
            JsonNode items = source.path("items");
            if (items.isEmpty()) {
                payload.all().forEach((key, value) -> write(key, value, defaultMode));
                return;
            }
            for (JsonNode item : items) {
                String key = item.path("key").asString("");
                Optional<byte[]> value = payload.get(key);
                if (value.isPresent()) {
                    write(
                            item.path("path").asString(""),
                            value.get(),
                            item.path("mode").asInt(defaultMode));
                } else if (!reference.optional()) {
                    piece.refuse(
                            Refusal.Kind.MISSING,
                            path + ".items",
                            "references non-existent " + kind.text() + " key: " + key + " of \"" + reference.name()
                                    + "\"");
                }
            }
        }

        void downward(JsonNode source, String path) {
            for (JsonNode item : source.path("items")) {
                Optional<String> value = piece.destination().item(piece.original(), fieldPath(item));
                if (value.isPresent()) {
                    write(
                            item.path("path").asString(""),
                            value.get().getBytes(StandardCharsets.UTF_8),
                            item.path("mode").asInt(defaultMode));
                } else {
                    piece.refuse(
                            Refusal.Kind.REFUSED,
                            path + ".items",
                            (item.has("resourceFieldRef") ? "resourceFieldRef" : "fieldRef " + fieldPath(item))
                                    + " cannot be carried "
                                    + piece.destination().name() + " in this volume: use an environment variable");
                }
            }
        }

        private void write(String path, byte[] content, int mode) {
            piece.destination().file(name, path, content, mode);
        }
    }
}
