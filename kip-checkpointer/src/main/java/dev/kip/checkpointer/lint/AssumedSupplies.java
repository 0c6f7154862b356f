package dev.kip.checkpointer.lint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.bundle.Site;
import dev.kip.checkpointer.sanitise.Need;
import dev.kip.checkpointer.sanitise.Sanitiser;
import dev.kip.checkpointer.sanitise.Supplies;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Objects that a pod refers to: those of files where given; for the others placeholders with the keys that the pod asks for. */
final class AssumedSupplies {

    private AssumedSupplies() {}

    static Supplies of(ObjectNode pod, Sanitiser sanitiser, ImmutableList<ObjectNode> given) {
        Map<Need.Thing, ObjectNode> things = new LinkedHashMap<>();
        Map<Need.Token, String> tokens = new LinkedHashMap<>();
        for (Need need : sanitiser.needs(pod)) {
            if (need instanceof Need.Thing thing) {
                Optional<ObjectNode> real = find(given, thing, pod);
                if (real.isPresent()) {
                    things.put(thing, real.get());
                } else if (thing.kind() == Need.Kind.SECRET || thing.kind() == Need.Kind.CONFIG_MAP) {
                    things.put(thing, placeholder(pod, thing));
                } else if (thing.kind() == Need.Kind.CLUSTER_TRUST_BUNDLE) {
                    ObjectNode bundle = pod.objectNode();
                    bundle.putObject("spec").put("trustBundle", "<clustertrustbundle " + thing.name() + ">");
                    things.put(thing, bundle);
                }
            } else if (need instanceof Need.Token token) {
                tokens.put(token, "<token of service account " + token.serviceAccount() + ">");
            }
        }
        return new Supplies(ImmutableMap.copyOf(things), ImmutableMap.copyOf(tokens));
    }

    private static Optional<ObjectNode> find(ImmutableList<ObjectNode> given, Need.Thing thing, ObjectNode pod) {
        String kind = switch (thing.kind()) {
            case SECRET -> "Secret";
            case CONFIG_MAP -> "ConfigMap";
            case PRIORITY_CLASS -> "PriorityClass";
            case RUNTIME_CLASS -> "RuntimeClass";
            case CLUSTER_TRUST_BUNDLE -> "ClusterTrustBundle";
        };
        String namespace = pod.path("metadata").path("namespace").asString("");
        return given.stream()
                .filter(object -> object.path("kind").asString("").equals(kind))
                .filter(object ->
                        object.path("metadata").path("name").asString("").equals(thing.name()))
                .filter(object -> object.path("metadata")
                        .path("namespace")
                        .asString(namespace)
                        .equals(namespace))
                .findFirst();
    }

    private static ObjectNode placeholder(ObjectNode pod, Need.Thing thing) {
        boolean secret = thing.kind() == Need.Kind.SECRET;
        ObjectNode object = pod.objectNode();
        ObjectNode data = object.putObject("data");
        String what = secret ? "secret " : "configmap ";
        for (String key : keys(pod, thing, secret ? "secret" : "configMap")) {
            String text = "<" + what + thing.name() + ", key " + key + ">";
            data.put(key, secret ? base64(text) : text);
        }
        return object;
    }

    private static ImmutableList<String> keys(ObjectNode pod, Need.Thing thing, String kind) {
        ImmutableList.Builder<String> keys = ImmutableList.builder();
        for (String containers : ImmutableList.of("containers", "initContainers")) {
            for (Site site : Site.find(pod, "spec." + containers + "[*].env[*].valueFrom." + kind + "KeyRef")) {
                if (site.value().path("name").asString("").equals(thing.name())) {
                    keys.add(site.value().path("key").asString(""));
                }
            }
        }
        for (String volumes : ImmutableList.of("spec.volumes[*].", "spec.volumes[*].projected.sources[*].")) {
            for (Site site : Site.find(pod, volumes + kind)) {
                String name = site.value()
                        .path("secretName")
                        .asString(site.value().path("name").asString(""));
                if (name.equals(thing.name())) {
                    site.value()
                            .path("items")
                            .forEach(item -> keys.add(item.path("key").asString("")));
                }
            }
        }
        return keys.build();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
