package dev.kip.controller.store;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import dev.kip.bundle.BundleBuilder;
import dev.kip.bundle.Materials;
import dev.kip.bundle.Reference;
import dev.kip.bundle.Refusal;
import dev.kip.controller.launch.NeedsReader;
import dev.kip.controller.launch.PodNeeds;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.podstatus.Explanation;
import dev.kip.controller.podstatus.StatusDigest;
import dev.kip.kube.Codec;
import dev.kip.kube.Kinds;
import dev.kip.kube.ObjectRef;
import dev.kip.kube.ResourceKind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Pods as {@link PodFacts}. Pure; decodes off the loop. */
public final class PodReader implements Codec<PodFacts> {

    /** Pods, of which only {@link PodFacts} are kept. */
    public static final ResourceKind<PodFacts> PODS = Kinds.PODS.as(new PodReader());

    private PodReader() {}

    @Override
    public PodFacts decode(ObjectNode pod) {
        JsonNode metadata = pod.path("metadata");
        JsonNode spec = pod.path("spec");
        JsonNode status = pod.path("status");
        boolean terminating = metadata.hasNonNull("deletionTimestamp");
        long grace = terminating
                ? metadata.path("deletionGracePeriodSeconds").asLong(0)
                : spec.path("terminationGracePeriodSeconds").asLong(30);
        return new PodFacts(
                new ObjectRef(required(metadata, "namespace"), required(metadata, "name")),
                required(metadata, "uid"),
                metadata.path("resourceVersion").asString(""),
                spec.path("nodeName").asString(""),
                status.path("phase").asString("Pending"),
                terminating,
                Duration.ofSeconds(Math.max(0, grace)),
                ownedByDaemonSet(metadata),
                !metadata.path("finalizers").isEmpty(),
                StatusDigest.started(status),
                needs(pod, status),
                startsYet(status) ? required(pod) : ImmutableList.of(),
                content(metadata, spec),
                StatusDigest.of(status),
                otherConditions(status),
                Explanation.in(status));
    }

    @Override
    public ObjectNode encode(PodFacts pod) {
        throw new UnsupportedOperationException("pods are read and patched, never written whole");
    }

    /** A pod that no cell can run must not cost an instance. Looked at before it starts only: it is some work. */
    private static PodNeeds needs(ObjectNode pod, JsonNode status) {
        PodNeeds needs = NeedsReader.read(pod);
        if (!startsYet(status) || needs.problem().isPresent()) {
            return needs;
        }
        for (Refusal refusal : BundleBuilder.build(pod, Materials.none(), 1).refusals()) {
            if (refusal.kind() == Refusal.Kind.REFUSED) {
                return needs.refused(new Problem("NotSupported", refusal.field() + ": " + refusal.message()));
            }
        }
        return needs;
    }

    private static boolean startsYet(JsonNode status) {
        return status.path("phase").asString("Pending").equals("Pending")
                && status.path("containerStatuses").isEmpty();
    }

    private static ImmutableList<Reference> required(ObjectNode pod) {
        return BundleBuilder.references(pod).stream()
                .filter(reference -> !reference.optional())
                .collect(ImmutableList.toImmutableList());
    }

    private static String required(JsonNode metadata, String field) {
        String value = metadata.path(field).asString("");
        if (value.isEmpty()) {
            throw new IllegalArgumentException("metadata." + field + " of a pod is missing");
        }
        return value;
    }

    private static boolean ownedByDaemonSet(JsonNode metadata) {
        for (JsonNode owner : metadata.path("ownerReferences")) {
            if (owner.path("kind").asString("").equals("DaemonSet")) {
                return true;
            }
        }
        return false;
    }

    private static String content(JsonNode metadata, JsonNode spec) {
        return Hashing.murmur3_128()
                .newHasher()
                .putString(sorted(metadata.path("labels")), StandardCharsets.UTF_8)
                .putString(sorted(metadata.path("annotations")), StandardCharsets.UTF_8)
                .putString(spec.toString(), StandardCharsets.UTF_8)
                .hash()
                .toString();
    }

    private static String sorted(JsonNode map) {
        Map<String, String> entries = new TreeMap<>();
        map.properties()
                .forEach(entry -> entries.put(entry.getKey(), entry.getValue().toString()));
        return entries.toString();
    }

    private static ImmutableList<JsonNode> otherConditions(JsonNode status) {
        ImmutableList.Builder<JsonNode> others = ImmutableList.builder();
        for (JsonNode condition : status.path("conditions")) {
            String type = condition.path("type").asString("");
            if (!StatusDigest.OUR_CONDITIONS.contains(type) && !type.equals(Explanation.CONDITION)) {
                others.add(condition);
            }
        }
        return others.build();
    }
}
