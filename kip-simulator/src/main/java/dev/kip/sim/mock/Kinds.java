package dev.kip.sim.mock;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ApiFailure;
import dev.kip.sim.apiserver.Failures;
import dev.kip.sim.apiserver.ResourceType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The kinds that the mock server knows: what stories and the built-in controllers use, and what is defined by them. */
final class Kinds {

    /** group, version, plural, kind, whether it has a namespace. */
    private static final ImmutableList<String> BUILT_IN = ImmutableList.of(
            "- v1 pods Pod true",
            "- v1 nodes Node false",
            "- v1 namespaces Namespace false",
            "- v1 secrets Secret true",
            "- v1 configmaps ConfigMap true",
            "- v1 serviceaccounts ServiceAccount true",
            "- v1 services Service true",
            "- v1 endpoints Endpoints true",
            "- v1 events Event true",
            "- v1 persistentvolumeclaims PersistentVolumeClaim true",
            "- v1 persistentvolumes PersistentVolume false",
            "apps v1 deployments Deployment true",
            "apps v1 replicasets ReplicaSet true",
            "apps v1 daemonsets DaemonSet true",
            "apps v1 statefulsets StatefulSet true",
            "apps v1 controllerrevisions ControllerRevision true",
            "batch v1 jobs Job true",
            "policy v1 poddisruptionbudgets PodDisruptionBudget true",
            "discovery.k8s.io v1 endpointslices EndpointSlice true",
            "coordination.k8s.io v1 leases Lease true",
            "certificates.k8s.io v1 certificatesigningrequests CertificateSigningRequest false",
            "apiextensions.k8s.io v1 customresourcedefinitions CustomResourceDefinition false");

    private final Map<String, ResourceType> types = new TreeMap<>();

    Kinds() {
        for (String line : BUILT_IN) {
            List<String> words = Splitter.on(' ').splitToList(line);
            String group = words.get(0).equals("-") ? "" : words.get(0);
            add(group, words.get(1), words.get(2), words.get(3), Boolean.parseBoolean(words.get(4)));
        }
    }

    private void add(String group, String version, String plural, String kind, boolean namespaced) {
        types.put(
                key(group, plural),
                new ResourceType(
                        group,
                        version,
                        kind,
                        plural,
                        kind.toLowerCase(Locale.ROOT),
                        namespaced,
                        ImmutableList.of(),
                        ImmutableList.of(),
                        ImmutableList.of("create", "delete", "get", "list", "patch", "update", "watch"),
                        ImmutableList.of()));
    }

    private static String key(String group, String plural) {
        return group.isEmpty() ? plural : group + "/" + plural;
    }

    /** The first version of a definition is the one that counts. */
    synchronized void define(ObjectNode definition) {
        JsonNode spec = definition.path("spec");
        add(
                spec.path("group").asString(""),
                spec.at("/versions/0/name").asString(""),
                spec.at("/names/plural").asString(""),
                spec.at("/names/kind").asString(""),
                spec.path("scope").asString("").equals("Namespaced"));
    }

    synchronized void undefine(ObjectNode definition) {
        types.remove(key(
                definition.at("/spec/group").asString(""),
                definition.at("/spec/names/plural").asString("")));
    }

    synchronized Optional<ResourceType> find(String group, String plural) {
        return Optional.ofNullable(types.get(key(group, plural)));
    }

    ResourceType get(String group, String plural) throws ApiFailure {
        return find(group, plural).orElseThrow(Failures::noSuchResource);
    }

    synchronized ImmutableList<ResourceType> all() {
        return ImmutableList.copyOf(types.values());
    }
}
