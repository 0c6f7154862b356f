package dev.kip.checkpointer.sanitise;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.kip.bundle.BundleBuilder;
import dev.kip.bundle.Reference;
import dev.kip.bundle.Site;
import dev.kip.checkpointer.kubelet.PriorityClasses;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a pod needs from the API server before it can do without. */
final class Needs {

    private static final long DEFAULT_TOKEN_SECONDS = 3607;

    private Needs() {}

    /** Objects sorted by kind and name, then tokens in the pod's order. */
    static ImmutableList<Need> of(ObjectNode pod) {
        ImmutableSet.Builder<Need> needs = ImmutableSet.builder();
        for (Reference reference : BundleBuilder.references(pod)) {
            needs.add(of(reference));
        }
        String priorityClass = pod.path("spec").path("priorityClassName").asString("");
        if (!priorityClass.isEmpty() && PriorityClasses.builtIn(priorityClass).isEmpty()) {
            needs.add(new Need.Thing(Need.Kind.PRIORITY_CLASS, priorityClass, true));
        }
        for (Site bundle : Site.find(pod, "spec.volumes[*].projected.sources[*].clusterTrustBundle")) {
            String name = bundle.value().path("name").asString("");
            if (!name.isEmpty()) {
                boolean optional = bundle.value().path("optional").asBoolean(false);
                needs.add(new Need.Thing(Need.Kind.CLUSTER_TRUST_BUNDLE, name, optional));
            }
        }
        for (Site token : Site.find(pod, "spec.volumes[*].projected.sources[*].serviceAccountToken")) {
            needs.add(token(serviceAccount(pod), token.value()));
        }
        return needs.build().asList();
    }

    static Need.Thing of(Reference reference) {
        Need.Kind kind = reference.kind() == Reference.Kind.SECRET ? Need.Kind.SECRET : Need.Kind.CONFIG_MAP;
        return new Need.Thing(kind, reference.name(), reference.optional());
    }

    static Need.Token token(String serviceAccount, JsonNode source) {
        return new Need.Token(
                serviceAccount,
                source.path("audience").asString(""),
                Duration.ofSeconds(source.path("expirationSeconds").asLong(DEFAULT_TOKEN_SECONDS)));
    }

    static String serviceAccount(JsonNode pod) {
        JsonNode spec = pod.path("spec");
        String name = spec.path("serviceAccountName").asString("");
        if (name.isEmpty()) {
            name = spec.path("serviceAccount").asString("");
        }
        return name.isEmpty() ? "default" : name;
    }
}
