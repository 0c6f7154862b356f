package dev.kip.checkpointer.kubelet;

import static dev.kip.checkpointer.kubelet.Draft.rule;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.bundle.Site;
import dev.kip.checkpointer.kubelet.KubeletRule.Hit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What kubelet cannot read as a pod. Fields that it does not know it passes over. */
final class DecodeRules {

    private static final String SOURCE = "pkg/kubelet/config/common.go, tryDecodeSinglePod";

    private static final ImmutableMap<String, Type> TYPES = ImmutableMap.<String, Type>builder()
            .put("metadata.name", Type.STRING)
            .put("metadata.namespace", Type.STRING)
            .put("metadata.labels", Type.STRINGS)
            .put("metadata.annotations", Type.STRINGS)
            .put("spec.nodeSelector", Type.STRINGS)
            .put("spec.hostNetwork", Type.BOOLEAN)
            .put("spec.hostPID", Type.BOOLEAN)
            .put("spec.hostIPC", Type.BOOLEAN)
            .put("spec.shareProcessNamespace", Type.BOOLEAN)
            .put("spec.automountServiceAccountToken", Type.BOOLEAN)
            .put("spec.restartPolicy", Type.STRING)
            .put("spec.dnsPolicy", Type.STRING)
            .put("spec.hostname", Type.STRING)
            .put("spec.serviceAccountName", Type.STRING)
            .put("spec.priorityClassName", Type.STRING)
            .put("spec.priority", Type.INTEGER)
            .put("spec.terminationGracePeriodSeconds", Type.INTEGER)
            .put("spec.activeDeadlineSeconds", Type.INTEGER)
            .put("spec.containers", Type.LIST)
            .put("spec.initContainers", Type.LIST)
            .put("spec.volumes", Type.LIST)
            .put("spec.tolerations", Type.LIST)
            .put("spec.imagePullSecrets", Type.LIST)
            .put("spec.containers[*].name", Type.STRING)
            .put("spec.containers[*].image", Type.STRING)
            .put("spec.containers[*].command", Type.LIST)
            .put("spec.containers[*].args", Type.LIST)
            .put("spec.containers[*].env", Type.LIST)
            .put("spec.containers[*].env[*].name", Type.STRING)
            .put("spec.containers[*].env[*].value", Type.STRING)
            .put("spec.containers[*].ports[*].containerPort", Type.INTEGER)
            .put("spec.containers[*].ports[*].hostPort", Type.INTEGER)
            .put("spec.containers[*].securityContext.privileged", Type.BOOLEAN)
            .put("spec.containers[*].volumeMounts[*].readOnly", Type.BOOLEAN)
            .put("spec.initContainers[*].env[*].value", Type.STRING)
            .buildOrThrow();

    static final ImmutableList<KubeletRule> ALL = ImmutableList.of(
            rule("no-pod", Stage.DECODE, "kind")
                    .says("couldn't parse as pod(%s), please check config file")
                    .mend("a file holds one object of apiVersion v1 and kind Pod")
                    .read(SOURCE)
                    .when(DecodeRules::noPod),
            rule("wrong-type", Stage.DECODE, "*")
                    .says("couldn't parse as pod(json: cannot unmarshal %s into Go struct field %s of type %s), please"
                            + " check config file")
                    .mend("quote what YAML takes for a number or a truth value, and do not quote what is one")
                    .read(SOURCE)
                    .when(DecodeRules::wrongTypes));

    private DecodeRules() {}

    private static Stream<Hit> noPod(Look look) {
        String kind = look.pod().path("kind").asString("");
        String apiVersion = look.pod().path("apiVersion").asString("");
        if (kind.isEmpty()) {
            return Stream.of(Hit.at("kind", "Object 'Kind' is missing in manifest"));
        }
        if (apiVersion.isEmpty()) {
            return Stream.of(Hit.at("apiVersion", "Object 'apiVersion' is missing in manifest"));
        }
        if (!apiVersion.equals("v1")) {
            return Stream.of(
                    Hit.at("apiVersion", "no kind \"" + kind + "\" is registered for version \"" + apiVersion + "\""));
        }
        return kind.equals("Pod") ? Stream.empty() : Stream.of(Hit.at("kind", "invalid pod: kind " + kind));
    }

    private static Stream<Hit> wrongTypes(Look look) {
        return TYPES.entrySet().stream()
                .flatMap(row -> look.sites(row.getKey()).stream().flatMap(site -> wrong(site, row.getValue())));
    }

    private static Stream<Hit> wrong(Site site, Type wanted) {
        JsonNode value = site.value();
        if (wanted != Type.STRINGS) {
            return wanted.fits(value) ? Stream.empty() : Stream.of(mismatch(site.path(), value, wanted));
        }
        if (!value.isObject()) {
            return Stream.of(mismatch(site.path(), value, wanted));
        }
        return value.properties().stream()
                .filter(entry -> !Type.STRING.fits(entry.getValue()))
                .map(entry -> mismatch(site.path() + "." + entry.getKey(), entry.getValue(), Type.STRING));
    }

    private static Hit mismatch(String path, JsonNode found, Type wanted) {
        return Hit.at(path, found(found), path.replaceAll("\\[\\d+]", ""), wanted.go);
    }

    private static String found(JsonNode value) {
        if (value.isNumber()) {
            return "number";
        }
        if (value.isBoolean()) {
            return "bool";
        }
        if (value.isArray()) {
            return "array";
        }
        return value.isObject() ? "object" : "string";
    }

    /** Of a field, as Go's decoder names it. */
    private enum Type {
        STRING("string", value -> value.isString() || value.isNull()),
        BOOLEAN("bool", value -> value.isBoolean() || value.isNull()),
        INTEGER("int64", value -> value.isIntegralNumber() || value.isNull()),
        LIST("array", value -> value.isArray() || value.isNull()),
        STRINGS("map[string]string", JsonNode::isObject);

        private final String go;
        private final Predicate<JsonNode> fits;

        Type(String go, Predicate<JsonNode> fits) {
            this.go = go;
            this.fits = fits;
        }

        boolean fits(JsonNode value) {
            return fits.test(value);
        }
    }
}
