package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import dev.kip.bundle.Site;
import dev.kip.bundle.Workpiece;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** AppArmor and seccomp profiles of the old annotations get their fields too: a newer kubelet reads the fields alone. */
final class ProfileRewrite {

    private static final String APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
    private static final String SECCOMP = "container.seccomp.security.alpha.kubernetes.io/";
    private static final String SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";

    private ProfileRewrite() {}

    /** At {@code metadata.annotations}. */
    static void annotations(Site site, Workpiece piece) {
        for (Map.Entry<String, JsonNode> entry :
                ImmutableList.copyOf(site.value().properties())) {
            String key = entry.getKey();
            String value = entry.getValue().asString("");
            ObjectNode manifest = piece.manifest();
            if (key.startsWith(APP_ARMOR)) {
                container(manifest, key.substring(APP_ARMOR.length()), "appArmorProfile", value);
            } else if (key.startsWith(SECCOMP)) {
                container(manifest, key.substring(SECCOMP.length()), "seccompProfile", value);
            } else if (key.equals(SECCOMP_POD)) {
                profile(manifest.withObject("/spec"), "seccompProfile", value);
            }
        }
    }

    private static void container(ObjectNode manifest, String name, String field, String value) {
        for (String kind : ImmutableList.of("initContainers", "containers")) {
            for (JsonNode container : manifest.path("spec").path(kind)) {
                if (container instanceof ObjectNode object
                        && object.path("name").asString("").equals(name)) {
                    profile(object, field, value);
                }
            }
        }
    }

    /** A field that is there already counts. */
    private static void profile(ObjectNode holder, String field, String value) {
        Optional<ObjectNode> profile = read(holder, value);
        if (profile.isPresent() && !holder.path("securityContext").has(field)) {
            holder.withObject("/securityContext").set(field, profile.get());
        }
    }

    private static Optional<ObjectNode> read(ObjectNode factory, String value) {
        ObjectNode profile = factory.objectNode();
        if (value.startsWith("localhost/")) {
            profile.put("type", "Localhost");
            profile.put("localhostProfile", value.substring("localhost/".length()));
            return Optional.of(profile);
        }
        return switch (value) {
            case "runtime/default", "docker/default" -> Optional.of(profile.put("type", "RuntimeDefault"));
            case "unconfined" -> Optional.of(profile.put("type", "Unconfined"));
            default -> Optional.empty();
        };
    }
}
