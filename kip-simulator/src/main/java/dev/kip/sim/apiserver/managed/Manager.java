package dev.kip.sim.apiserver.managed;

import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Who owns fields.
 *
 * @param applies by server-side apply, not by update
 * @param subresource empty for the object itself
 * @param apiVersion in which the fields are named
 */
record Manager(String name, boolean applies, String subresource, String apiVersion) {

    /** Whoever applies is the same whichever version he applies in. */
    boolean same(Manager other) {
        return name.equals(other.name)
                && applies == other.applies
                && subresource.equals(other.subresource)
                && (applies || apiVersion.equals(other.apiVersion));
    }

    ObjectNode toJson(String time, FieldSet fields) {
        ObjectNode entry = JsonNodeFactory.instance.objectNode();
        entry.put("manager", name)
                .put("operation", applies ? "Apply" : "Update")
                .put("apiVersion", apiVersion);
        if (!time.isEmpty()) {
            entry.put("time", time);
        }
        entry.put("fieldsType", "FieldsV1").set("fieldsV1", fields.toJson());
        if (!subresource.isEmpty()) {
            entry.put("subresource", subresource);
        }
        return entry;
    }

    /** As a conflict names it. */
    @Override
    public String toString() {
        String text = "\"" + name + "\"" + (subresource.isEmpty() ? "" : " with subresource \"" + subresource + "\"");
        return applies ? text : text + " using " + apiVersion;
    }
}
