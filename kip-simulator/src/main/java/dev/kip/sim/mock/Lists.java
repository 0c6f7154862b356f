package dev.kip.sim.mock;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ResourceType;
import java.util.Comparator;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists in pages, in the order of names. Pages go on after the last name told, at the state of their moment. */
final class Lists {

    private Lists() {}

    static ObjectNode of(ResourceType type, Target target, ImmutableList<ObjectNode> all, long revision) {
        Picking picking = Picking.of(target);
        String after = target.query("continue");
        int limit = target.query("limit").isEmpty() ? 0 : Integer.parseInt(target.query("limit"));
        ImmutableList<ObjectNode> items = all.stream()
                .filter(picking::matches)
                .sorted(Comparator.comparing(Lists::key))
                .filter(object -> after.isEmpty() || key(object).compareTo(after) > 0)
                .collect(ImmutableList.toImmutableList());
        boolean more = limit > 0 && items.size() > limit;
        ImmutableList<ObjectNode> page = more ? items.subList(0, limit) : items;
        ObjectNode list = JsonMapper.shared().createObjectNode();
        list.put("kind", type.kind() + "List").put("apiVersion", type.apiVersion());
        ObjectNode metadata = list.putObject("metadata").put("resourceVersion", Long.toString(revision));
        if (more) {
            metadata.put("continue", key(page.get(limit - 1))).put("remainingItemCount", items.size() - limit);
        }
        ArrayNode array = list.putArray("items");
        page.forEach(array::add);
        return list;
    }

    /** Namespace and name. */
    static String key(ObjectNode object) {
        return object.at("/metadata/namespace").asString("") + "/"
                + object.at("/metadata/name").asString("");
    }
}
