package dev.kip.sim.apiserver.kinds;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.quantity.Quantities;
import dev.kip.sim.apiserver.schema.FieldErrors;
import java.math.BigDecimal;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** What a pod spec must be like (the part of pkg/apis/core/validation that users run into). */
final class PodValidation {

    private static final ImmutableSet<String> RESTART_POLICIES = ImmutableSet.of("Always", "OnFailure", "Never");
    private static final ImmutableSet<String> PULL_POLICIES = ImmutableSet.of("Always", "IfNotPresent", "Never");
    private static final ImmutableSet<String> DNS_POLICIES =
            ImmutableSet.of("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None");
    private static final ImmutableSet<String> PROTOCOLS = ImmutableSet.of("SCTP", "TCP", "UDP");
    private static final ImmutableSet<String> MESSAGE_POLICIES = ImmutableSet.of("FallbackToLogsOnError", "File");
    private static final ImmutableSet<String> STANDARD_RESOURCES =
            ImmutableSet.of("cpu", "memory", "ephemeral-storage", "storage");
    private static final Pattern PORT_NAME = Pattern.compile("(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]*[a-z0-9])?");
    private static final Pattern VARIABLE = Pattern.compile("[\\x20-\\x3C\\x3E-\\x7E]+");

    private final JsonNode spec;
    private final String path;
    private final FieldErrors errors;
    private final Set<String> volumes = new LinkedHashSet<>();
    private final Set<String> names = new LinkedHashSet<>();

    private PodValidation(JsonNode spec, String path, FieldErrors errors) {
        this.spec = spec;
        this.path = path;
        this.errors = errors;
    }

    /** @param path of the spec, for example {@code spec.template.spec} */
    static void validate(JsonNode spec, String path, FieldErrors errors) {
        new PodValidation(spec, path, errors).run();
    }

    private void run() {
        validateVolumes();
        if (spec.path("containers").isEmpty()) {
            errors.required(path + ".containers", "");
        }
        for (String list : ImmutableList.of("containers", "initContainers", "ephemeralContainers")) {
            int index = 0;
            for (JsonNode container : spec.path(list)) {
                validateContainer(container, path + "." + list + "[" + index++ + "]");
            }
        }
        supported("restartPolicy", spec.path("restartPolicy"), RESTART_POLICIES, path);
        supported("dnsPolicy", spec.path("dnsPolicy"), DNS_POLICIES, path);
        atLeast(spec, "terminationGracePeriodSeconds", 0, path);
        if (spec.has("activeDeadlineSeconds")
                && spec.path("activeDeadlineSeconds").asLong(0) < 1) {
            errors.invalid(
                    path + ".activeDeadlineSeconds",
                    spec.path("activeDeadlineSeconds"),
                    "must be between 1 and 2147483647, inclusive");
        }
        for (String field : ImmutableList.of("hostname", "subdomain")) {
            if (spec.has(field)) {
                Names.LABEL.check(path + "." + field, spec.path(field).asString(""), errors);
            }
        }
        if (spec.has("nodeName")) {
            Names.SUBDOMAIN.check(path + ".nodeName", spec.path("nodeName").asString(""), errors);
        }
        if (spec.has("serviceAccountName")) {
            Names.SUBDOMAIN.check(
                    path + ".serviceAccountName",
                    spec.path("serviceAccountName").asString(""),
                    errors);
        }
        Metadata.validateLabels(path + ".nodeSelector", spec.path("nodeSelector"), errors);
        validateTolerations();
    }

    private void validateVolumes() {
        int index = 0;
        for (JsonNode volume : spec.path("volumes")) {
            String at = path + ".volumes[" + index++ + "]";
            String name = volume.path("name").asString("");
            if (name.isEmpty()) {
                errors.required(at + ".name", "");
            } else {
                Names.LABEL.check(at + ".name", name, errors);
                if (!volumes.add(name)) {
                    errors.duplicate(at + ".name", FieldErrors.quoted(name));
                }
            }
            if (volume.size() > 2) {
                String second = ImmutableList.copyOf(volume.propertyNames()).stream()
                        .filter(field -> !field.equals("name"))
                        .skip(1)
                        .findFirst()
                        .orElse("");
                errors.forbidden(at + "." + second, "may not specify more than 1 volume type");
            }
        }
    }

    private void validateContainer(JsonNode container, String at) {
        String name = container.path("name").asString("");
        if (name.isEmpty()) {
            errors.required(at + ".name", "");
        } else {
            Names.LABEL.check(at + ".name", name, errors);
            if (!names.add(name)) {
                errors.duplicate(at + ".name", FieldErrors.quoted(name));
            }
        }
        String image = container.path("image").asString("");
        if (image.isEmpty()) {
            errors.required(at + ".image", "");
        } else if (!image.equals(image.strip())) {
            errors.invalid(at + ".image", FieldErrors.quoted(image), "must not have leading or trailing whitespace");
        }
        supported("imagePullPolicy", container.path("imagePullPolicy"), PULL_POLICIES, at);
        supported("terminationMessagePolicy", container.path("terminationMessagePolicy"), MESSAGE_POLICIES, at);
        validatePorts(container, at);
        validateEnvironment(container, at);
        validateMounts(container, at);
        validateResources(container.path("resources"), at + ".resources");
        for (String probe : ImmutableList.of("livenessProbe", "readinessProbe", "startupProbe")) {
            if (container.has(probe)) {
                validateProbe(container.path(probe), at + "." + probe);
            }
        }
    }

    private void validatePorts(JsonNode container, String at) {
        Set<String> portNames = new LinkedHashSet<>();
        int index = 0;
        for (JsonNode port : container.path("ports")) {
            String here = at + ".ports[" + index++ + "]";
            if (port.has("name")) {
                String name = port.path("name").asString("");
                if (name.length() > 15) {
                    errors.invalid(here + ".name", FieldErrors.quoted(name), "must be no more than 15 characters");
                } else if (!PORT_NAME.matcher(name).matches()) {
                    errors.invalid(
                            here + ".name",
                            FieldErrors.quoted(name),
                            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
                } else if (!portNames.add(name)) {
                    errors.duplicate(here + ".name", FieldErrors.quoted(name));
                }
            }
            if (!port.has("containerPort")) {
                errors.required(here + ".containerPort", "");
            } else {
                port(port.path("containerPort"), here + ".containerPort");
            }
            if (port.path("hostPort").asInt(0) != 0) {
                port(port.path("hostPort"), here + ".hostPort");
            }
            supported("protocol", port.path("protocol"), PROTOCOLS, here);
        }
    }

    private void port(JsonNode number, String at) {
        int port = number.asInt(0);
        if (port < 1 || port > 65535) {
            errors.invalid(at, number, "must be between 1 and 65535, inclusive");
        }
    }

    private void validateEnvironment(JsonNode container, String at) {
        int index = 0;
        for (JsonNode variable : container.path("env")) {
            String here = at + ".env[" + index++ + "]";
            String name = variable.path("name").asString("");
            if (name.isEmpty()) {
                errors.required(here + ".name", "");
            } else if (!VARIABLE.matcher(name).matches()) {
                errors.invalid(
                        here + ".name",
                        FieldErrors.quoted(name),
                        "a valid environment variable name must consist only of printable ASCII characters other than '='");
            }
            if (variable.has("valueFrom")
                    && !variable.path("value").asString("").isEmpty()) {
                errors.invalid(here + ".valueFrom", "\"\"", "may not be specified when `value` is not empty");
            }
        }
    }

    private void validateMounts(JsonNode container, String at) {
        Set<String> mountPaths = new LinkedHashSet<>();
        int index = 0;
        for (JsonNode mount : container.path("volumeMounts")) {
            String here = at + ".volumeMounts[" + index++ + "]";
            String name = mount.path("name").asString("");
            if (name.isEmpty()) {
                errors.required(here + ".name", "");
            } else if (!volumes.contains(name)) {
                errors.notFound(here + ".name", name);
            }
            String mountPath = mount.path("mountPath").asString("");
            if (mountPath.isEmpty()) {
                errors.required(here + ".mountPath", "");
            } else if (!mountPaths.add(mountPath)) {
                errors.invalid(here + ".mountPath", FieldErrors.quoted(mountPath), "must be unique");
            }
        }
    }

    private void validateResources(JsonNode resources, String at) {
        for (String part : ImmutableList.of("limits", "requests")) {
            resources.path(part).forEachEntry((resource, quantity) -> {
                String here = at + "." + part + "[" + resource + "]";
                boolean known = STANDARD_RESOURCES.contains(resource)
                        || resource.startsWith("hugepages-")
                        || resource.contains("/");
                if (!known) {
                    errors.invalid(here, FieldErrors.quoted(resource), "must be a standard resource for containers");
                }
                if (amount(quantity).signum() < 0) {
                    errors.invalid(here, quantity, "must be greater than or equal to 0");
                }
            });
        }
        resources.path("requests").forEachEntry((resource, request) -> {
            JsonNode limit = resources.path("limits").path(resource);
            if (limit.isString() && amount(request).compareTo(amount(limit)) > 0) {
                errors.invalid(
                        at + ".requests",
                        request,
                        "must be less than or equal to " + resource + " limit of " + limit.stringValue());
            }
        });
    }

    private static BigDecimal amount(JsonNode quantity) {
        return Quantities.parse(quantity.asString("0"));
    }

    private void validateProbe(JsonNode probe, String at) {
        long handlers = ImmutableList.of("exec", "httpGet", "tcpSocket", "grpc").stream()
                .filter(probe::has)
                .count();
        if (handlers == 0) {
            errors.required(at, "must specify a handler type");
        } else if (handlers > 1) {
            errors.forbidden(at, "may not specify more than 1 handler type");
        }
        for (String field : ImmutableList.of(
                "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")) {
            atLeast(probe, field, 0, at);
        }
    }

    private void validateTolerations() {
        int index = 0;
        for (JsonNode toleration : spec.path("tolerations")) {
            String at = path + ".tolerations[" + index++ + "]";
            String operator = toleration.path("operator").asString("Equal");
            if (toleration.path("key").asString("").isEmpty() && !operator.equals("Exists")) {
                errors.invalid(
                        at + ".operator",
                        FieldErrors.quoted(operator),
                        "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
            }
            supported("operator", toleration.path("operator"), ImmutableSet.of("Equal", "Exists"), at);
            supported(
                    "effect",
                    toleration.path("effect"),
                    ImmutableSet.of("NoSchedule", "PreferNoSchedule", "NoExecute"),
                    at);
        }
    }

    private void supported(String field, JsonNode value, ImmutableSet<String> supported, String at) {
        String text = value.asString("");
        if (!text.isEmpty() && !supported.contains(text)) {
            errors.notSupported(at + "." + field, text, supported);
        }
    }

    private void atLeast(JsonNode object, String field, long least, String at) {
        if (object.path(field).isNumber() && object.path(field).asLong() < least) {
            errors.invalid(at + "." + field, object.path(field), "must be greater than or equal to " + least);
        }
    }
}
