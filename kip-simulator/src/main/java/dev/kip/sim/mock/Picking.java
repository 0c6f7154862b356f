package dev.kip.sim.mock;

import dev.kip.sim.apiserver.selector.FieldSelector;
import dev.kip.sim.apiserver.selector.LabelSelector;
import dev.kip.sim.apiserver.selector.SelectableFields;
import tools.jackson.databind.node.ObjectNode;

/** Which objects of a kind a list or a watch is about: by namespace, labels and fields, {@code spec.nodeName} among them. */
record Picking(String kindKey, String namespace, String name, LabelSelector labels, FieldSelector fields) {

    static Picking of(Target target) {
        return new Picking(
                target.kindKey(),
                target.namespace(),
                target.name(),
                target.query("labelSelector").isEmpty()
                        ? LabelSelector.EVERYTHING
                        : LabelSelector.parse(target.query("labelSelector")),
                target.query("fieldSelector").isEmpty()
                        ? FieldSelector.EVERYTHING
                        : FieldSelector.parse(
                                target.query("fieldSelector"), SelectableFields.of(target.kindKey(), true), false));
    }

    boolean matches(ObjectNode object) {
        return (namespace.isEmpty()
                        || object.at("/metadata/namespace").asString("").equals(namespace))
                && (name.isEmpty() || object.at("/metadata/name").asString("").equals(name))
                && labels.matches(object.at("/metadata/labels"))
                && fields.matches(object);
    }
}
