package dev.kip.controller.launch;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.Market;
import dev.kip.quantity.Quantities;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.databind.JsonNode;

/** Reads {@link PodNeeds} from a pod's JSON. Pure; runs off the loop. */
public final class NeedsReader {

    private static final String INSTANCE_TYPE = "pod.elotl.co/instance-type";
    private static final String LAUNCH_TYPE = "pod.elotl.co/launch-type";
    private static final String VOLUME_SIZE = "pod.elotl.co/volume-size";
    private static final String PRIVATE_IP_ONLY = "pod.elotl.co/private-ip-only";
    private static final String GPU = "nvidia.com/gpu";
    private static final String GPU_SELECTOR = "node.elotl.co/gpu-";
    private static final ImmutableList<String> NOT_DONE = ImmutableList.of(
            "pod.elotl.co/cloud-route", "pod.elotl.co/security-groups", "pod.elotl.co/instance-profile");
    private static final BigDecimal GIB = BigDecimal.valueOf(1L << 30);
    private static final int MAX_VOLUME_GIB = 16_384;

    private NeedsReader() {}

    public static PodNeeds read(JsonNode pod) {
        try {
            return reading(pod);
        } catch (Unusable e) {
            return new PodNeeds(
                    false,
                    0,
                    0,
                    0,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    OptionalInt.empty(),
                    Optional.empty(),
                    Selection.NONE,
                    Spread.NONE,
                    Optional.of(e.problem));
        }
    }

    private static PodNeeds reading(JsonNode pod) throws Unusable {
        JsonNode annotations = pod.path("metadata").path("annotations");
        JsonNode spec = pod.path("spec");
        JsonNode selector = spec.path("nodeSelector");
        refuse(annotations);
        BigDecimal cpu = whole(spec, "cpu");
        BigDecimal memory = whole(spec, "memory");
        BigDecimal gpus = total(spec, GPU);
        return new PodNeeds(
                cpu.signum() > 0 || memory.signum() > 0 || gpus.signum() > 0,
                cpu.movePointRight(3).setScale(0, RoundingMode.CEILING).longValueExact(),
                memory.setScale(0, RoundingMode.CEILING).longValueExact(),
                gpus.setScale(0, RoundingMode.CEILING).intValueExact(),
                gpus.signum() > 0 ? gpuKind(selector) : Optional.empty(),
                text(annotations, INSTANCE_TYPE).or(() -> text(selector, "node.kubernetes.io/instance-type")),
                market(annotations),
                volumeGib(annotations),
                flag(annotations, PRIVATE_IP_ONLY),
                SelectionReader.read(spec),
                SpreadReader.read(pod.path("metadata"), spec),
                Optional.empty());
    }

    /** Resources of the pod as a whole, where it has any of this kind, stand for those of its containers. */
    private static BigDecimal whole(JsonNode spec, String resource) throws Unusable {
        BigDecimal ofPod = need(spec, "spec.resources", resource);
        return ofPod.signum() > 0
                ? ofPod.add(quantity(spec.path("overhead").path(resource), "spec.overhead"))
                : total(spec, resource);
    }

    /** By the original's selector {@code node.elotl.co/gpu-KIND} (the value wins over the key's end), or as others write it. */
    private static Optional<String> gpuKind(JsonNode selector) {
        for (var entry : selector.properties()) {
            if (entry.getKey().startsWith(GPU_SELECTOR)) {
                String value = entry.getValue().asString("");
                return Optional.of(value.isEmpty() ? entry.getKey().substring(GPU_SELECTOR.length()) : value);
            }
        }
        return text(selector, "cloud.google.com/gke-accelerator").or(() -> text(selector, "accelerator"));
    }

    /**
     * As the scheduler counts: sidecars run beside what follows them, other init containers one at a time, then the
     * containers; plus the overhead. A limit without a request counts, as the API server would have copied it.
     */
    private static BigDecimal total(JsonNode spec, String resource) throws Unusable {
        BigDecimal sidecars = BigDecimal.ZERO;
        BigDecimal highest = BigDecimal.ZERO;
        for (JsonNode init : spec.path("initContainers")) {
            BigDecimal need = need(init, resource);
            if ("Always".equals(init.path("restartPolicy").asString(""))) {
                sidecars = sidecars.add(need);
                highest = highest.max(sidecars);
            } else {
                highest = highest.max(sidecars.add(need));
            }
        }
        BigDecimal running = sidecars;
        for (JsonNode container : spec.path("containers")) {
            running = running.add(need(container, resource));
        }
        BigDecimal overhead = quantity(spec.path("overhead").path(resource), "spec.overhead");
        return highest.max(running).add(overhead);
    }

    /** The larger of limit and request: the instance is the pod's alone, so what it may use must be there. */
    private static BigDecimal need(JsonNode container, String resource) throws Unusable {
        return need(container, "container " + container.path("name").asString("") + ", resources", resource);
    }

    private static BigDecimal need(JsonNode holder, String where, String resource) throws Unusable {
        JsonNode resources = holder.path("resources");
        return quantity(resources.path("limits").path(resource), where)
                .max(quantity(resources.path("requests").path(resource), where));
    }

    private static BigDecimal quantity(JsonNode node, String where) throws Unusable {
        if (node.isMissingNode() || node.isNull()) {
            return BigDecimal.ZERO;
        }
        String text = node.asString("");
        try {
            BigDecimal amount = Quantities.parseNonNegative(text);
            if (amount.compareTo(BigDecimal.valueOf(Long.MAX_VALUE / 1000)) > 0) {
                throw new IllegalArgumentException("out of range");
            }
            return amount;
        } catch (IllegalArgumentException e) {
            throw new Unusable(new Problem("InvalidResources", where + ": \"" + text + "\" is no usable quantity"));
        }
    }

    private static Optional<Market> market(JsonNode annotations) throws Unusable {
        Optional<String> wanted = text(annotations, LAUNCH_TYPE);
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        switch (wanted.get().toLowerCase(Locale.ROOT)) {
            case "spot":
                return Optional.of(Market.SPOT);
            case "on-demand":
                return Optional.of(Market.ON_DEMAND);
            default:
                throw new Unusable(new Problem(
                        "InvalidAnnotation",
                        LAUNCH_TYPE + ": wanted \"spot\" or \"on-demand\", found \"" + wanted.get() + "\""));
        }
    }

    private static OptionalInt volumeGib(JsonNode annotations) throws Unusable {
        Optional<String> wanted = text(annotations, VOLUME_SIZE);
        if (wanted.isEmpty()) {
            return OptionalInt.empty();
        }
        BigDecimal gib;
        try {
            gib = Quantities.parse(wanted.get()).divide(GIB, 0, RoundingMode.CEILING);
        } catch (IllegalArgumentException e) {
            gib = BigDecimal.ZERO;
        }
        if (gib.signum() <= 0 || gib.compareTo(BigDecimal.valueOf(MAX_VOLUME_GIB)) > 0) {
            throw new Unusable(new Problem(
                    "InvalidAnnotation",
                    VOLUME_SIZE + ": wanted a size like \"10Gi\", at most 16Ti, found \"" + wanted.get() + "\""));
        }
        return OptionalInt.of(gib.intValueExact());
    }

    /** What the original did after boot and this version cannot: better no cell than one without it. */
    private static void refuse(JsonNode annotations) throws Unusable {
        for (String key : NOT_DONE) {
            if (text(annotations, key).isPresent()) {
                throw new Unusable(new Problem(
                        "UnsupportedAnnotation",
                        key
                                + ": this version cannot do it, and the pod may depend on it. Remove the annotation, or run the"
                                + " pod elsewhere"));
            }
        }
    }

    private static Optional<Boolean> flag(JsonNode annotations, String key) throws Unusable {
        Optional<String> wanted = text(annotations, key);
        if (wanted.isEmpty()) {
            return Optional.empty();
        }
        switch (wanted.get().toLowerCase(Locale.ROOT)) {
            case "true":
                return Optional.of(true);
            case "false":
                return Optional.of(false);
            default:
                throw new Unusable(new Problem(
                        "InvalidAnnotation", key + ": wanted \"true\" or \"false\", found \"" + wanted.get() + "\""));
        }
    }

    private static Optional<String> text(JsonNode map, String key) {
        String value = map.path(key).asString("").strip();
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    /** The pod cannot be launched as it is. */
    static final class Unusable extends Exception {
        private final transient Problem problem;

        Unusable(Problem problem) {
            super(problem.message(), null, false, false);
            this.problem = problem;
        }
    }
}
