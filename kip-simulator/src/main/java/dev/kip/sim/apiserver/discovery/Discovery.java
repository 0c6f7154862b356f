package dev.kip.sim.apiserver.discovery;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ResourceType;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers {@code /api}, {@code /apis} and what lies directly below them. Made anew when a resource type comes or goes:
 * the ETag of the aggregated documents changes then, which is how clients notice. Immutable.
 */
public final class Discovery {

    private static final String AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final GroupVersions served;
    private final String core;
    private final String coreDigest;
    private final String groups;
    private final String groupsDigest;

    /** @param types in the order in which groups are to be listed; versions are put in order of stability */
    public Discovery(Collection<ResourceType> types) {
        served = new GroupVersions(types);
        core = aggregated(ImmutableList.of("")).toString();
        coreDigest = Document.digest(core);
        groups = aggregated(served.groups()).toString();
        groupsDigest = Document.digest(groups);
    }

    /**
     * Answers a GET of {@code /api}, {@code /apis}, {@code /api/v1}, {@code /apis/GROUP} or {@code /apis/GROUP/VERSION}.
     *
     * @param path with or without a slash at its end
     * @param accept the header, if sent; decides between the aggregated and the older form
     * @return empty if nothing of that path is served, which is a 404
     */
    public Optional<Document> answer(String path, Optional<String> accept, Optional<String> ifNoneMatch) {
        List<String> parts = Splitter.on('/').omitEmptyStrings().splitToList(path);
        if (parts.size() == 1 && accept.filter(Discovery::wantsAggregated).isPresent()) {
            return switch (parts.get(0)) {
                case "api" -> Optional.of(Document.of(core, coreDigest, AGGREGATED, ifNoneMatch));
                case "apis" -> Optional.of(Document.of(groups, groupsDigest, AGGREGATED, ifNoneMatch));
                default -> Optional.empty();
            };
        }
        return plain(parts).map(node -> {
            String body = node.toString();
            return Document.of(body, Document.digest(body), "application/json", ifNoneMatch);
        });
    }

    private Optional<ObjectNode> plain(List<String> parts) {
        if (parts.isEmpty()) {
            return Optional.empty();
        }
        boolean coreGroup = parts.get(0).equals("api");
        if (!coreGroup && !parts.get(0).equals("apis")) {
            return Optional.empty();
        }
        if (parts.size() == 1) {
            return Optional.of(coreGroup ? versions() : groupList());
        }
        String group = coreGroup ? "" : parts.get(1);
        int before = coreGroup ? 1 : 2;
        if (parts.size() == before && !served.versions(group).isEmpty()) {
            return Optional.of(typed("APIGroup", "v1").setAll(group(group)));
        }
        if (parts.size() == before + 1) {
            String version = parts.get(before);
            return served.types(group, version).isEmpty() ? Optional.empty() : Optional.of(resources(group, version));
        }
        return Optional.empty();
    }

    /** Only v2 is served, as by the real server of today; clients that know only v2beta1 fall back to the older form. */
    private static boolean wantsAggregated(String accept) {
        return Splitter.on(',').trimResults().splitToStream(accept).anyMatch(media -> {
            List<String> parameters = Splitter.on(';').trimResults().splitToList(media.toLowerCase(Locale.ROOT));
            return parameters.contains("as=apigroupdiscoverylist")
                    && parameters.contains("g=apidiscovery.k8s.io")
                    && parameters.contains("v=v2");
        });
    }

    private ObjectNode aggregated(List<String> groups) {
        ObjectNode list = typed("APIGroupDiscoveryList", "apidiscovery.k8s.io/v2");
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        for (String group : groups) {
            ObjectNode item = items.addObject();
            ObjectNode metadata = item.putObject("metadata");
            if (!group.isEmpty()) {
                metadata.put("name", group);
            }
            metadata.putNull("creationTimestamp");
            ArrayNode versions = item.putArray("versions");
            for (String version : served.versions(group)) {
                ObjectNode entry = versions.addObject().put("version", version);
                ArrayNode resources = entry.putArray("resources");
                served.types(group, version).forEach(type -> resources.add(aggregated(type)));
                entry.put("freshness", "Current");
            }
        }
        return list;
    }

    private static ObjectNode aggregated(ResourceType type) {
        ObjectNode node = JSON.objectNode().put("resource", type.plural());
        node.set("responseKind", kind(type.group(), type.version(), type.kind()));
        node.put("scope", type.namespaced() ? "Namespaced" : "Cluster");
        node.put("singularResource", type.singular());
        node.set("verbs", strings(type.verbs()));
        addUnlessEmpty(node, "shortNames", type.shortNames());
        addUnlessEmpty(node, "categories", type.categories());
        if (!type.subresources().isEmpty()) {
            ArrayNode subresources = node.putArray("subresources");
            type.subresources().forEach(subresource -> {
                ObjectNode entry = subresources.addObject().put("subresource", subresource.name());
                entry.set("responseKind", kind(subresource.group(), subresource.version(), subresource.kind()));
                entry.set("verbs", strings(subresource.verbs()));
            });
        }
        return node;
    }

    private static ObjectNode kind(String group, String version, String kind) {
        return JSON.objectNode().put("group", group).put("version", version).put("kind", kind);
    }

    private ObjectNode versions() {
        ObjectNode node = JSON.objectNode().put("kind", "APIVersions");
        node.set("versions", strings(served.versions("")));
        node.putArray("serverAddressByClientCIDRs")
                .addObject()
                .put("clientCIDR", "0.0.0.0/0")
                .put("serverAddress", "");
        return node;
    }

    private ObjectNode groupList() {
        ObjectNode list = typed("APIGroupList", "v1");
        ArrayNode groups = list.putArray("groups");
        served.groups().forEach(group -> groups.add(group(group)));
        return list;
    }

    private ObjectNode group(String group) {
        ObjectNode node = JSON.objectNode().put("name", group);
        ArrayNode versions = node.putArray("versions");
        for (String version : served.versions(group)) {
            ObjectNode entry =
                    JSON.objectNode().put("groupVersion", group + "/" + version).put("version", version);
            versions.add(entry);
            if (!node.has("preferredVersion")) {
                node.set("preferredVersion", entry.deepCopy());
            }
        }
        return node;
    }

    private ObjectNode resources(String group, String version) {
        ObjectNode list = typed("APIResourceList", "v1");
        list.put("groupVersion", group.isEmpty() ? version : group + "/" + version);
        ArrayNode resources = list.putArray("resources");
        for (ResourceType type : served.types(group, version)) {
            ObjectNode node = resources
                    .addObject()
                    .put("name", type.plural())
                    .put("singularName", type.singular())
                    .put("namespaced", type.namespaced())
                    .put("kind", type.kind());
            node.set("verbs", strings(type.verbs()));
            addUnlessEmpty(node, "shortNames", type.shortNames());
            addUnlessEmpty(node, "categories", type.categories());
            for (ResourceType.Subresource subresource : type.subresources()) {
                ObjectNode entry = resources
                        .addObject()
                        .put("name", type.plural() + "/" + subresource.name())
                        .put("singularName", "")
                        .put("namespaced", type.namespaced());
                if (!subresource.group().equals(group) || !subresource.version().equals(version)) {
                    entry.put("group", subresource.group()).put("version", subresource.version());
                }
                entry.put("kind", subresource.kind());
                entry.set("verbs", strings(subresource.verbs()));
            }
        }
        return list;
    }

    private static ObjectNode typed(String kind, String apiVersion) {
        return JSON.objectNode().put("kind", kind).put("apiVersion", apiVersion);
    }

    private static void addUnlessEmpty(ObjectNode node, String field, List<String> values) {
        if (!values.isEmpty()) {
            node.set(field, strings(values));
        }
    }

    private static ArrayNode strings(List<String> values) {
        ArrayNode array = JSON.arrayNode();
        values.forEach(array::add);
        return array;
    }
}
